import DataModel
import StoreDescription

extension Schema {
    /// The stored properties of each entity, by the entities' names.
    package var storedEntities: [StoredEntity] {
        graph.model.entities.sorted { $0.name < $1.name }.compactMap { entity in
            guard let storage = storage(of: entity) else { return nil }
            var stored = StoredEntity(
                name: entity.name, parent: entity.parentName, isAbstract: entity.isAbstract, table: storage.tableName,
                attributes: storage.columns.filter { $0.entityName == entity.name }.compactMap(attribute),
                relationships: entity.relationships.sorted { $0.name < $1.name }.compactMap {
                    self.relationship($0, of: entity)
                })
            // A name of an entity contains no space, which ends a word of the description.
            stored.renamingIdentifier = entity.renamingIdentifier.flatMap {
                $0.contains(where: \.isWhitespace) ? nil : $0
            }
            return stored
        }
    }

    private func attribute(_ stored: StoredColumn) -> StoredEntity.Attribute? {
        guard case .attribute(let attribute) = stored.content else { return nil }
        let isPresence = stored.leaf?.isPresence == true
        guard isPresence || attribute.type.stored != nil else { return nil }
        var result = StoredEntity.Attribute(
            path: stored.leaf?.names ?? [attribute.name], type: isPresence ? nil : attribute.type.stored,
            column: stored.name)
        result.isOptional = attribute.isOptional
        result.isExternal = attribute.type == .binary && attribute.allowsExternalBinaryDataStorage
        result.isDerived = attribute.isDerived
        result.isPreserved = attribute.preservesValueAfterDeletion
        return result
    }

    private func relationship(_ relationship: Relationship, of entity: Entity) -> StoredEntity.Relationship? {
        let storage: StoredEntity.Relationship.Storage
        switch self.storage(of: relationship, in: entity) {
        case nil: return nil
        case .column(let name): storage = .column(name)
        case .inverseColumn(_, let column, let order): storage = .inverseColumn(column, order: order)
        case .joinTable(let table, let own, let other, let order):
            storage = .joinTable(table, own: own, other: other, order: order)
        }
        var result = StoredEntity.Relationship(
            name: relationship.name, destination: relationship.destinationName,
            inverse: inverse(of: relationship, in: entity)?.relationship.name, isToMany: relationship.isToMany,
            storage: storage)
        result.isOrdered = relationship.isOrdered
        result.isOptional = relationship.isOptional
        return result
    }
}

extension AttributeType {
    /// The type in the line of a column; nil for a type without a column of its own.
    package var stored: ColumnLine.AttributeType? {
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
        case .undefined, .composite, .objectID: nil
        }
    }
}
