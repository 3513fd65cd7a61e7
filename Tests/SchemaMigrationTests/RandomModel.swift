import DataModel

/// A model made up at random, which remembers what its entities and properties were called in the version before.
///
/// Every root has an attribute `mark`, by which the tests know an object whatever becomes of it.
struct RandomModel {
    /// An attribute or relationship that objects of an entity have.
    struct Origin: Hashable {
        var entityName: String
        var name: String
    }

    static let types: [AttributeType] = [
        .string, .integer16, .integer64, .double, .boolean, .date, .decimal, .uuid, .binary,
    ]

    var entities: [Entity] = []
    /// The old names of the entities that are not new.
    var oldEntityNames: [String: String] = [:]
    /// The old names of the properties that are not new, by the new entities that declare them.
    var oldPropertyNames: [Origin: Origin] = [:]
    private var nextNumber = 1

    init(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<generator.number(2..<6) { addEntity(&generator) }
        for _ in 0..<generator.number(1..<6) { addRelationship(&generator) }
        for _ in 0..<generator.number(0..<4) { addIndex(&generator) }
        forget()
    }

    /// What is there now is what was there before the next changes.
    mutating func forget() {
        oldEntityNames = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.name) })
        oldPropertyNames = [:]
        for index in entities.indices {
            entities[index].renamingIdentifier = nil
            for position in entities[index].attributes.indices {
                entities[index].attributes[position].renamingIdentifier = nil
                let origin = Origin(entityName: entities[index].name, name: entities[index].attributes[position].name)
                oldPropertyNames[origin] = origin
            }
            for position in entities[index].relationships.indices {
                entities[index].relationships[position].renamingIdentifier = nil
                let origin = Origin(
                    entityName: entities[index].name, name: entities[index].relationships[position].name)
                oldPropertyNames[origin] = origin
            }
        }
    }

    mutating func fresh(_ prefix: String) -> String {
        defer { nextNumber += 1 }
        return "\(prefix)\(nextNumber)"
    }

    static var mark: Attribute { Attribute(name: "mark", type: .integer64, defaultValueString: "0") }

    mutating func addEntity(_ generator: inout SeededGenerator) {
        var entity = Entity(name: fresh("Entity"))
        if !entities.isEmpty, generator.chance(0.4) {
            entity.parentName = entities.randomElement(using: &generator)?.name
        } else {
            entity.attributes.append(Self.mark)
            entity.isAbstract = generator.chance(0.15)
        }
        entities.append(entity)
        for _ in 0..<generator.number(0..<4) { addAttribute(to: entities.count - 1, &generator) }
    }

    mutating func addAttribute(to index: Int, _ generator: inout SeededGenerator) {
        let type = Self.types.randomElement(using: &generator) ?? .string
        var attribute = Attribute(name: fresh("attribute"), type: type, isOptional: true)
        if let text = Self.defaultText(of: type), generator.chance(0.5) {
            attribute.isOptional = generator.chance(0.5)
            if type == .date { attribute.defaultDateTimeInterval = text } else { attribute.defaultValueString = text }
        }
        attribute.isIndexed = generator.chance(0.1)
        entities[index].attributes.append(attribute)
    }

    static func defaultText(of type: AttributeType) -> String? {
        switch type {
        case .string: "it's"
        case .integer16, .integer64: "-3"
        case .double, .date, .decimal: "0.5"
        case .boolean: "YES"
        default: nil
        }
    }

    mutating func addRelationship(_ generator: inout SeededGenerator) {
        let (source, target) = (generator.number(0..<entities.count), generator.number(0..<entities.count))
        var relationship = Relationship(name: fresh("link"), destinationName: entities[target].name)
        relationship.isToMany = generator.chance(0.5)
        relationship.isOrdered = relationship.isToMany && generator.chance(0.4)
        if generator.chance(0.75) {
            var inverse = Relationship(
                name: fresh("link"), destinationName: entities[source].name, inverseName: relationship.name)
            inverse.inverseEntityName = entities[source].name
            inverse.isToMany = generator.chance(0.5)
            inverse.isOrdered = inverse.isToMany && generator.chance(0.4)
            if generator.chance(0.2) { inverse.deletionRule = .cascade }
            relationship.inverseName = inverse.name
            relationship.inverseEntityName = entities[target].name
            entities[target].relationships.append(inverse)
        }
        entities[source].relationships.append(relationship)
    }

    mutating func addIndex(_ generator: inout SeededGenerator) {
        let index = generator.number(0..<entities.count)
        let kind: FetchIndex.Kind = generator.chance(0.4) ? .rtree : .binary
        let names = ModelGraph(Model(name: "", entities: entities)).attributes(of: entities[index])
            .filter { kind == .binary || $0.type == .double }.map(\.name)
        guard let name = names.randomElement(using: &generator) else { return }
        let element = FetchIndex.Element(propertyName: name, isAscending: kind == .rtree || generator.chance(0.7))
        entities[index].indexes.append(FetchIndex(name: fresh("index"), kind: kind, elements: [element]))
    }
}
