import DataModel
import RandomNumbers

extension RandomModel {
    /// The next version, after some changes that can all be inferred.
    ///
    /// - Parameter limit: after how many changes to stop, which finds those that a failure needs.
    func changed(_ generator: inout SeededGenerator, limit: Int = .max) -> RandomModel {
        var next = self
        next.forget()
        for _ in 0..<min(generator.number(1..<7), limit) {
            next.change(&generator)
            next.repairDerivedAttributes()
        }
        return next
    }

    private mutating func change(_ generator: inout SeededGenerator) {
        let index = generator.number(0..<entities.count)
        switch generator.number(0..<25) {
        case 0: addEntity(&generator)
        case 1: if entities.count > 2 { removeEntity(index) }
        case 2: renameEntity(index)
        case 3, 4: move(index, &generator)
        case 5: addAttribute(to: index, &generator)
        case 6: removeAttribute(of: index, &generator)
        case 7: renameAttribute(of: index, &generator)
        case 8: changeAttribute(of: index, &generator)
        case 9: addRelationship(&generator)
        case 10: removeRelationship(of: index, &generator)
        case 11: renameRelationship(of: index, &generator)
        case 12: changeRelationship(of: index, &generator)
        case 13, 14, 15: changeComposite(&generator)
        case 16: addDerivedAttribute(to: index, &generator)
        case 17: changeDerivation(of: index, &generator)
        case 18, 19: changeType(of: index, &generator)
        case 20: pullUp(from: index, &generator)
        case 21: pushDown(from: index, &generator)
        case 22: mergeParents(index, &generator)
        case 23: addAttributeForOldObjects(to: index, &generator)
        default:
            if generator.chance(0.5) { addIndex(&generator) } else { _ = entities[index].indexes.popLast() }
        }
    }

    /// Removes an entity without children, with everything that refers to it.
    mutating func removeEntity(_ index: Int) {
        let name = entities[index].name
        guard !entities.contains(where: { $0.parentName == name }) else { return }
        entities.remove(at: index)
        oldEntityNames[name] = nil
        for index in entities.indices { entities[index].relationships.removeAll { $0.destinationName == name } }
        for index in entities.indices {
            for position in entities[index].relationships.indices
            where entities[index].relationships[position].inverseEntityName == name {
                entities[index].relationships[position].inverseName = nil
                entities[index].relationships[position].inverseEntityName = nil
            }
        }
    }

    private mutating func renameEntity(_ index: Int) {
        let old = entities[index].name
        let name = fresh("Entity")
        entities[index].name = name
        if let original = oldEntityNames.removeValue(forKey: old) {
            oldEntityNames[name] = original
            entities[index].renamingIdentifier = identifier(entities[index].renamingIdentifier, after: original)
        }
        for origin in oldPropertyNames.keys where origin.entityName == old {
            oldPropertyNames[Origin(entityName: name, name: origin.name)] = oldPropertyNames.removeValue(forKey: origin)
        }
        for index in entities.indices {
            if entities[index].parentName == old { entities[index].parentName = name }
            for position in entities[index].relationships.indices {
                if entities[index].relationships[position].destinationName == old {
                    entities[index].relationships[position].destinationName = name
                }
                if entities[index].relationships[position].inverseEntityName == old {
                    entities[index].relationships[position].inverseEntityName = name
                }
            }
        }
    }

    /// Gives an entity another parent, or none.
    private mutating func move(_ index: Int, _ generator: inout SeededGenerator) {
        let graph = ModelGraph(Model(name: "", entities: entities))
        let below = Set(graph.hierarchy(of: entities[index]).map(\.name))
        let before = Set(graph.attributes(of: entities[index]).map(\.name))
        let parent = entities.filter { !below.contains($0.name) }.randomElement(using: &generator)
        if let parent, generator.chance(0.7) {
            entities[index].parentName = parent.name
            entities[index].attributes.removeAll { $0.name == RandomModel.markName }
        } else if entities[index].parentName != nil {
            entities[index].parentName = nil
            entities[index].attributes.append(Self.mark)
        }
        // An index on a property that is not inherited any more is removed.
        let after = ModelGraph(Model(name: "", entities: entities))
        for position in entities.indices where below.contains(entities[position].name) {
            let names = Set(after.attributes(of: entities[position]).map(\.name))
            if names.isSuperset(of: before) { continue }
            entities[position].indexes.removeAll { $0.elements.contains { !names.contains(Self.first(of: $0)) } }
        }
    }

