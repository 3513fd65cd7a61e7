/// The properties that an entity has or inherits, while the walk through an ``EntityTree`` is at the entity.
struct PropertyScope {
    /// A property of one of the three kinds.
    indirect enum Property {
        case attribute(Attribute)
        case relationship(Relationship)
        case fetchedProperty(FetchedProperty)

        var name: String {
            switch self {
            case .attribute(let attribute): attribute.name
            case .relationship(let relationship): relationship.name
            case .fetchedProperty(let property): property.name
            }
        }

        var location: SourceLocation {
            switch self {
            case .attribute(let attribute): attribute.location
            case .relationship(let relationship): relationship.location
            case .fetchedProperty(let property): property.location
            }
        }
    }

    /// A property and the position of the entity that declares it.
    struct Declaration {
        var entity: Int
        var property: Property
    }

    private var declarations: [String: Declaration] = [:]
    private var added: [[String]] = []

    /// Adds the properties of an entity; of two with one name, the one that came first stays.
    mutating func enter(_ entity: Entity, at index: Int) {
        var keys: [String] = []
        for property in entity.properties {
            let key = SQLiteName.folded(property.name)
            if declarations[key] != nil { continue }
            declarations[key] = Declaration(entity: index, property: property)
            keys.append(key)
        }
        added.append(keys)
    }

    /// Removes the properties of the entity that was entered last.
    mutating func leave() {
        for key in added.popLast() ?? [] { declarations[key] = nil }
    }

    /// The property with exactly this name.
    func property(named name: String) -> Declaration? {
        propertyIgnoringCase(named: name).flatMap { $0.property.name == name ? $0 : nil }
    }

    /// The property with a name, compared as SQLite compares names.
    func propertyIgnoringCase(named name: String) -> Declaration? { declarations[SQLiteName.folded(name)] }

    /// The names of all properties.
    var names: [String] { declarations.values.map(\.property.name) }
}

extension Entity {
    /// The entity's own properties: attributes, relationships and fetched properties.
    var properties: [PropertyScope.Property] {
        attributes.map { .attribute($0) } + relationships.map { .relationship($0) }
            + fetchedProperties.map { .fetchedProperty($0) }
    }
}
