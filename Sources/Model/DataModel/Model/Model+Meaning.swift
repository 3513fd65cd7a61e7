extension Model {
    /// The version without places, and with entities, properties and composites sorted by name: two files with the same
    /// meaning mean the same to a build.
    package var meaning: Model {
        var result = self
        result.location = .nowhere
        result.userInfo = userInfo.unplaced
        result.entities = entities.map(\.meaning).sorted { $0.name < $1.name }
        result.composites = composites.map { composite in
            var composite = composite
            composite.location = .nowhere
            composite.userInfo = composite.userInfo.unplaced
            composite.attributes = composite.attributes.map(\.unplaced).sorted { $0.name < $1.name }
            return composite
        }.sorted { $0.name < $1.name }
        result.configurations = configurations.map { configuration in
            var configuration = configuration
            configuration.location = .nowhere
            for index in configuration.members.indices { configuration.members[index].location = .nowhere }
            return configuration
        }
        result.fetchRequests = fetchRequests.map(\.unplaced)
        return result
    }
}

extension Entity {
    fileprivate var meaning: Entity {
        var result = self
        result.location = .nowhere
        result.userInfo = userInfo.unplaced
        result.attributes = attributes.map(\.unplaced).sorted { $0.name < $1.name }
        result.relationships = relationships.map { relationship in
            var relationship = relationship
            relationship.location = .nowhere
            relationship.userInfo = relationship.userInfo.unplaced
            return relationship
        }.sorted { $0.name < $1.name }
        result.fetchedProperties = fetchedProperties.map { property in
            var property = property
            property.location = .nowhere
            property.userInfo = property.userInfo.unplaced
            property.request = property.request.unplaced
            return property
        }.sorted { $0.name < $1.name }
        result.indexes = indexes.map(\.unplaced)
        for index in result.uniquenessConstraints.indices { result.uniquenessConstraints[index].location = .nowhere }
        return result
    }
}

extension Attribute {
    fileprivate var unplaced: Attribute {
        var result = self
        result.location = .nowhere
        result.derivationLocation = nil
        result.userInfo = userInfo.unplaced
        return result
    }
}

extension FetchIndex {
    fileprivate var unplaced: FetchIndex {
        var result = self
        result.location = .nowhere
        result.predicateLocation = nil
        result.userInfo = userInfo.unplaced
        for index in elements.indices {
            result.elements[index].location = .nowhere
            result.elements[index].expressionLocation = nil
        }
        return result
    }
}

extension FetchRequest {
    fileprivate var unplaced: FetchRequest {
        var result = self
        result.location = .nowhere
        result.predicateLocation = nil
        return result
    }
}

extension UserInfo {
    fileprivate var unplaced: UserInfo {
        UserInfo(entries.map { Entry(key: $0.key, value: $0.value, location: .nowhere) })
    }
}

extension SourceLocation {
    fileprivate static var nowhere: SourceLocation { SourceLocation(file: "") }
}
