import AshlarSQLite
import RelationalSchema

/// Checks values that must be unique, where no index enforces it.
struct UniquenessCheck: StoreCheckStep {
    let subject = "unique values"

    func run(_ store: CheckedStore) throws {
        for index in store.schema.indexes where index.isUnique && !store.usableIndexes.contains(index.name) {
            guard store.usableTables.contains(index.tableName) else { continue }
            let columns = index.elements.compactMap(\.columnName)
            // An index of expressions does not belong to one of the model's constraints.
            guard columns.count == index.elements.count else { continue }
            var conditions = columns.map { "\(SQLText.identifier($0)) IS NOT NULL" }
            if let names = index.entityNames {
                conditions.append("\(SQLText.identifier(ColumnName.entity)) IN (\(SQLText.literals(names)))")
            }
            try store.find(
                StoreFinding(
                    kind: .doubledValues,
                    text: "Several objects have equal values of unique properties: \(columns.joined(separator: ", ")).",
                    remedy: "Change or delete all but one of them, and check again: the index can be made then.",
                    entity: index.entityNames?.first, property: columns.joined(separator: ", "), table: index.tableName),
                """
                SELECT min(\(SQLText.identifier(ColumnName.identifier))) FROM \(SQLText.identifier(index.tableName)) NOT INDEXED
                WHERE \(conditions.joined(separator: " AND "))
                GROUP BY \(SQLText.identifiers(columns)) HAVING count(*) > 1
                """)
        }
    }
}
