import DataModel

extension Schema {
    /// The links of a relationship that an entity declares, as a query with the columns `source`, `target` and
    /// `position`, which is NULL in a relationship without an order; nil for a relationship that is not stored.
    package func linksQuery(of relationship: Relationship, in entity: Entity) -> String? {
        guard let own = storage(of: entity).map({ SQLText.identifier($0.tableName) }) else { return nil }
        let identifier = SQLText.identifier(ColumnName.identifier)
        switch storage(of: relationship, in: entity) {
        case .column(let name):
            return """
                SELECT \(identifier) AS source, \(SQLText.identifier(name)) AS target, NULL AS position
                FROM \(own) WHERE \(SQLText.identifier(name)) IS NOT NULL
                """
        case .inverseColumn(let table, let name, let position):
            return """
                SELECT \(SQLText.identifier(name)) AS source, \(identifier) AS target,
                    \(position.map { SQLText.identifier($0) } ?? "NULL") AS position
                FROM \(SQLText.identifier(table)) WHERE \(SQLText.identifier(name)) IS NOT NULL
                """
        case .joinTable(let table, let ownName, let otherName, let position):
            return """
                SELECT \(SQLText.identifier(ownName)) AS source, \(SQLText.identifier(otherName)) AS target,
                    \(position.map { SQLText.identifier($0) } ?? "NULL") AS position
                FROM \(SQLText.identifier(table))
                """
        case nil: return nil
        }
    }
}

extension EntityStorage {
    /// The condition that a row of the table is an object of the entity, and of none below it.
    package var rowCondition: String {
        if !hasDiscriminator { return "true" }
        let column = SQLText.identifier(ColumnName.entity)
        return discriminator.map { "\(column) = \(SQLText.literal($0))" } ?? "\(column) IS NULL"
    }
}

extension DerivedColumn {
    /// The query for the objects that have another value than that which is computed from all rows anew; nil where no
    /// other value tells what it should be.
    package var staleRows: String? {
        if isTime { return nil }
        return """
            SELECT \(SQLText.identifier(ColumnName.identifier)) FROM \(SQLText.identifier(tableName))
            WHERE \(SQLText.identifier(columnName)) COLLATE BINARY IS NOT \(value)
            """
    }
}
