import DataModel
import RandomNumbers

/// A random model with the former names of its entities and properties.
///
/// Every root has an attribute `mark`, by which the tests recognize an object after any change.
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
    /// A composite contains only those before it.
    var composites: [Composite] = []
    /// The old names of the entities that are not new.
    var oldEntityNames: [String: String] = [:]
    /// The old names of the properties that are not new, by the new entities that declare them.
    var oldPropertyNames: [Origin: Origin] = [:]
    /// The old names of the attributes of composites that are not new, by the composites and the new names.
    var oldLeafNames: [Origin: String] = [:]
    /// The attributes whose types changed since the version before, by the names that they had then.
    var changedTypes: Set<Origin> = []
    private var nextNumber = 1

    var model: Model { Model(name: "Random", entities: entities, composites: composites) }

    init(seed: some BinaryInteger) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<generator.number(0..<4) { addComposite(&generator) }
        for _ in 0..<generator.number(2..<6) { addEntity(&generator) }
        for _ in 0..<generator.number(1..<6) { addRelationship(&generator) }
        for _ in 0..<generator.number(0..<4) { addIndex(&generator) }
        for _ in 0..<generator.number(0..<5) {
            addDerivedAttribute(to: generator.number(0..<entities.count), &generator)
        }
        forget()
        giveFirstNames(&generator)
    }

    /// Gives some entities and properties the names of a much earlier version, as some authors do.
    private mutating func giveFirstNames(_ generator: inout SeededGenerator) {
        for index in entities.indices {
            if generator.chance(0.2) { entities[index].renamingIdentifier = fresh(Self.firstNamePrefix) }
            for position in entities[index].attributes.indices
            where entities[index].attributes[position].name != Self.markName && generator.chance(0.2) {
                entities[index].attributes[position].renamingIdentifier = fresh(Self.firstNamePrefix)
            }
            for position in entities[index].relationships.indices where generator.chance(0.2) {
                entities[index].relationships[position].renamingIdentifier = fresh(Self.firstNamePrefix)
            }
        }
    }

    private static let firstNamePrefix = "First"

    /// The renaming identifier that the next version keeps.
    private static func lasting(_ identifier: String?) -> String? {
        identifier?.hasPrefix(firstNamePrefix) == true ? identifier : nil
    }

    /// The renaming identifier after a change of the name: the former name, or forever the first name.
    func identifier(_ identifier: String?, after oldName: String?) -> String? {
        Self.lasting(identifier).flatMap { nextNumber % 2 == 0 ? $0 : nil } ?? oldName
    }

    /// Makes the present state the origin of the next changes.
    mutating func forget() {
        oldEntityNames = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.name) })
        oldPropertyNames = [:]
        oldLeafNames = [:]
        changedTypes = []
        for index in composites.indices {
            for position in composites[index].attributes.indices {
                composites[index].attributes[position].renamingIdentifier = nil
                let name = composites[index].attributes[position].name
                oldLeafNames[Origin(entityName: composites[index].name, name: name)] = name
            }
        }
        for index in entities.indices {
            entities[index].renamingIdentifier = Self.lasting(entities[index].renamingIdentifier)
            for position in entities[index].attributes.indices {
                entities[index].attributes[position].renamingIdentifier = Self.lasting(
                    entities[index].attributes[position].renamingIdentifier)
                let origin = Origin(entityName: entities[index].name, name: entities[index].attributes[position].name)
                oldPropertyNames[origin] = origin
            }
            for position in entities[index].relationships.indices {
                entities[index].relationships[position].renamingIdentifier = Self.lasting(
                    entities[index].relationships[position].renamingIdentifier)
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

    /// The attribute that identifies an object.
    static let markName = "mark"
    static var mark: Attribute { Attribute(name: markName, type: .integer64, defaultValueString: "0") }

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
        let composite = generator.chance(0.3) ? compositeAttribute(&generator) : nil
        let attribute = composite ?? plainAttribute(&generator)
        entities[index].attributes.append(attribute)
    }

    static func defaultText(of type: AttributeType) -> String? {
        switch type {
        case .string: "it's"
        case .integer16, .integer64: "-3"
        case .double, .date, .decimal: "0.5"
        case .boolean: "YES"
        case .uri: "a:b"
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
        let kind: FetchIndex.Kind = generator.chance(0.4) ? .rtree : generator.chance(0.5) ? .fullText : .binary
        let graph = ModelGraph(model)
        let names = graph.attributes(of: entities[index]).filter { kind != .rtree || !$0.isDerived }
            .flatMap { graph.leaves(of: $0) }
            .filter { leaf in
                switch kind {
                case .binary: !leaf.isPresence
                case .rtree: !leaf.isPresence && leaf.stored.type == .double
                case .fullText: !leaf.isPresence && leaf.stored.type == .string
                }
            }.map(\.keyPath)
        guard let name = names.randomElement(using: &generator) else { return }
        let element = FetchIndex.Element(propertyName: name, isAscending: kind != .binary || generator.chance(0.7))
        var added = FetchIndex(name: fresh("index"), kind: kind, elements: [element])
        if kind == .fullText, let other = names.randomElement(using: &generator), other != name {
            added.elements.append(FetchIndex.Element(propertyName: other))
        }
        entities[index].indexes.append(added)
    }
}
