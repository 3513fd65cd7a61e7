import AshlarSQLite

/// A foreign key column of a one-to-one relationship: no two rows may lead to the same one.
struct OneToOneReference: Sendable, Hashable {
    var table: String
    var column: String
    var entity: String
    var property: String

    /// The rows that share a destination, at most 100 of them.
    func problems(_ connection: Connection, in schemaName: String) throws(SQLiteError) -> [String] {
        let (table, column) = ("\(schemaName).\(table.quotedIdentifier)", column.quotedIdentifier)
        return try connection.rows(
            """
            SELECT \(column), group_concat("id$", ', ') FROM \(table) WHERE \(column) IS NOT NULL
            GROUP BY \(column) HAVING count(*) > 1 LIMIT 100
            """
        ).map { row in
            "Rows \(row[1].text) of \(self.table) all lead to row \(row[0].integer) by \(entity).\(property), which is one-to-one."
        }
    }
}

extension ModelDescription {
    /// The foreign key columns of the one-to-one relationships that some entities declare.
    func oneToOneReferences(of names: Set<String>) -> [OneToOneReference] {
        var known: Set<String> = []
        var result: [OneToOneReference] = []
        for entity in entities where names.contains(entity.name) {
            for position in oneToOneColumns(of: entity) {
                let column = entity.columns[position]
                // Entities below have it too.
                guard known.insert("\(entity.tableName).\(column.name)").inserted else { continue }
                result.append(
                    OneToOneReference(
                        table: entity.tableName, column: column.name, entity: column.entity, property: column.property))
            }
        }
        return result
    }
}
