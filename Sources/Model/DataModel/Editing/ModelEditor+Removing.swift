extension ModelEditor {
    func remove(_ item: ModelItem) throws(ModelEditError) -> [Diagnostic.Change] {
        if item == .model { throw .notPossible("A model cannot be removed. Delete its bundle.") }
        var removal = ModelRemoval(self)
        try removal.add(item)
        return try removal.changes()
    }

    func move(
        _ name: String, of owner: String, to destination: String
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let entity = try entity(owner)
        let target = try self.entity(destination)
        let property = try property(name, of: entity)
        if entity.name == target.name { return [] }
        let isUpwards = graph.isEntity(entity, kindOf: target)
        let families = graph.ancestors(of: target) + graph.hierarchy(of: target)
        let taken = families.first { other in
            other.name != entity.name
                && other.properties.contains { SQLiteName.folded($0.name) == SQLiteName.folded(name) }
        }
        if let taken { throw .exists("property \(ModelItem.property(name, of: taken.name))") }
        var removal = ModelRemoval(self, movingTo: target)
        // Everything that had the property still has it if it moves up.
        if !isUpwards { try removal.addReferences(to: .property(name, of: owner)) }
        // The entities of a hierarchy share a table, in which the values stay.
        if graph.root(of: entity).name != graph.root(of: target).name { try removal.noteLoss(of: name, in: entity) }
        var changes = try removal.changes()
        if case .relationship(let relationship) = property, let inverse = graph.inverse(of: relationship)?.relationship
        {
            if inverse.location == relationship.location {
                throw .notPossible("'\(owner).\(name)' is its own inverse and cannot move. Remove the inverse first.")
            }
            changes += ["destinationEntity", "inverseEntity"].map { attribute in
                Diagnostic.Change(inverse.location, .setAttribute(attribute, to: target.name))
            }
        }
        changes.append(Diagnostic.Change(property.location, .move(to: target.location)))
        return changes
    }
}
