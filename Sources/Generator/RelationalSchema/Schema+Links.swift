import DataModel

extension Schema {
    /// The query for the links of a relationship that an entity declares; nil for a relationship that is not stored.
    /// Its columns are `source`, `target` and `position`, which is NULL without an order.
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
    /// The condition that a row belongs to the entity itself and not to a sub-entity.
    package var rowCondition: String {
        if !hasDiscriminator { return "true" }
        let column = SQLText.identifier(ColumnName.entity)
        return discriminator.map { "\(column) = \(SQLText.literal($0))" } ?? "\(column) IS NULL"
    }
}

extension DerivedColumn {
    /// The query for the objects whose value differs from the computed one; nil if no other value determines it.
    package var staleRows: String? {
        if isTime { return nil }
        return """
            SELECT \(SQLText.identifier(ColumnName.identifier)) FROM \(SQLText.identifier(tableName))
            WHERE \(SQLText.identifier(columnName)) COLLATE BINARY IS NOT \(value)
            """
    }
}

extension RTree {
    /// The query for the objects without a matching entry in the R-tree.
    package var missingRows: String {
        let identifier = SQLText.identifier(ColumnName.identifier)
        let (table, tree) = (SQLText.identifier(tableName), SQLText.identifier(name))
        // A box of 32-bit numbers contains the place, and is only as large as rounding makes it. The least integer has
        // an absolute value only as another kind of number.
        let place = columnNames.map { column in
            // As the R-tree reads it: an integer of more than 53 bits is rounded first.
            let value = "CAST(\(table).\(SQLText.identifier(column)) AS REAL)"
            let least = "r.\(SQLText.identifier(Self.minimumColumnName(of: column)))"
            let greatest = "r.\(SQLText.identifier(Self.maximumColumnName(of: column)))"
            return
                "(\(value) BETWEEN \(least) AND \(greatest) AND \(greatest) - \(least) <= 1e-6 * (1 + abs(\(value)))\(beyond(value)))"
        }
        return """
            SELECT \(identifier) FROM \(table)
            WHERE \(coverage) AND NOT EXISTS (
                SELECT 1 FROM \(tree) AS r
                WHERE r.\(identifier) = \(table).\(identifier) AND \(place.joined(separator: " AND ")))
            """
    }

    /// A number beyond the range of 32 bits has a box of infinities, which does not contain it.
    private func beyond(_ value: String) -> String { " OR \(value) NOT BETWEEN -3.4e38 AND 3.4e38" }

    /// The query for entries of the R-tree without an object.
    package var surplusRows: String {
        let identifier = SQLText.identifier(ColumnName.identifier)
        return """
            SELECT r.\(identifier) FROM \(SQLText.identifier(name)) AS r
            WHERE NOT EXISTS (
                SELECT 1 FROM \(SQLText.identifier(tableName))
                WHERE \(SQLText.identifier(tableName)).\(identifier) = r.\(identifier) AND \(coverage(ofTable: tableName)))
            """
    }

    private func coverage(ofTable table: String) -> String { isCovered(SQLText.identifier(table)) }
}

extension FullTextTable {
    /// The query for the objects whose texts differ from the index.
    package var missingRows: String {
        let identifier = SQLText.identifier(ColumnName.identifier)
        let same = zip(columnNames, virtualColumnNames).map { column, copy in
            "f.\(SQLText.identifier(copy)) IS t.\(SQLText.identifier(column))"
        }
        return """
            SELECT t.\(identifier) FROM \(SQLText.identifier(tableName)) AS t
            WHERE \(coverage) AND NOT EXISTS (
                SELECT 1 FROM \(SQLText.identifier(name)) AS f
                WHERE f."rowid" = t.\(identifier) AND \(same.joined(separator: " AND ")))
            """
    }

    /// The query for entries of the index without an object.
    package var surplusRows: String {
        let identifier = SQLText.identifier(ColumnName.identifier)
        return """
            SELECT f."rowid" FROM \(SQLText.identifier(name)) AS f
            WHERE NOT EXISTS (
                SELECT 1 FROM \(SQLText.identifier(tableName)) AS t WHERE t.\(identifier) = f."rowid" AND \(coverage(of: "t")))
            """
    }

    private func coverage(of row: String) -> String {
        let texts = columnNames.map { "\(row).\(SQLText.identifier($0)) IS NOT NULL" }
        let isText = "(\(texts.joined(separator: " OR ")))"
        guard let entityNames else { return isText }
        return isText + " AND \(row).\(SQLText.identifier(ColumnName.entity)) IN (\(SQLText.literals(entityNames)))"
    }
}
