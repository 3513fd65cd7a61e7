import DataModel
import RandomNumbers

extension RandomModel {
    /// The types to which values of a type convert without loss.
    static let widerTypes: [AttributeType: [AttributeType]] = [
        .boolean: [.integer16, .integer64, .double], .integer16: [.integer64, .double, .decimal, .string],
        .integer64: [.decimal, .string, .double], .uuid: [.string, .binary], .decimal: [.string], .string: [.uri],
        .uri: [.string], .binary: [.transformable],
    ]

    /// Gives an attribute another type, and sometimes another name as well.
    mutating func changeType(of index: Int, _ generator: inout SeededGenerator) {
        guard let position = ordinaryAttribute(of: index, &generator) else { return }
        let attribute = entities[index].attributes[position]
        let origin = Origin(entityName: entities[index].name, name: attribute.name)
        // Two changes together may not be inferrable.
        guard !attribute.isDerived, !changedTypes.contains(origin),
            let type = Self.widerTypes[attribute.type]?.randomElement(using: &generator)
        else { return }
        changedTypes.insert(origin)
        entities[index].attributes[position].type = type
        forgetIndexes(on: attribute.name)
        if attribute.defaultValueString != nil {
            entities[index].attributes[position].defaultValueString = Self.defaultText(of: type)
        }
        if entities[index].attributes[position].defaultValueString == nil {
            entities[index].attributes[position].isOptional = true
        }
    }

    /// Whether existing objects can get an attribute that they never had.
    private func canBeAdded(_ attribute: Attribute) -> Bool {
        attribute.isOptional || attribute.defaultValueString != nil || attribute.defaultDateTimeInterval != nil
    }

    private mutating func moveAttribute(at position: Int, from source: Int, to target: Int) {
        let attribute = entities[source].attributes.remove(at: position)
        entities[target].attributes.append(attribute)
        let old = oldPropertyNames.removeValue(forKey: Origin(entityName: entities[source].name, name: attribute.name))
        oldPropertyNames[Origin(entityName: entities[target].name, name: attribute.name)] = old
    }

    /// Moves an attribute to the parent.
    mutating func pullUp(from index: Int, _ generator: inout SeededGenerator) {
        guard let parent = entities.firstIndex(where: { $0.name == entities[index].parentName }),
            let position = ordinaryAttribute(of: index, &generator),
            canBeAdded(entities[index].attributes[position]), !entities[index].attributes[position].isDerived
        else { return }
        moveAttribute(at: position, from: index, to: parent)
    }

    /// Moves an attribute to an entity below, so that the others lose it.
    mutating func pushDown(from index: Int, _ generator: inout SeededGenerator) {
        let children = entities.indices.filter { entities[$0].parentName == entities[index].name }
        guard let child = children.randomElement(using: &generator),
            let position = ordinaryAttribute(of: index, &generator), !entities[index].attributes[position].isDerived
        else { return }
        forgetIndexes(on: entities[index].attributes[position].name)
        moveAttribute(at: position, from: index, to: child)
    }

    /// Moves the entities below a root to another root, with the attributes that they bring along, and removes the
    /// first.
    mutating func mergeParents(_ index: Int, _ generator: inout SeededGenerator) {
        let name = entities[index].name
        let children = entities.indices.filter { entities[$0].parentName == name }
        guard entities[index].parentName == nil, !children.isEmpty,
            let target = entities.indices.filter({ $0 != index && entities[$0].parentName == nil })
                .randomElement(using: &generator)
        else { return }
        for child in children { entities[child].parentName = entities[target].name }
        entities[index].indexes = []
        for position in entities[index].attributes.indices.reversed() {
            let attribute = entities[index].attributes[position]
            if attribute.name == Self.markName { continue }
            if canBeAdded(attribute), !attribute.isDerived {
                moveAttribute(at: position, from: index, to: target)
            } else {
                removeAttribute(at: position, of: index)
            }
        }
        for relationship in entities[index].relationships {
            oldPropertyNames[Origin(entityName: name, name: relationship.name)] = nil
        }
        removeEntity(index)
    }

    /// Adds an attribute with a value for existing objects, which may differ from the default of new ones.
    mutating func addAttributeForOldObjects(to index: Int, _ generator: inout SeededGenerator) {
        var attribute = plainAttribute(&generator)
        let text: String? =
            switch attribute.type {
            case .string, .decimal: "77"
            case .integer16, .integer64: "77"
            case .double, .date: "7.5"
            case .boolean: "NO"
            case .uuid: "00112233-4455-6677-8899-AABBCCDDEEFF"
            default: nil
            }
        guard let text else { return }
        attribute.userInfo = UserInfo([.init(key: "ashlar.migrationDefault", value: text)])
        attribute.isOptional = generator.chance(0.5)
        entities[index].attributes.append(attribute)
    }
}
