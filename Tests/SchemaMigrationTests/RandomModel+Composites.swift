import DataModel
import RandomNumbers

extension RandomModel {
    /// An attribute of a type other than a composite.
    mutating func plainAttribute(_ generator: inout SeededGenerator) -> Attribute {
        let type = Self.types.randomElement(using: &generator) ?? .string
        var attribute = Attribute(name: fresh("attribute"), type: type, isOptional: true)
        if let text = Self.defaultText(of: type), generator.chance(0.5) {
            attribute.isOptional = generator.chance(0.5)
            if type == .date { attribute.defaultDateTimeInterval = text } else { attribute.defaultValueString = text }
        }
        attribute.isIndexed = generator.chance(0.1)
        return attribute
    }

    /// An attribute of a composite. If composites contain each other, the composite is one before a position.
    mutating func compositeAttribute(_ generator: inout SeededGenerator, before end: Int? = nil) -> Attribute? {
        guard let composite = composites[..<(end ?? composites.count)].randomElement(using: &generator) else {
            return nil
        }
        return Attribute(
            name: fresh("attribute"), type: .composite, isOptional: generator.chance(0.6),
            compositeName: composite.name)
    }

    mutating func addComposite(_ generator: inout SeededGenerator) {
        composites.append(Composite(name: fresh("Composite"), attributes: []))
        for _ in 0..<generator.number(0..<4) { addLeaf(to: composites.count - 1, &generator) }
    }

    private mutating func addLeaf(to index: Int, _ generator: inout SeededGenerator) {
        let inner = generator.chance(0.4) ? compositeAttribute(&generator, before: index) : nil
        let leaf = inner ?? plainAttribute(&generator)
        composites[index].attributes.append(leaf)
    }

    /// Changes a composite, and with it all attributes of its type.
    mutating func changeComposite(_ generator: inout SeededGenerator) {
        guard let index = composites.indices.randomElement(using: &generator) else {
            return addComposite(&generator)
        }
        guard let position = composites[index].attributes.indices.randomElement(using: &generator),
            generator.chance(0.75)
        else { return addLeaf(to: index, &generator) }
        let name = composites[index].name
        let leaf = composites[index].attributes[position]
        switch generator.number(0..<3) {
        case 0:
            composites[index].attributes.remove(at: position)
            oldLeafNames[Origin(entityName: name, name: leaf.name)] = nil
            forgetIndexesOnLeaves()
        case 1:
            composites[index].attributes[position].name = fresh("leaf")
            forgetIndexesOnLeaves()
            guard let old = oldLeafNames.removeValue(forKey: Origin(entityName: name, name: leaf.name)) else { return }
            composites[index].attributes[position].renamingIdentifier = old
            oldLeafNames[Origin(entityName: name, name: composites[index].attributes[position].name)] = old
        default: composites[index].attributes[position] = Self.changed(leaf, &generator)
        }
    }

    /// The attribute with another optionality or type, such that the change can be inferred.
    static func changed(_ old: Attribute, _ generator: inout SeededGenerator) -> Attribute {
        var attribute = old
        if attribute.type == .composite { attribute.isOptional.toggle() }
        if let text = Self.defaultText(of: attribute.type) {
            attribute.isOptional.toggle()
            if attribute.type == .date {
                attribute.defaultDateTimeInterval = text
            } else {
                attribute.defaultValueString = text
            }
        }
        if attribute.type == .integer16, generator.chance(0.5) { attribute.type = .integer64 }
        return attribute
    }

    private mutating func forgetIndexesOnLeaves() {
        for index in entities.indices {
            entities[index].indexes.removeAll { $0.elements.contains { $0.propertyName?.contains(".") == true } }
        }
    }
}
