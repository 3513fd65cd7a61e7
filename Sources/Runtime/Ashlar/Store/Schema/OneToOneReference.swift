import AshlarSQLite

/// A foreign key column of a one-to-one relationship: no two rows may refer to the same row.
package struct OneToOneReference: Sendable, Hashable {
    var table: String
    var column: String
    var entity: String
    var property: String
    /// Whether the reference may be NULL.
    var isOptional: Bool
    /// Whether the relationship is its own inverse, so that the destination's own column refers back.
    var isOwnInverse: Bool

    /// Returns the rows that share a destination, at most 100 of them.
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

    /// Returns a query for the rows that lose their reference if several refer to one row, with the destination of
    /// each.
    ///
    /// Of these rows, the one with the greatest row number keeps its reference. If the relationship is its own inverse,
    /// the row to which the destination refers keeps it.
    package static func surplusRows(ofTable table: String, column: String, isOwnInverse: Bool) -> String {
        let (table, column) = (table.quotedIdentifier, column.quotedIdentifier)
        let isMutual =
            "EXISTS (SELECT 1 FROM \(table) AS d WHERE d.\"id$\" = h.\(column) AND d.\(column) = h.\"id$\") DESC, "
        return """
            SELECT "id$", "destination$" FROM (
                SELECT h."id$", h.\(column) AS "destination$", row_number() OVER (
                    PARTITION BY h.\(column) ORDER BY \(isOwnInverse ? isMutual : "")h."id$" DESC) AS "place$"
                FROM \(table) AS h WHERE h.\(column) IS NOT NULL)
            WHERE "place$" > 1
            """
    }
}

extension ModelDescription {
    /// Returns the foreign key columns of the one-to-one relationships that some entities declare.
    func oneToOneReferences(of names: Set<String>) -> [OneToOneReference] {
        if !hasOneToOneColumns { return [] }
        var known: Set<String> = []
        var result: [OneToOneReference] = []
        for entity in entities where names.contains(entity.name) {
            let positions = oneToOneColumns(of: entity)
            for (number, relationship) in entity.relationships.numbered {
                guard case .column(let position) = relationship.storage, positions.contains(position) else { continue }
                let column = entity.columns[position]
                // Entities below have it too.
                guard known.insert("\(entity.tableName).\(column.name)").inserted else { continue }
                let destination = destination(of: entity, number)
                let back = relationship.inverse.flatMap { destination?.relationships[$0] }
                result.append(
                    OneToOneReference(
                        table: entity.tableName, column: column.name, entity: column.entity, property: column.property,
                        isOptional: column.isOptional,
                        isOwnInverse: destination?.tableName == entity.tableName
                            && back?.storage == relationship.storage))
            }
        }
        return result
    }
}