    func ordinaryAttribute(of index: Int, _ generator: inout SeededGenerator) -> Int? {
        entities[index].attributes.indices.filter { entities[index].attributes[$0].name != RandomModel.markName }
            .randomElement(using: &generator)
    }

    mutating func forgetIndexes(on name: String) {
        for index in entities.indices {
            entities[index].indexes.removeAll { $0.elements.contains { Self.first(of: $0) == name } }
        }
    }

    /// The attribute of an index's element; for a leaf of a composite, its attribute.
    private static func first(of element: FetchIndex.Element) -> String {
        String((element.propertyName ?? "").prefix { $0 != "." })
    }

    private mutating func removeAttribute(of index: Int, _ generator: inout SeededGenerator) {
        guard let position = ordinaryAttribute(of: index, &generator) else { return }
        removeAttribute(at: position, of: index)
    }

    mutating func removeAttribute(at position: Int, of index: Int) {
        let name = entities[index].attributes.remove(at: position).name
        oldPropertyNames[Origin(entityName: entities[index].name, name: name)] = nil
        forgetIndexes(on: name)
    }

    private mutating func renameAttribute(of index: Int, _ generator: inout SeededGenerator) {
        guard let position = ordinaryAttribute(of: index, &generator) else { return }
        let old = entities[index].attributes[position].name
        let name = fresh("attribute")
        entities[index].attributes[position].name = name
        entities[index].attributes[position].renamingIdentifier = identifier(
            entities[index].attributes[position].renamingIdentifier, after: rename(old, to: name, of: index))
        for index in entities.indices {
            for position in entities[index].indexes.indices
            where Self.first(of: entities[index].indexes[position].elements[0]) == old {
                let path = entities[index].indexes[position].elements[0].propertyName ?? ""
                entities[index].indexes[position].elements[0].propertyName = name + path.dropFirst(old.count)
            }
        }
    }

    /// Records a new name; returns the renaming identifier.
    private mutating func rename(_ old: String, to name: String, of index: Int) -> String? {
        let entityName = entities[index].name
        guard let origin = oldPropertyNames.removeValue(forKey: Origin(entityName: entityName, name: old)) else {
            return nil
        }
        oldPropertyNames[Origin(entityName: entityName, name: name)] = origin
        return origin.name
    }

    private mutating func changeAttribute(of index: Int, _ generator: inout SeededGenerator) {
        guard let position = ordinaryAttribute(of: index, &generator) else { return }
        if entities[index].attributes[position].isDerived { return }
        entities[index].attributes[position] = Self.changed(entities[index].attributes[position], &generator)
    }

    private func inversePosition(_ relationship: Relationship) -> (entity: Int, relationship: Int)? {
        guard let entity = entities.firstIndex(where: { $0.name == relationship.inverseEntityName }),
            let position = entities[entity].relationships.firstIndex(where: { $0.name == relationship.inverseName })
        else { return nil }
        return (entity, position)
    }

    private mutating func removeRelationship(of index: Int, _ generator: inout SeededGenerator) {
        guard let relationship = entities[index].relationships.randomElement(using: &generator) else { return }
        if let inverse = inversePosition(relationship) {
            let removed = entities[inverse.entity].relationships.remove(at: inverse.relationship)
            oldPropertyNames[Origin(entityName: entities[inverse.entity].name, name: removed.name)] = nil
        }
        entities[index].relationships.removeAll { $0.name == relationship.name }
        oldPropertyNames[Origin(entityName: entities[index].name, name: relationship.name)] = nil
    }

    private mutating func renameRelationship(of index: Int, _ generator: inout SeededGenerator) {
        guard let position = entities[index].relationships.indices.randomElement(using: &generator) else { return }
        let relationship = entities[index].relationships[position]
        let name = fresh("link")
        if let inverse = inversePosition(relationship) {
            entities[inverse.entity].relationships[inverse.relationship].inverseName = name
        }
        entities[index].relationships[position].name = name
        entities[index].relationships[position].renamingIdentifier = identifier(
            entities[index].relationships[position].renamingIdentifier,
            after: rename(relationship.name, to: name, of: index))
    }

    private mutating func changeRelationship(of index: Int, _ generator: inout SeededGenerator) {
        guard let position = entities[index].relationships.indices.randomElement(using: &generator) else { return }
        if entities[index].relationships[position].isToMany {
            entities[index].relationships[position].isOrdered.toggle()
        } else {
            entities[index].relationships[position].isToMany = true
        }
        if generator.chance(0.3) {
            entities[index].relationships[position].deletionRule = generator.chance(0.5) ? .cascade : .nullify
        }
    }
}
