import AshlarSQLite

/// A column that stores the order of a relationship's members.
package struct StoredOrder {
    package var table: String
    /// The column that refers to the owner of the members.
    package var owner: String
    /// The column that stores the positions.
    package var position: String
    /// The columns that identify a row.
    package var keys: [String]

    /// Returns the order columns of a model, sorted by the names of tables and columns.
    package static func orders(of model: ModelDescription) -> [StoredOrder] {
        var found: [String: StoredOrder] = [:]
        for entity in model.entitySchemas {
            for (number, relationship) in entity.relationships.numbered {
                let order: StoredOrder
                switch relationship.storage {
                case .inverseColumn(let column, let position?):
                    guard let destination = model.destination(of: entity, number) else { continue }
                    order = StoredOrder(
                        table: destination.tableName, owner: destination.columns[column].name, position: position,
                        keys: ["id$"])
                case .joinTable(let table, let own, let other, let position?):
                    order = StoredOrder(table: table, owner: own, position: position, keys: [own, other])
                default: continue
                }
                found["\(order.table)\n\(order.position)"] = order
            }
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Assigns distinct positions to members of an owner that share one, between those of their neighbours if there is
    /// room. Members that shared a position are ordered by their keys.
    ///
    /// - Returns: The keys of the changed rows.
    package func separate(_ owner: Int64, _ connection: Connection) throws(SQLiteError) -> [[SQLiteValue]] {
        let (name, own, place) = (table.quotedIdentifier, self.owner.quotedIdentifier, position.quotedIdentifier)
        let tie = try connection.rows(
            "SELECT 1 FROM \(name) WHERE \(own) = ?1 AND \(place) IS NOT NULL GROUP BY \(place) HAVING count(*) > 1 LIMIT 1",
            [.integer(owner)])
        if tie.isEmpty { return [] }
        let list = keys.map(\.quotedIdentifier).joined(separator: ", ")
        let rows = try connection.rows(
            "SELECT \(place), \(list) FROM \(name) WHERE \(own) = ?1 ORDER BY \(place), \(list)", [.integer(owner)])
        let old = rows.map { row -> Int64? in if case .integer(let position) = row[0] { position } else { nil } }
        var changed: [[SQLiteValue]] = []
        let condition = keys.enumerated().map { "\($1.quotedIdentifier) = ?\($0 + 2)" }.joined(separator: " AND ")
        for (index, position) in OrderKeys.keys(replacing: old).enumerated() where position != old[index] {
            let key = Array(rows[index].dropFirst())
            let statement = try connection.statement("UPDATE \(name) SET \(place) = ?1 WHERE \(condition)")
            for (place, value) in ([.integer(position)] + key).enumerated() { statement.bind(value, Int32(place + 1)) }
            try statement.run()
            changed.append(key)
        }
        return changed
    }
}
