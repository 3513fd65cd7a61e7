import AshlarSQLite

/// Raw values without a case that an undo restores in rows.
extension PendingSave {
    /// Writes the raw values in place of their substitute case, into rows that this save has just written.
    func writeUnknownRawValues(_ connection: Connection) throws {
        if pending.unknownRawValues.isEmpty { return }
        // The rows that this save has written, and their columns.
        var written: [ObjectIdentifier: (rowID: Int64, mask: UInt64)] = [:]
        for object in inserts where pending.unknownRawValues[ObjectIdentifier(object)] != nil {
            written[ObjectIdentifier(object)] = (permanentRowIDs[object.record.rowID] ?? object.record.rowID, .max)
        }
        for update in updates where pending.unknownRawValues[ObjectIdentifier(update.object)] != nil {
            written[ObjectIdentifier(update.object)] = (update.rowID, update.mask)
        }
        for kept in pending.unknownRawValues.values.sorted(by: { $0.object.identifier < $1.object.identifier }) {
            let object = kept.object
            guard let (rowID, mask) = written[ObjectIdentifier(object)] else { continue }
            for (column, value) in kept.values.sorted(by: { $0.key < $1.key })
            where mask & ManagedObject.bit(of: column) != 0 && object.isUnknown(column) {
                let (table, name) = (object.entity.tableName, object.entity.columns[column].name)
                let statement = try connection.statement(
                    "UPDATE \(table.quotedIdentifier) SET \(name.quotedIdentifier) = ?1 WHERE \"id$\" = ?2")
                statement.bind(value, 1)
                statement.bind(rowID, 2)
                try run(statement, object)
            }
        }
    }
}
