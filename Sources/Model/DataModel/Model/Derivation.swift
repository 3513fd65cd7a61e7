public import PredicateFormat

/// The computation of a derived attribute's value.
public struct Derivation: Sendable, Hashable {
    /// The operation on the destination of the path.
    public enum Operation: Sendable, Hashable {
        /// The value as it is.
        case copy
        /// The string in another form.
        case fold(Folding)
        /// The number of objects.
        case count
        /// The sum of numbers; 0 if there are none.
        case sum
        /// The time of the object's last change.
        case now
    }

    /// The forms of strings, by the names of their functions.
    public enum Folding: String, Sendable, Hashable, CaseIterable {
        case canonical, uppercase, lowercase
    }

    /// A relationship on the way, by the entity whose objects have it, which may inherit it.
    public struct Step: Sendable, Hashable {
        public var entityName: String
        public var relationship: Relationship
    }

    public var operation: Operation
    /// The relationships to follow from the object; none if the value comes from its own row.
    public var steps: [Step]
    /// The attribute at the end, or the leaf of a composite; nil for a count and for the time.
    public var source: Attribute?
    /// The entity whose objects have the attribute at the end, which may inherit it.
    public var sourceEntityName: String

    /// Whether it can be that there is no value.
    public var isOptional: Bool {
        switch operation {
        case .count, .sum, .now: false
        case .copy, .fold: source?.isOptional != false || steps.contains { $0.relationship.isOptional }
        }
    }
}

extension ModelGraph {
    /// Reads and resolves the expression of a derived attribute.
    public func derivation(
        _ expression: String, of entity: Entity
    ) throws(PredicateFormatError) -> Derivation {
        let parsed = try ParsedExpression(parsing: expression, allowsArguments: false)
        let resolution = PredicateResolver(schema: self, entity: entity.name).resolveDerivation(parsed)
        if let error = resolution.errors.first { throw error }
        guard let root = resolution.root, let derivation = derivation(root, of: entity) else {
            throw PredicateFormatError(
                .invalidDerivation, at: parsed.range, "an attribute cannot be derived by this expression")
        }
        return derivation
    }

    private func derivation(_ expression: ResolvedExpression, of entity: Entity) -> Derivation? {
        switch expression.kind {
        case .path(let path): return derivation(.copy, path)
        case .function(.now, _):
            return Derivation(operation: .now, steps: [], source: nil, sourceEntityName: entity.name)
        case .function(let function, let arguments):
            let name = String(function.rawValue.dropLast())
            guard let folding = Derivation.Folding(rawValue: name), case .path(let path) = arguments.first?.kind else {
                return nil
            }
            return derivation(.fold(folding), path)
        case .collectionOperator(.count, let path): return derivation(.count, path)
        case .collectionOperator(.sum, let path): return derivation(.sum, path)
        default: return nil
        }
    }

    private func derivation(_ operation: Derivation.Operation, _ path: ResolvedPath) -> Derivation? {
        var result = Derivation(operation: operation, steps: [], source: nil, sourceEntityName: "")
        var attributes: [Attribute] = []
        for step in path.steps {
            switch step.owner {
            case .entity(let name):
                guard let owner = entity(named: name) else { return nil }
                if let relationship = relationship(named: step.name, of: owner) {
                    result.steps.append(Derivation.Step(entityName: name, relationship: relationship))
                } else if let attribute = attribute(named: step.name, of: owner) {
                    attributes.append(attribute)
                    result.sourceEntityName = name
                }
            case .composite(let name):
                guard let leaf = composite(named: name)?.attributes.first(where: { $0.name == step.name }) else {
                    return nil
                }
                attributes.append(leaf)
            }
        }
        if !attributes.isEmpty { result.source = AttributeLeaf(path: attributes).stored }
        let needsSource = operation != .count
        return needsSource == (result.source != nil) ? result : nil
    }
}
