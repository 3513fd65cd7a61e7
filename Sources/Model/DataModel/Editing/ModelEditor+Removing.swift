extension ModelEditor {
    func remove(_ item: ModelItem) throws(ModelEditError) -> [Diagnostic.Change] {
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

    func change(
        _ item: ModelItem, _ attribute: String, to value: String?
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let place = try location(of: item)
        switch attribute {
        case "name", "value": throw .notPossible("Rename \(item) to change its name.")
        case "inverseName", "inverseEntity": throw .notPossible("Set the inverse of \(item), which has two sides.")
        case "destinationEntity":
            guard case .property(let name, let owner) = item, let value else {
                throw .notPossible("\(item) needs a destination.")
            }
            let relationship = try relationship(name, of: entity(owner))
            _ = try entity(value)
            if relationship.inverseName != nil {
                throw .notPossible("\(item) has an inverse. Remove the inverse before the destination changes.")
            }
        case "parentEntity", "entity":
            if let value { _ = try entity(value) }
        default: break
        }
        return [Diagnostic.Change(place, value.map { .setAttribute(attribute, to: $0) } ?? .removeAttribute(attribute))]
    }

    func setInverse(
        _ name: String, of owner: String, to inverse: ModelEdit.RelationshipName?
    ) throws(ModelEditError) -> [Diagnostic.Change] {
        let entity = try entity(owner)
        let relationship = try relationship(name, of: entity)
        guard let inverse else { return leavingInverse(of: relationship) + removingInverse(of: relationship) }
        let other = try self.entity(inverse.entity)
        let partner = try self.relationship(inverse.name, of: other)
        guard let destination = graph.entity(named: relationship.destinationName),
            graph.isEntity(other, kindOf: destination) || graph.isEntity(destination, kindOf: other),
            let back = graph.entity(named: partner.destinationName),
            graph.isEntity(entity, kindOf: back) || graph.isEntity(back, kindOf: entity)
        else {
            throw .notPossible("'\(owner).\(name)' and '\(inverse.entity).\(inverse.name)' do not lead to each other.")
        }
        let own = ModelEdit.RelationshipName(entity: entity.name, name: name)
        var changes = self.inverse(of: relationship, inverse)
        if partner.location != relationship.location { changes += self.inverse(of: partner, own) }
        let kept = [relationship.location, partner.location]
        return (leavingInverse(of: relationship) + leavingInverse(of: partner)).filter { !kept.contains($0.element) }
            + changes
    }

    /// Leaves the inverse of a relationship without one.
    private func leavingInverse(of relationship: Relationship) -> [Diagnostic.Change] {
        guard let inverse = graph.inverse(of: relationship)?.relationship, inverse.location != relationship.location,
            inverse.inverseName == relationship.name
        else { return [] }
        return removingInverse(of: inverse)
    }

    private func removingInverse(of relationship: Relationship) -> [Diagnostic.Change] {
        [
            Diagnostic.Change(relationship.location, .removeAttribute("inverseName")),
            Diagnostic.Change(relationship.location, .removeAttribute("inverseEntity")),
        ]
    }
}
