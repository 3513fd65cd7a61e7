import AshlarSQLite

/// Rows that another program changed without a new version.
extension PendingSave {
    /// Returns the objects whose stored values differ from those that the context read, in columns that this save is
    /// about to overwrite, although their rows have the same versions.
    func silentlyOverwritten(_ updates: [Update], _ connection: Connection) throws -> [ManagedObject] {
        try updates.filter { update in
            guard update.mask != 0, update.adopted == nil, let original = update.object.original else { return false }
            return try hasOtherValues(update, original, connection)
        }.map(\.object)
    }

    private func hasOtherValues(_ update: Update, _ original: ValuesBox, _ connection: Connection) throws -> Bool {
        let entity = update.entity
        let statement = try connection.statementForOne(entity)
        statement.bind(update.rowID, 1)
        defer { statement.reset() }
        // Another version is detected elsewhere.
        guard try statement.step(), statement.integer(1) == update.version else { return false }
        let store = container.storeNumber(of: entity.number.root)
        let row = Row(statement: statement.handle, store: store)
        let modelClass = type(of: update.object)
        guard let stored = try? modelClass.object(at: row) else {
            let before = modelClass.object(of: original)
            // Values that the context could not read either may be replaced.
            let identifier = PersistentIdentifier(rowID: update.rowID, store: store, entity: entity.number)
            let known = errors.unreadableValues.filter { $0.identifier == identifier }
            return try entity.ownColumns.contains { column in
                let description = entity.columns[column]
                guard update.mask & ManagedObject.bit(of: column) != 0,
                    !known.contains(where: { $0.property == description.property })
                else { return false }
                return try row.value(Int32(entity.firstColumn + column)) != Self.stored(column, of: before, connection)
            }
        }
        let mask = stored.changes(since: original, in: update.mask)
        if mask == 0 { return false }
        let before = modelClass.object(of: original)
        // A transformer may return another value than it was given, so the stored forms of both are compared.
        return try entity.ownColumns.contains { column in
            guard mask & ManagedObject.bit(of: column) != 0 else { return false }
            return try Self.stored(column, of: stored, connection) != Self.stored(column, of: before, connection)
        }
    }

    private static func stored(
        _ column: Int, of object: ManagedObject, _ connection: Connection
    ) throws(SQLiteError) -> SQLiteValue {
        let statement = try connection.statement("SELECT ?1")
        defer { statement.reset() }
        object.bind(column, to: statement, 1)
        guard statement.bindingError == nil, try statement.step() else { return .null }
        return Row(statement: statement.handle, store: 0).value(0)
    }
}
