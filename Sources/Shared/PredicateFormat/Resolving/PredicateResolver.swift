/// Finds the properties that a predicate names, checks the types, and infers those of variables and arguments.
public struct PredicateResolver {
    /// The description of the entities.
    public var schema: any PredicateSchema
    /// The entity whose objects the predicate evaluates.
    public var entity: String
    /// The variables whose types are known beforehand, such as `FETCH_SOURCE` in a fetched property.
    public var variables: [String: ResolvedType]
    /// The positions of the arguments that are lists of values, for `%@ CONTAINS name`.
    public var lists: Set<Int>

    /// Makes a resolver for predicates about the objects of an entity.
    public init(
        schema: any PredicateSchema, entity: String, variables: [String: ResolvedType] = [:], lists: Set<Int> = []
    ) {
        self.schema = schema
        self.entity = entity
        self.variables = variables
        self.lists = lists
    }

    /// Resolves a predicate, reporting every comparison that is wrong.
    public func resolve(_ predicate: ParsedPredicate) -> Resolution<ResolvedPredicate> {
        resolve { pass in pass.predicate(predicate) }
    }

    /// Resolves an expression, such as an element of an index or a column of a result.
    public func resolve(_ expression: ParsedExpression) -> Resolution<ResolvedExpression> {
        resolve { pass in pass.reporting { pass throws(PredicateFormatError) in try pass.expression(expression) } }
    }

    /// Resolves the expression of a derived attribute, which must be of one of the few forms that can be maintained.
    public func resolveDerivation(_ expression: ParsedExpression) -> Resolution<ResolvedExpression> {
        resolve { pass in
            pass.reporting { pass throws(PredicateFormatError) in try pass.derivation(expression) }
        }
    }

    /// The number of passes over the tree. One use of a variable can determine another before it, so passes repeat
    /// until nothing new is found. A chain of compared variables could need many passes, which malicious text must not
    /// cause.
    private static let passLimit = 4

    private func resolve<Root>(_ body: (inout ResolutionPass) -> Root?) -> Resolution<Root> {
        var pass = ResolutionPass(resolver: self, known: [:])
        var root = body(&pass)
        for _ in 1..<Self.passLimit where pass.inferred != pass.known {
            pass = ResolutionPass(resolver: self, known: pass.inferred)
            root = body(&pass)
        }
        for (name, range) in pass.uses where pass.inferred[name] == nil && variables[name] == nil {
            pass.report(
                PredicateFormatError(
                    .unknownVariable, at: range, "the type of '$\(name.shortened)' is unknown",
                    hint: "compare it with a property once"))
        }
        let errors = pass.errors.sorted { $0.range.lowerBound < $1.range.lowerBound }
        return Resolution(
            root: errors.isEmpty ? root : nil, errors: errors,
            variables: variables.merging(pass.inferred) { known, _ in known }, variableNames: pass.uses.map(\.name),
            arguments: pass.arguments, names: pass.names)
    }
}

/// One walk over a tree.
struct ResolutionPass {
    let schema: any PredicateSchema
    let entity: String
    let declared: [String: ResolvedType]
    let lists: Set<Int>
    /// The types of variables that the previous pass determined.
    let known: [String: ResolvedType]
    /// The types of variables that this pass determines.
    var inferred: [String: ResolvedType] = [:]
    var arguments: [Int: ResolvedType] = [:]
    /// The properties and entities that the text names.
    var names: [ResolvedName] = []
    /// The variables in the order of their first uses.
    private(set) var uses: [(name: String, range: Range<Int>)] = []
    private var used: Set<String> = []
    /// The variables of the subqueries around the place, the innermost last.
    var scopes: [(name: String, type: ResolvedType)] = []
    private(set) var errors: [PredicateFormatError] = []

    init(resolver: PredicateResolver, known: [String: ResolvedType]) {
        schema = resolver.schema
        entity = resolver.entity
        declared = resolver.variables
        lists = resolver.lists
        self.known = known
    }

    // MARK: Errors

    mutating func report(_ error: PredicateFormatError) {
        if errors.count < PredicateFormatLimits.errorCount { errors.append(error) }
    }

    mutating func reporting<Result>(
        _ body: (inout ResolutionPass) throws(PredicateFormatError) -> Result
    ) -> Result? {
        do throws(PredicateFormatError) {
            return try body(&self)
        } catch {
            report(error)
            return nil
        }
    }

    // MARK: Predicates

