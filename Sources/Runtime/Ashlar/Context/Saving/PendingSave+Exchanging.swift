import AshlarSQLite

/// Exchanging unique values between objects.
extension PendingSave {
    /// Whether the value that was taken is one that this save also changes in another row.
    var mayExchangeValues: Bool {
        !collisions.isSubset(of: exchanged) && updates.count + deletes.count > 1
    }

    /// Replaces values that rows give up by values that no object has, so that other rows can get them.
    ///
    /// SQLite checks unique values after each row, and two rows that exchange their values have the same one for a
    /// moment. Later in this transaction, each row gets its new value or is deleted.
    func freeExchangedValues(_ connection: Connection) throws {
        if exchanged.isEmpty { return }
        for (object, mask) in updates.map({ ($0.object, $0.mask) }) + deletes.map({ ($0, UInt64.max) }) {
            let entity = object.entity
            for column in entity.ownColumns where mask & ManagedObject.bit(of: column) != 0 {
                let name = entity.columns[column].name
                if exchanged.contains("\(entity.tableName).\(name)") { try free(name, object, connection) }
            }
        }
    }

    private func free(_ column: String, _ object: ManagedObject, _ connection: Connection) throws {
        let name = column.quotedIdentifier
        let statement = try connection.statement(
            """
            UPDATE \(object.entity.tableName.quotedIdentifier) SET \(name) = CASE typeof(\(name))
            WHEN 'integer' THEN -9223372036854775807 + "id$"
            WHEN 'real' THEN -1e290 * "id$"
            WHEN 'text' THEN char(1) || 'ashlar$' || "id$"
            WHEN 'blob' THEN CAST(char(1) || 'ashlar$' || "id$" AS BLOB) END
            WHERE "id$" = ?1
            """)
        statement.bind(object.record.rowID, 1)
        try run(statement, object)
    }
}
