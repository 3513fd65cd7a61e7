@_spi(Generated) public import Ashlar
import PredicateFormat

extension Condition {
    /// Creates a condition from a format string in the language of Core Data's `NSPredicate`.
    ///
    ///     let condition = try Condition(
    ///         for: Post.self, format: "likes > %d AND author.name BEGINSWITH[cd] %@", 10, "A")
    ///
    /// Values never become part of the text: `%@`, `%d` and `%f` stand for arguments, `%K` for a key path, and `$name`
    /// for a variable. The condition uses indexes in the same way as one made with operators.
    ///
    /// The condition is about the object of the closure that uses it, for example a related object: `Author.where {
    /// $0.posts.contains { _ in isPopular } }`.
    ///
    /// - Parameters:
    ///   - model: The class of the entity.
    ///   - format: The text of the condition.
    ///   - arguments: The values of the placeholders.
    ///   - variables: The values of the variables by their names.
    /// - Throws: ``FetchError/invalidFormat(_:entity:problems:)`` if the text is invalid, names an unknown property, or
    ///   does not fit its arguments.
    public init<Model: PersistentModel>(
        for model: Model.Type, format: String, _ arguments: (any PredicateArgument)?...,
        variables: [String: any PredicateArgument] = [:]
    ) throws(FetchError) {
        try self.init(for: model, format: format, arguments: arguments, variables: variables)
    }

    /// Creates a condition from a format string and an array of arguments.
    ///
    ///     let condition = try Condition(for: Post.self, format: "likes > %d", arguments: [10])
    ///
    /// - Parameters:
    ///   - model: The class of the entity.
    ///   - format: The text of the condition.
    ///   - arguments: The values of the placeholders.
    ///   - variables: The values of the variables by their names.
    /// - Throws: ``FetchError/invalidFormat(_:entity:problems:)`` if the text is invalid or does not fit its arguments.
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
    /// Creates a descriptor with a condition in the language of Core Data's `NSPredicate`.
    ///
    ///     let descriptor = try FetchDescriptor<Post>(format: "likes > %d AND author.name BEGINSWITH[cd] %@", 10, "A")
    ///
    /// - Parameters:
    ///   - format: The text of the condition.
    ///   - arguments: The values of the placeholders.
    ///   - variables: The values of the variables by their names.
    /// - Throws: ``FetchError/invalidFormat(_:entity:problems:)`` if the text is invalid or does not fit its arguments.
    public init(
        format: String, _ arguments: (any PredicateArgument)?..., variables: [String: any PredicateArgument] = [:]
    ) throws(FetchError) {
        self.init()
        condition = try Condition(for: Model.self, format: format, arguments: arguments, variables: variables)
    }

    /// Returns the descriptor with a further condition as a format string.
    ///
    ///     let drafts = try Post.where { $0.isDraft }.where(format: "likes > %d", 10)
    ///
    /// - Parameters:
    ///   - format: The text of the condition.
    ///   - arguments: The values of the placeholders.
    ///   - variables: The values of the variables by their names.
    /// - Throws: ``FetchError/invalidFormat(_:entity:problems:)`` if the text is invalid or does not fit its arguments.
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
            try expression.checkPatterns()
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
}
