import PredicateFormat

extension Condition {
    /// Makes a condition of a format string in the language of Core Data's `NSPredicate`.
    ///
    ///     try Condition(for: Post.self, format: "likes > %d AND author.name BEGINSWITH[cd] %@", 10, "A")
    ///
    /// Values never become part of the text: `%@`, `%d`, `%f` and their like stand for the arguments, `%K` for a key
    /// path, `$name` for a variable. Where an index serves a condition made with operators, it serves this.
    ///
    /// The condition is about the object of the closure that it is used in, such as a related one:
    /// `Author.where { $0.posts.contains { _ in isPopular } }`.
    ///
    /// - Throws: ``FetchError`` when the text has a mistake, names what the entity has not, or an argument is
    ///   missing, too many or of a type that its place does not take.
    public init<Model: PersistentModel>(
        for model: Model.Type, format: String, _ arguments: (any PredicateArgument)?...,
        variables: [String: any PredicateArgument] = [:]
    ) throws(FetchError) {
        try self.init(for: model, format: format, arguments: arguments, variables: variables)
    }

    /// Makes a condition of a format string and an array of arguments.
    ///
    /// - Throws: ``FetchError``, as the initialiser with a list of arguments does.
    public init<Model: PersistentModel>(
        for model: Model.Type, format: String, arguments: [(any PredicateArgument)?],
        variables: [String: any PredicateArgument] = [:]
    ) throws(FetchError) {
        let compiler = FormatCompiler(
            format: format, entity: Model._ashlarEntity, arguments: arguments.map { $0?.predicateValue ?? .null },
            variables: variables.mapValues(\.predicateValue))
        self.init(whole: try compiler.expression(), Model._ashlarEntity)
    }
}

extension FetchDescriptor {
    /// Fetches the objects for which a condition holds that is written in the language of Core Data's `NSPredicate`.
    ///
    ///     try FetchDescriptor<Post>(format: "likes > %d AND author.name BEGINSWITH[cd] %@", 10, "A")
    ///
    /// - Throws: ``FetchError`` when the text has a mistake, names what the entity has not, or an argument is
    ///   missing, too many or of a type that its place does not take.
    public init(
        format: String, _ arguments: (any PredicateArgument)?..., variables: [String: any PredicateArgument] = [:]
    ) throws(FetchError) {
        self.init()
        condition = try Condition(for: Model.self, format: format, arguments: arguments, variables: variables)
    }

    /// The descriptor with a further condition as a format string.
    ///
    /// - Throws: ``FetchError``, as ``init(format:_:variables:)`` does.
    public func `where`(
        format: String, _ arguments: (any PredicateArgument)?..., variables: [String: any PredicateArgument] = [:]
    ) throws(FetchError) -> Self {
        let added = try Condition(for: Model.self, format: format, arguments: arguments, variables: variables)
        return self.where { _ in added }
    }
}

/// Makes a tree of a format string.
struct FormatCompiler {
    let format: String
    let entity: EntityDescription
    let arguments: [PredicateValue]
    let variables: [String: PredicateValue]

    func expression() throws(FetchError) -> SQLExpression {
        do {
            var predicate = try ParsedPredicate(parsing: format)
            try checkArgumentCount(predicate.argumentCount)
            var keyPaths: [Int: String] = [:]
            for (index, argument) in arguments.enumerated() {
                if case .value(.text(let text)) = argument.content { keyPaths[index] = text }
            }
            predicate = try predicate.replacingKeyPathArguments(keyPaths)
            let schema = DescriptionSchema(root: entity)
            let resolver = PredicateResolver(
                schema: schema, entity: entity.name, variables: variableTypes, lists: lists)
            let resolution = resolver.resolve(predicate)
            guard let root = resolution.root else {
                throw FetchError.invalidFormat(format, entity.name, resolution.errors)
            }
            let target = FormatTarget(schema: schema, arguments: arguments, variables: variables)
            let expression = try PredicateLowering(target).condition(root)
            try checkPatterns(expression)
            return expression
        } catch let error as FetchError {
            throw error
        } catch let error as PredicateFormatError {
            throw FetchError.invalidFormat(format, entity.name, [error])
        } catch {
            throw FetchError.invalidFormat(
                format, entity.name, [PredicateFormatError(.unsupported, at: 0..<0, "\(error)")])
        }
    }

    /// The positions of the arguments that are lists.
    private var lists: Set<Int> {
        Set(
            arguments.indices.filter {
                if case .collection = arguments[$0].type { true } else { false }
            })
    }

    private var variableTypes: [String: ResolvedType] {
        variables.compactMapValues { $0.type == .null || $0.type == .unknown ? nil : $0.type }
    }

    private func checkArgumentCount(_ count: Int) throws(PredicateFormatError) {
        if count == arguments.count { return }
        throw PredicateFormatError(
            .argumentCount, at: 0..<format.utf8.count,
            "there are \(count) placeholders, but \(arguments.count) arguments",
            hint: "a percent sign itself is written %%, or given as a part of an argument")
    }

    /// A wrong pattern is found now rather than by the fetch.
    private func checkPatterns(_ expression: SQLExpression) throws {
        switch expression {
        case .text(_, .matches, .value(.text(let pattern)), let options):
            _ = try RegularExpressions.expression(pattern, options)
        case .and(let terms), .or(let terms): for term in terms { try checkPatterns(term) }
        case .not(let term), .any(_, let term): try checkPatterns(term)
        default: break
        }
    }
}
