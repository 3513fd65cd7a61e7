import DataModel
import RandomNumbers
import RandomSeeds

/// Makes random models, and the next changes of their authors.
struct RandomHistory {
    private var generator: SeededGenerator
    private var count = 0
    private(set) var model = Model(name: "First")

    init(seed: Seed) {
        generator = SeededGenerator(seed: seed)
        for _ in 0..<generator.number(2..<10) { addEntity() }
        for _ in 0..<generator.number(0..<10) { addRelationship() }
    }

    /// Makes the next version.
    mutating func edit() {
        for _ in 0..<generator.number(1..<4) {
            switch generator.number(0..<15) {
            case 13: model.composites.append(Composite(name: newName("C"), attributes: [newAttribute()]))
            case 14: editComposite()
            case 0: addEntity()
            case 1: removeEntity()
            case 2: renameEntity()
            case 3: addRelationship()
            case 4: removeRelationship()
            case 5: editRelationship()
            case 6: moveEntity()
            case 7: withEntity { $0.isAbstract.toggle() }
            case 8: addIndex()
            case 9: withEntity { if !$0.attributes.isEmpty { $0.attributes.removeLast() } }
            case 10: renameAttribute()
            default: addAttribute()
            }
        }
    }

    private mutating func newName(_ prefix: String) -> String {
        count += 1
        return "\(prefix)\(count)"
    }

    private mutating func withEntity(_ change: (inout Entity) -> Void) {
        guard let index = model.entities.indices.randomElement(using: &generator) else { return }
        change(&model.entities[index])
    }

    // MARK: Entities

    private mutating func addEntity() {
        var entity = Entity(name: newName("E"))
        if generator.chance(0.3) { entity.parentName = model.entities.randomElement(using: &generator)?.name }
        for _ in 0..<generator.number(0..<4) { entity.attributes.append(newAttribute()) }
        model.entities.append(entity)
        if generator.chance(0.5) { addRelationship(from: model.entities.count - 1) }
    }

    private mutating func removeEntity() {
        guard let index = model.entities.indices.randomElement(using: &generator) else { return }
        let removed = model.entities.remove(at: index)
        for index in model.entities.indices {
            if model.entities[index].parentName == removed.name {
                model.entities[index].parentName = removed.parentName
            }
            model.entities[index].relationships.removeAll {
                $0.destinationName == removed.name || $0.inverseEntityName == removed.name
            }
        }
    }

    private mutating func renameEntity() {
        let newName = newName("E")
        guard let position = model.entities.indices.randomElement(using: &generator) else { return }
        let oldName = model.entities[position].name
        if model.entities[position].renamingIdentifier == nil || generator.chance(0.5) {
            model.entities[position].renamingIdentifier = oldName
        }
        model.entities[position].name = newName
        for index in model.entities.indices {
            if model.entities[index].parentName == oldName { model.entities[index].parentName = newName }
            for number in model.entities[index].relationships.indices {
                if model.entities[index].relationships[number].destinationName == oldName {
                    model.entities[index].relationships[number].destinationName = newName
                }
                if model.entities[index].relationships[number].inverseEntityName == oldName {
                    model.entities[index].relationships[number].inverseEntityName = newName
                }
            }
        }
    }

    private mutating func moveEntity() {
        let parentName = generator.chance(0.5) ? model.entities.randomElement(using: &generator)?.name : nil
        withEntity { $0.parentName = parentName }
    }

    // MARK: Attributes and indexes

    private mutating func editComposite() {
        guard let index = model.composites.indices.randomElement(using: &generator) else { return }
        if let position = model.composites[index].attributes.indices.last, generator.chance(0.5) {
            model.composites[index].attributes[position].isOptional.toggle()
        } else {
            var attribute = newAttribute()
            // Any other composite would sooner or later contain itself.
            if attribute.type == .composite { attribute.compositeName = model.composites[0].name }
            if index > 0 || attribute.type != .composite { model.composites[index].attributes.append(attribute) }
        }
    }