    /// Resolves a predicate; nil after an error, so that its neighbours are checked too.
    mutating func predicate(_ predicate: ParsedPredicate) -> ResolvedPredicate? {
        let kind: ResolvedPredicate.Kind?
        switch predicate.kind {
        case .value(let value): kind = .value(value)
        case .not(let operand): kind = self.predicate(operand).map { .not($0) }
        case .and(let operands): kind = predicates(operands).map { .and($0) }
        case .or(let operands): kind = predicates(operands).map { .or($0) }
        case .comparison(let comparison):
            kind = reporting { pass throws(PredicateFormatError) in .comparison(try pass.comparison(comparison)) }
        }
        return kind.map { ResolvedPredicate(kind: $0, range: predicate.range) }
    }

    private mutating func comparison(
        _ parsed: ParsedPredicate.Comparison
    ) throws(PredicateFormatError) -> ResolvedPredicate.Comparison {
        let left = try expression(parsed.left)
        let right = try expression(parsed.right)
        noteEntityNames(left, right)
        noteEntityNames(right, left)
        var resolver = ComparisonResolver(parsed, left: left, right: right)
        return try resolver.resolve(in: &self)
    }

    private mutating func predicates(_ predicates: [ParsedPredicate]) -> [ResolvedPredicate]? {
        var resolved: [ResolvedPredicate] = []
        for predicate in predicates where errors.count < PredicateFormatLimits.errorCount {
            if let one = self.predicate(predicate) { resolved.append(one) }
        }
        return resolved.count == predicates.count ? resolved : nil
    }

    /// Resolves a predicate within an expression. An error in it makes the expression invalid.
    mutating func requiredPredicate(_ predicate: ParsedPredicate) throws(PredicateFormatError) -> ResolvedPredicate {
        if let resolved = self.predicate(predicate) { return resolved }
        throw errors.popLast()
            ?? PredicateFormatError(.syntax, at: predicate.range, "the predicate has errors")
    }

    // MARK: Variables

    mutating func variable(_ name: String, _ range: Range<Int>) -> ResolvedExpression {
        if let scope = scopes.last(where: { $0.name == name }) {
            let path = ResolvedPath(root: .subqueryVariable(name), steps: [], type: scope.type)
            return ResolvedExpression(kind: .path(path), type: scope.type, range: range)
        }
        if used.insert(name).inserted { uses.append((name, range)) }
        return ResolvedExpression(kind: .variable(name), type: declared[name] ?? .unknown, range: range)
    }

    /// Returns the known type of an expression whose place does not determine it.
    func knownType(of expression: ResolvedExpression) -> ResolvedType {
        guard expression.type == .unknown, case .variable(let name) = expression.kind else { return expression.type }
        return inferred[name] ?? known[name] ?? .unknown
    }

    /// Gives variables and arguments of unknown type the type that their place requires.
    mutating func adopt(
        _ type: ResolvedType, _ expression: ResolvedExpression
    ) throws(PredicateFormatError) -> ResolvedExpression {
        guard type != .unknown, type != .null else { return expression }
        var result = expression
        switch expression.kind {
        case .variable(let name) where expression.type == .unknown:
            try infer(type, name, expression.range)
            result.type = type
        case .argument(let argument) where expression.type == .unknown:
            arguments[argument.index] = arguments[argument.index].flatMap { merged($0, type) } ?? type
            result.type = type
        case .aggregate(let elements):
            guard case .collection(let element) = type else { return expression }
            var adopted: [ResolvedExpression] = []
            for one in elements { adopted.append(try adopt(element, one)) }
            result.kind = .aggregate(adopted)
            if expression.type == .collection(of: .unknown) { result.type = type }
        case .negation(let operand) where expression.type == .unknown:
            result.kind = .negation(try adopt(type, operand))
            result.type = type
        case .arithmetic(let join, let left, let right) where expression.type == .unknown:
            result.kind = .arithmetic(join, try adopt(type, left), try adopt(type, right))
            result.type = type
        case .conditional(let condition, let first, let second) where expression.type == .unknown:
            result.kind = .conditional(condition, try adopt(type, first), try adopt(type, second))
            result.type = type
        case .function(let function, let operands) where expression.type == .unknown:
            var adopted: [ResolvedExpression] = []
            for operand in operands { adopted.append(try adopt(type, operand)) }
            result.kind = .function(function, arguments: adopted)
            result.type = type
        default: break
        }
        return result
    }

    private mutating func infer(_ type: ResolvedType, _ name: String, _ range: Range<Int>) throws(PredicateFormatError)
    {
        guard let before = inferred[name] else {
            inferred[name] = type
            return
        }
        guard let both = merged(before, type) else {
            throw PredicateFormatError(
                .conflictingVariable, at: range,
                "'$\(name.shortened)' stands for \(type.phrase) here, but for \(before.phrase) before",
                hint: "use two variables")
        }
        inferred[name] = both
    }
}
