extension ModelChecker {
    /// A uniqueness constraint: all its properties must be columns.
    mutating func check(_ constraint: UniquenessConstraint, of entity: Entity, in scope: PropertyScope) {
        let title = "A uniqueness constraint of '\(entity.name)'"
        if constraint.propertyNames.isEmpty {
            report(
                .invalidConstraint, .warning, at: constraint.location, "\(title) names no property and is ignored",
                notes: ["Add a <constraint>, or remove it"],
                fixes: [.removing(constraint.location, "Remove the constraint")])
        }
        for name in constraint.propertyNames {
            let problem: String
            let declaration = scope.property(named: name)
            let property = property(named: name, in: scope)
            switch property {
            case nil: problem = "does not exist"
            case .attribute(let attribute) where attribute.isTransient: problem = "is transient"
            case .attribute(let attribute) where attribute.type == .composite:
                problem = "is a composite, where only the leaves can be unique"
            case .relationship(let relationship) where relationship.isToMany: problem = "leads to many objects"
            case .relationship(let relationship) where relationship.isTransient: problem = "is transient"
            case .relationship(let relationship):
                guard let owner = columnOwner(of: relationship, at: declaration?.entity) else { continue }
                problem = "is stored in a column of '\(owner)', the other side of the one-to-one relationship"
            case .fetchedProperty: problem = "is a fetched property"
            case .attribute: continue
            }
            let proposal = property == nil ? proposal(for: name, among: .properties(scope)) : nil
            report(
                .invalidConstraint, at: constraint.location, "\(title) names '\(name)', which \(problem)",
                notes: [proposal?.note, "Name a stored attribute or a to-one relationship"],
                fixes: [
                    proposal?.replacement(in: constraint.location),
                    .removing(constraint.location, "Remove the constraint"),
                ])
        }
    }

    /// No constraint may be there twice, or follow from another.
    mutating func checkRedundantConstraints(of entity: Entity) {
        let constraints = entity.uniquenessConstraints
        // Comparing each with each takes time that grows with the square of their number.
        guard constraints.count > 1, constraints.count <= 50 else { return }
        let sets = constraints.map { Set($0.propertyNames) }
        for (index, constraint) in constraints.enumerated() where !sets[index].isEmpty {
            let stronger = sets.indices.first { other in
                other != index && !sets[other].isEmpty && sets[other].isSubset(of: sets[index])
                    && (sets[other] != sets[index] || other < index)
            }
            guard let stronger else { continue }
            let names = constraints[stronger].propertyNames.map { "'\($0)'" }.joined(separator: ", ")
            report(
                .redundantConstraint, at: constraint.location,
                "A uniqueness constraint of '\(entity.name)' follows from the one over \(names)",
                notes: [
                    "It costs an index and forbids nothing more; the other is at \(constraints[stronger].location)"
                ],
                fixes: [.removing(constraint.location, "Remove the constraint")])
        }
    }

    /// Core Data resolves a conflict of unique objects by deleting one of them, and must be able to update the objects
    /// that refer to it.
    mutating func checkMandatoryDestinations() {
        let constrained = Set(model.entities.filter { !$0.uniquenessConstraints.isEmpty }.map(\.name))
        if constrained.isEmpty { return }
        for entity in model.entities {
            for relationship in entity.relationships
            where !relationship.isToMany && !relationship.isOptional && !relationship.isTransient
                && relationship.inverseName != nil
            {
                // Apple's compiler ignores the constraints that the destination inherits.
                guard constrained.contains(relationship.destinationName) else { continue }
                report(
                    .constraintOnMandatoryDestination, at: relationship.location,
                    "Relationship '\(entity.name).\(relationship.name)' is required, "
                        + "and leads to '\(relationship.destinationName)', which has a uniqueness constraint",
                    notes: ["Apple's compiler refuses it: of two equal objects one goes, and this one would lack it"],
                    fixes: [
                        .setting("optional", to: "YES", of: relationship.location, "Make the relationship optional")
                    ])
            }
        }
    }

    /// The entity that has the column of a one-to-one relationship; nil when it is the one that declares it.
    func columnOwner(of relationship: Relationship, at owner: Int?) -> String? {
        guard let owner, let inverseName = relationship.inverseName else { return nil }
        var current = tree.indexes[relationship.inverseEntityName ?? relationship.destinationName]
        while let index = current {
            let entity = model.entities[index]
            if let inverse = entity.relationships.first(where: { $0.name == inverseName }) {
                let isPair = !inverse.isToMany && !inverse.isTransient && inverse.inverseName == relationship.name
                let name = model.entities[owner].name
                guard isPair, !relationship.holdsColumn(of: name, against: inverse, of: entity.name) else { return nil }
                return entity.name
            }
            current = tree.parents[index]
        }
        return nil
    }
}
