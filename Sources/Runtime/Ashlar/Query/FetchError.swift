/// An error of a fetch whose condition, order or values are invalid.
///
/// Errors of the store itself are ``StoreError``.
///
///     import AshlarCoreData
///
///     do {
///         let posts = try context.fetch(FetchDescriptor<Post>(format: typed))
///     } catch FetchError.invalidFormat(_, _, let problems) {
///         for problem in problems { print(problem.message, problem.hint ?? "") }
///     }
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum FetchError: Error, Sendable, Hashable {
    /// The store cannot evaluate a predicate, sort descriptor or condition.
    ///
    /// It names the construct, such as `collection[range]` or the key path of a property. The reason is a sentence
    /// without a full stop. The hint is an alternative. The initialiser of a descriptor cannot throw, so the fetch
    /// throws the error. The counterparts are SwiftData's `unsupportedPredicate`, `unsupportedKeyPath` and
    /// `unsupportedSortDescriptor`.
    case unsupportedPredicate(entity: String, construct: String, reason: String, hint: String?)
    /// A format string is not a valid condition on the entity.
    ///
    /// The problems are in the order of the text, and there is at least one.
    case invalidFormat(String, entity: String, problems: [FormatProblem])
    /// A text is not a valid FTS5 query of a full-text index such as `Post.search`, for the given reason.
    case invalidFullTextQuery(String, index: String, reason: String)
    /// A pattern is not a valid regular expression, for the given reason.
    case invalidRegularExpression(String, reason: String)
    /// A regular expression needed more memory or time than allowed for a text of the given length in UTF-16 units.
    case unfinishedRegularExpression(String, length: Int)
    /// A selected value is neither grouped by nor an aggregate, so it differs within a group.
    case notGrouped(entity: String, value: String)
    /// A distinct result is ordered by a value that is not selected.
    case orderNotSelected(entity: String)
    /// The entity has no attribute or to-one relationship of this name.
    case unknownProperty(entity: String, property: String)
    /// The model has no entity of this name.
    case unknownEntityName(String)
    /// Two values of a dictionary have the same name.
    case duplicateName(entity: String, name: String)
    /// The size of a batch is not positive.
    case invalidBatchSize(Int)
    /// The context's objects were changed while it enumerated others.
    ///
    /// See ``ModelContext/enumerate(_:batchSize:allowEscapingMutations:block:)``.
    case changedWhileEnumerating(entity: String)
    /// Objects of one section are not next to each other in the order of the fetch.
    case sectionsOutOfOrder(entity: String, name: String)
    /// A condition, order or value of one entity was used for objects of another.
    ///
    /// In a hierarchy, the names are those of the root entities.
    case entityMismatch(entity: String, other: String)
    /// The fetch requires an index that the entity does not have.
    case unknownIndex(entity: String, index: String)
    /// The fetch requires an index that cannot find its objects.
    case unusableIndex(entity: String, index: String)
}

/// A mistake in a format string, as part of ``FetchError/invalidFormat(_:entity:problems:)``.
///
///     import AshlarCoreData
///
///     do {
///         let posts = try context.fetch(FetchDescriptor<Post>(format: typed))
///     } catch FetchError.invalidFormat(_, _, let problems) {
///         for problem in problems { print(problem.range, problem.message) }
///     }
public struct FormatProblem: Sendable, Hashable {
    /// The kind of the mistake, with a stable name such as `unknown-property` or `incompatible-types`.
    public var code: String
    /// The range of the mistake in the format string, in UTF-8 bytes.
    public var range: Range<Int>
    /// A description of the mistake, as a sentence without a full stop.
    public var message: String
    /// A suggestion for a correct text, as a sentence.
    public var hint: String?

    package init(code: String, range: Range<Int>, message: String, hint: String?) {
        (self.code, self.range, self.message, self.hint) = (code, range, message, hint)
    }
}

extension FetchError: CustomStringConvertible {
    /// The length to which a description truncates a format string.
    private static let shownLength = 300

    public var description: String {
        switch self {
        case .unsupportedPredicate(let entity, let construct, let reason, let hint):
            "\(construct)\(entity.isEmpty ? "" : ", in a predicate or sort descriptor of \(entity),") "
                + "cannot be asked of the store: \(reason)" + (hint.map { "; \($0)" } ?? "") + "."
        case .invalidFormat(let format, let entity, let problems):
            "'\(Self.start(of: format))' is not a valid condition on \(entity):" + problems.map(\.line).joined()
        case .invalidFullTextQuery(let expression, let index, let reason):
            "\"\(expression)\" is not a query for the full-text index \(index): \(reason). "
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
            "Objects of \(entity) in the section \(name) are not beside each other. Order the fetch first by the value "
                + "that names the sections."
        case .changedWhileEnumerating(let entity):
            "Objects changed while those of \(entity) were enumerated, so that all changed ones would stay in memory. "
                + "Save within the block, or pass allowEscapingMutations: true."
        case .entityMismatch(let entity, let other):
            "A condition, order or value about \(other) was used for objects of \(entity). Make it for \(entity), or reach "
                + "\(other) by a relationship of \(entity)."
        case .unknownIndex(let entity, let index):
            "\(entity) has no fetch index \(index). Name one that the model declares for it or an entity above it."
        case .unusableIndex(let entity, let index):
            "The index \(index) cannot be used for this fetch of \(entity): an R-tree needs a condition that bounds its "
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
}

extension FormatProblem {
    fileprivate var line: String {
        "\n  at byte \(range.lowerBound): \(message)" + (hint.map { ". \($0)" } ?? "")
    }
}
