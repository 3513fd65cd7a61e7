extension ModelChecker {
    /// A uniqueness constraint: all its properties must be columns.
    mutating func check(_ constraint: UniquenessConstraint, of entity: Entity, in scope: PropertyScope) {
        let title = "A uniqueness constraint of '\(entity.name)'"
        if constraint.propertyNames.isEmpty {
            report(
                .invalidConstraint, .warning, at: constraint.location, "\(title) names no property and is ignored",
                notes: ["Add a <constraint>, or remove it"])
        }
        for name in constraint.propertyNames {
            let problem: String
            switch property(named: name, in: scope) {
            case nil: problem = "does not exist"
            case .attribute(let attribute) where attribute.isTransient: problem = "is transient"
            case .attribute(let attribute) where attribute.type == .composite:
                problem = "is a composite, whose leaves are what can be unique"
            case .relationship(let relationship) where relationship.isToMany: problem = "leads to many objects"
            case .relationship(let relationship) where relationship.isTransient: problem = "is transient"
            case .fetchedProperty: problem = "is a fetched property"
            case .attribute, .relationship: continue
            }
            report(
                .invalidConstraint, at: constraint.location, "\(title) names '\(name)', which \(problem)",
                notes: [
                    suggestion(for: name, among: .properties(scope)),
                    "Name a stored attribute or a to-one relationship",
                ])
        }
    }
}
