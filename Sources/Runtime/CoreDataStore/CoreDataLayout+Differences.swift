import StoreDescription

/// A difference between a store and a version of a model.
package enum CoreDataDifference: Sendable, Hashable {
    /// An entity of the version that the store does not have.
    case missingEntity(String)
    /// An entity of the store that the version does not have.
    case unknownEntity(String)
    /// An entity that is below another one in the store.
    case otherParent(entity: String)
    case missingTable(String)
    /// A table that no entity or relationship of the version accounts for.
    case unknownTable(String)
    case unusableTable(String, reason: String)
    case missingColumn(table: String, column: String)
    /// A column that no property of the version accounts for.
    case unknownColumn(table: String, column: String)
    /// No table has the pairs of two relationships.
    case missingJoinTable(entity: String, relationship: String)
}

extension CoreDataLayout {
    /// Whether a table does not belong to the model: it is Core Data's own, or belongs to the mirroring to the cloud.
    private static func isOfCoreData(_ table: String) -> Bool {
        ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"].contains(table)
            || table.hasPrefix("ANSCK") || table.hasPrefix("sqlite_")
    }

    /// The tables of pairs of a store, and how the store differs from the version.
    package func compare(_ schema: CoreDataSchema) -> (joinTables: [JoinTable], differences: [CoreDataDifference]) {
        var differences = Self.entityDifferences(Array(entities.values), schema)
        var known: Set<String> = []
        for table in tables {
            known.insert(table.name)
            if let reason = schema.unusable[table.name] {
                differences.append(.unusableTable(table.name, reason: reason))
                continue
            }
            guard let found = schema.tables[table.name] else {
                differences.append(.missingTable(table.name))
                continue
            }
            let expected = table.columnNames.union(Self.systemColumns)
            differences += expected.subtracting(found).sorted().map { .missingColumn(table: table.name, column: $0) }
            differences += Set(found).subtracting(expected).sorted().map {
                .unknownColumn(table: table.name, column: $0)
            }
        }
        var joinTables: [JoinTable] = []
        for pair in manyToMany {
            if let table = joinTable(of: pair, in: schema) {
                joinTables.append(table)
                known.insert(table.name)
            } else {
                differences.append(
                    .missingJoinTable(entity: pair.owner.name, relationship: pair.relationship.name))
            }
        }
        differences += Set(schema.tables.keys).subtracting(known).filter { !Self.isOfCoreData($0) }.sorted().map {
            .unknownTable($0)
        }
        return (joinTables, differences)
    }

    /// The differences between a store's entities and those of a version.
    package static func entityDifferences(
        _ entities: [StoredEntity], _ schema: CoreDataSchema
    ) -> [CoreDataDifference] {
        let names = Set(entities.map(\.name))
        let byNumber = Dictionary(schema.entities.values.map { ($0.number, $0.name) }) { first, _ in first }
        var differences: [CoreDataDifference] = names.subtracting(schema.entities.keys).sorted().map {
            .missingEntity($0)
        }
        differences += Set(schema.entities.keys).subtracting(names).sorted().map { .unknownEntity($0) }
        for entity in entities.sorted(by: { $0.name < $1.name }) {
            guard let found = schema.entities[entity.name] else { continue }
            if byNumber[found.parentNumber] != entity.parent { differences.append(.otherParent(entity: entity.name)) }
        }
        return differences
    }
}
