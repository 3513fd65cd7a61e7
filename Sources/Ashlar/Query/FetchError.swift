import PredicateFormat

/// A fetch, or another question to the store, that cannot be carried out as it is written.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum FetchError: Error, Sendable, Hashable {
    /// A predicate or sort descriptor of Foundation, or a condition, says what the store cannot be asked: a construct of
    /// it, such as `collection[range]` or the key path of a property; why not, as a sentence without a full stop; and how
    /// to say it otherwise.
    ///
    /// A descriptor's initialiser cannot throw, so that the fetch does. SwiftData's `unsupportedPredicate`,
    /// `unsupportedKeyPath` and `unsupportedSortDescriptor`.
    case unsupportedPredicate(entity: String, construct: String, reason: String, hint: String?)
    /// A format string is no condition on an entity, because of mistakes in the order of the text; never none.
    case invalidFormat(String, entity: String, problems: [FormatProblem])
    /// A text is no query in FTS5's language of a full-text index, `Post.search`, for the reason that is given.
    case invalidFullTextQuery(String, index: String, reason: String)
    /// A pattern is no regular expression, for the reason that is given.
    case invalidRegularExpression(String, reason: String)
    /// Whether a regular expression matches a text of so many UTF-16 units took more memory or time than it may.
    case unfinishedRegularExpression(String, length: Int)
    /// A value is neither grouped by nor an aggregate, so that the rows of a group differ in it.
    case notGrouped(entity: String, value: String)
    /// A distinct result is ordered by something that is not selected.
    case orderNotSelected(entity: String)
    /// An entity has no attribute or to-one relationship of a name.
    case unknownProperty(entity: String, property: String)
    /// The model has no entity of a name.
    case unknownEntityName(String)
    /// Two values of a dictionary have the same name.
    case duplicateName(entity: String, name: String)
    /// A number of objects that a batch is to have is not positive.
    case invalidBatchSize(Int)
    /// The context's objects were changed while it enumerated others.
    case changedWhileEnumerating(entity: String)
    /// Objects of one section are not beside each other in the order of the fetch.
    case sectionsOutOfOrder(entity: String, name: String)
    /// A condition, order or value about one entity was used for objects of another. In a hierarchy the names are those
    /// of its root.
    case entityMismatch(entity: String, other: String)
    /// A fetch is to use an index that its entity has not.
    case unknownIndex(entity: String, index: String)
    /// A fetch is to use an index that cannot find its objects.
    case unusableIndex(entity: String, index: String)
}

/// One mistake in a format string, of which ``FetchError/invalidFormat(_:entity:problems:)`` tells.
public struct FormatProblem: Sendable, Hashable {
    /// The kind of mistake, by a name that stays: `unknown-property`, `incompatible-types`.
    public var code: String
    /// The place in the format string, in UTF-8 bytes.
    public var range: Range<Int>
    /// What is wrong, as a sentence without a full stop.
    public var message: String
    /// What to write instead.
    public var hint: String?
}

extension FetchError: CustomStringConvertible {
    /// How much of a long format string a description shows.
    private static let shownLength = 300

    public var description: String {
        switch self {
        case .unsupportedPredicate(let entity, let construct, let reason, let hint):
            "\(construct)\(entity.isEmpty ? "" : ", in a predicate or sort descriptor of \(entity),") "
                + "cannot be asked of the store: \(reason)" + (hint.map { "; \($0)" } ?? "") + "."
        case .invalidFormat(let format, let entity, let problems):
            "\"\(Self.start(of: format))\" is no condition on \(entity):" + problems.map(\.line).joined()
        case .invalidFullTextQuery(let expression, let index, let reason):
            "\"\(expression)\" is no query of the full-text index \(index): \(reason). "
                + "FullTextQuery(_:) takes any text as terms to find."
        case .invalidRegularExpression(let pattern, let reason):
            ScalarFunctionError.invalidRegularExpression(pattern, reason: reason).description
        case .unfinishedRegularExpression(let pattern, let length):
            ScalarFunctionError.unfinishedRegularExpression(pattern, length: length).description
        case .notGrouped(let entity, let value):
            "\(value) differs among the rows of \(entity) that a group has. Group by it too, or select an aggregate of it."
        case .orderNotSelected(let entity):
            "Distinct values of \(entity) are ordered by one that is not selected. Select it too, or group by it."
        case .unknownProperty(let entity, let property):
            "\(entity) has no attribute and no to-one relationship \(property)."
        case .unknownEntityName(let name):
            "The model has no entity '\(name)'. Name one as the model does; the class may have another name."
        case .duplicateName(let entity, let name):
            "Two values of \(entity) have the name \(name) in the dictionaries to fetch. Give one of them another."
        case .invalidBatchSize(let size):
            "A batch cannot have \(size) objects; the least is 1."
        case .sectionsOutOfOrder(let entity, let name):
            "Objects of \(entity) in the section \(name) are not beside each other. Order the fetch first by what the "
                + "sections are named for."
        case .changedWhileEnumerating(let entity):
            "Objects changed while those of \(entity) were enumerated, so that all changed ones would stay in memory. "
                + "Save within the block, or pass allowEscapingMutations: true."
        case .entityMismatch(let entity, let other):
            "A condition, order or value about \(other) was used for objects of \(entity). Make it for \(entity), or reach "
                + "\(other) by a relationship of \(entity)."
        case .unknownIndex(let entity, let index):
            "\(entity) has no fetch index \(index). Name one that the model declares for it or an entity above it."
        case .unusableIndex(let entity, let index):
            "The index \(index) cannot find what is asked for of \(entity): an R-tree needs a condition that bounds its "
                + "attributes, and a partial index one that implies its own. Bound them, or leave the index to the planner."
        }
    }

    private static func start(of format: String) -> String {
        let start = format.prefix(shownLength)
        return start.endIndex == format.endIndex ? format : start + "…"
    }
}

extension FetchError {
    init(_ error: ScalarFunctionError) {
        self =
            switch error {
            case .invalidRegularExpression(let pattern, let reason): .invalidRegularExpression(pattern, reason: reason)
            case .unfinishedRegularExpression(let pattern, let length):
                .unfinishedRegularExpression(pattern, length: length)
            }
    }

    /// A format string with mistakes.
    static func invalidFormat(_ format: String, _ entity: String, _ errors: [PredicateFormatError]) -> FetchError {
        let problems = errors.map {
            FormatProblem(code: $0.code.rawValue, range: $0.range, message: $0.message, hint: $0.hint)
        }
        return .invalidFormat(format, entity: entity, problems: problems)
    }
}

extension FormatProblem {
    fileprivate var line: String {
        "\n  at byte \(range.lowerBound): \(message)" + (hint.map { "; \($0)" } ?? "")
    }
}
