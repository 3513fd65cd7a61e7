public import PredicateFormat

/// The model as the predicate format language sees it.
extension ModelGraph: PredicateSchema {
    public func property(named name: String, of owner: PropertyOwner) -> PropertyDescription? {
        switch owner {
        case .entity(let entityName):
            guard let entity = entity(named: entityName) else { return nil }
            if let attribute = attribute(named: name, of: entity) { return attribute.predicateProperty }
            if let relationship = relationship(named: name, of: entity) { return relationship.predicateProperty }
            if fullTextIndex(named: name, of: entity) != nil { return .fullText }
            let isFetched = (ancestors(of: entity) + [entity]).contains { ancestor in
                ancestor.fetchedProperties.contains { $0.name == name }
            }
            return isFetched ? .unusable(reason: "it is a fetched property") : nil
        case .composite(let compositeName):
            let composite = model.composites.first { $0.name == compositeName }
            return composite?.attributes.first { $0.name == name }?.predicateProperty
        }
    }

    public func propertyNames(of owner: PropertyOwner) -> [String] {
        switch owner {
        case .entity(let name):
            guard let entity = entity(named: name) else { return [] }
            let texts = (ancestors(of: entity) + [entity]).flatMap(\.indexes).filter { $0.kind == .fullText }
            return attributes(of: entity).map(\.name) + relationships(of: entity).map(\.name) + texts.map(\.name)
        case .composite(let name):
            return model.composites.first { $0.name == name }?.attributes.map(\.name) ?? []
        }
    }

    public func isEntity(_ name: String, kindOf ancestor: String) -> Bool {
        guard let entity = entity(named: name), let other = self.entity(named: ancestor) else { return false }
        return isEntity(entity, kindOf: other)
    }

    public func entityNames(kindOf name: String) -> [String] {
        guard let entity = entity(named: name) else { return [name] }
        let kinds = hierarchy(of: entity).map { (name: $0.name, depth: ancestors(of: $0).count) }
        return kinds.sorted { ($1.depth, $0.name) < ($0.depth, $1.name) }.map(\.name)
    }

    public func indexNames(of name: String) -> [String] {
        guard let entity = entity(named: name) else { return [] }
        return (ancestors(of: entity) + [entity]).flatMap { $0.indexes.map(\.name) }
    }
}

extension Attribute {
    fileprivate var predicateProperty: PropertyDescription {
        if isTransient { return .unusable(reason: "it is transient") }
        switch type {
        case .composite: return .composite(name: compositeName ?? "")
        case .undefined: return .unusable(reason: "it has no type")
        default: return type.valueType.map { .attribute($0) } ?? .unusable(reason: "it has no type")
        }
    }
}

extension Relationship {
    fileprivate var predicateProperty: PropertyDescription {
        if isTransient { return .unusable(reason: "it is transient") }
        return isToMany
            ? .toMany(destination: destinationName, isOrdered: isOrdered) : .toOne(destination: destinationName)
    }
}

extension AttributeType {
    /// The type of a value in a predicate; nil if it is not a single value.
    public var valueType: ValueType? {
        switch self {
        case .integer16: .integer16
        case .integer32: .integer32
        case .integer64: .integer64
        case .decimal: .decimal
        case .double: .double
        case .float: .float
        case .string: .string
        case .boolean: .boolean
        case .date: .date
        case .binary: .binary
        case .uuid: .uuid
        case .uri: .uri
        case .transformable: .transformable
        case .objectID: .objectID
        case .undefined, .composite: nil
        }
    }
}