    private mutating func newAttribute() -> Attribute {
        if generator.chance(0.15), let composite = model.composites.randomElement(using: &generator) {
            return Attribute(
                name: newName("a"), type: .composite, isOptional: generator.chance(0.6), compositeName: composite.name)
        }
        let types: [(AttributeType, String)] = [
            (.integer16, "3"), (.integer64, "4"), (.string, "text"), (.double, "0.5"), (.boolean, "YES"),
            (.decimal, "1.5"),
        ]
        let (type, value) = types.randomElement(using: &generator) ?? (.string, "")
        var attribute = Attribute(name: newName("a"), type: type, isOptional: generator.chance(0.6))
        if generator.chance(0.5) { attribute.defaultValueString = value }
        attribute.isIndexed = generator.chance(0.2)
        attribute.isTransient = generator.chance(0.1)
        return attribute
    }

    private mutating func addAttribute() {
        let attribute = newAttribute()
        withEntity { entity in
            if let index = entity.attributes.indices.last, attribute.isIndexed {
                entity.attributes[index].isOptional.toggle()
            } else {
                entity.attributes.append(attribute)
            }
        }
    }

    private mutating func renameAttribute() {
        let name = newName("a")
        withEntity { entity in
            guard let index = entity.attributes.indices.last else { return }
            entity.indexes = []
            entity.uniquenessConstraints = []
            entity.attributes[index].renamingIdentifier = entity.attributes[index].name
            entity.attributes[index].name = name
        }
    }

    private mutating func addIndex() {
        let name = newName("i")
        let isUnique = generator.chance(0.5)
        withEntity { entity in
            guard let attribute = entity.attributes.first else { return }
            if isUnique {
                entity.uniquenessConstraints.append(UniquenessConstraint([attribute.name]))
            } else {
                entity.indexes.append(FetchIndex(name: name, elements: [.init(propertyName: attribute.name)]))
            }
        }
    }

    // MARK: Relationships

    private mutating func newRelationship(_ name: String, to destination: String) -> Relationship {
        var relationship = Relationship(name: name, destinationName: destination)
        relationship.isToMany = generator.chance(0.5)
        relationship.isOrdered = relationship.isToMany && generator.chance(0.3)
        relationship.isOptional = generator.chance(0.8)
        relationship.deletionRule = Relationship.DeletionRule.allCases.randomElement(using: &generator) ?? .nullify
        return relationship
    }

    private mutating func addRelationship(from index: Int? = nil) {
        guard let source = index ?? model.entities.indices.randomElement(using: &generator),
            let target = model.entities.indices.randomElement(using: &generator)
        else { return }
        var relationship = newRelationship(newName("r"), to: model.entities[target].name)
        if generator.chance(0.8) {
            var inverse = newRelationship(newName("r"), to: model.entities[source].name)
            (relationship.inverseName, relationship.inverseEntityName) = (inverse.name, model.entities[target].name)
            (inverse.inverseName, inverse.inverseEntityName) = (relationship.name, model.entities[source].name)
            model.entities[target].relationships.append(inverse)
        }
        model.entities[source].relationships.append(relationship)
    }

    private mutating func removeRelationship() {
        guard let source = model.entities.indices.randomElement(using: &generator),
            let removed = model.entities[source].relationships.popLast()
        else { return }
        for index in model.entities.indices where model.entities[index].name == removed.inverseEntityName {
            model.entities[index].relationships.removeAll { $0.name == removed.inverseName }
        }
    }

    private mutating func editRelationship() {
        guard let source = model.entities.indices.randomElement(using: &generator),
            let index = model.entities[source].relationships.indices.randomElement(using: &generator)
        else { return }
        let old = model.entities[source].relationships[index]
        var new = newRelationship(old.name, to: old.destinationName)
        (new.inverseName, new.inverseEntityName) = (old.inverseName, old.inverseEntityName)
        model.entities[source].relationships[index] = new
    }
}
