extension ModelChecker {
    /// Every parent must exist, and no entity may be its own ancestor.
    mutating func checkParents() {
        for entity in model.entities {
            guard let parent = entity.parentName, tree.indexes[parent] == nil else { continue }
            let proposal = proposal(for: parent, among: .entities)
            report(
                .unknownParent, at: entity.location,
                "Entity '\(entity.name)' has the parent '\(parent)', which is not in the model",
                notes: [proposal?.note, "Add the entity, or choose another parent"],
                fixes: [
                    proposal?.fix("parentEntity", of: entity.location),
                    .removing("parentEntity", of: entity.location, "Remove the parent"),
                ], attribute: "parentEntity")
        }
        checkDepth()
        for cycle in tree.cycles {
            let names = cycle.map { model.entities[$0].name }
            let entity = model.entities[cycle[0]]
            // A very long cycle is not read to its end.
            let shown = names.prefix(10) + (names.count > 10 ? ["…"] : []) + [entity.name]
            report(
                .inheritanceCycle, at: entity.location, "Entity '\(entity.name)' is its own ancestor",
                notes: ["The parents go round: \(shown.joined(separator: " → "))", "Remove one of these parents"],
                fixes: [
                    .removing("parentEntity", of: entity.location, "Remove the parent of '\(entity.name)'")
                ], attribute: "parentEntity")
        }
    }

    /// Of a branch that is too deep, only the first entity is reported.
    private mutating func checkDepth() {
        var depth = 0
        for step in tree.steps {
            guard case .enter(let index) = step else {
                depth -= 1
                continue
            }
            depth += 1
            guard depth == ModelLimits.inheritanceDepth + 1 else { continue }
            let entity = model.entities[index]
            report(
                .exceedsLimit, at: entity.location,
                "Entity '\(entity.name)' has \(ModelLimits.inheritanceDepth) entities above it",
                notes: ["At most \(ModelLimits.inheritanceDepth) entities may inherit from each other in a line"],
                attribute: "parentEntity")
        }
    }
}
