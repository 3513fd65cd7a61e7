import AshlarSQLite

/// Rows that another program changed without telling by their versions.
extension PendingSave {
    /// The objects of which the store has other values than the context read, in what this save is about to overwrite,
    /// although their rows have the same versions.
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
        // One of another version is found by that.
        guard try statement.step(), statement.integer(1) == update.version else { return false }
        let store = container.storeNumber(of: entity.number.root)
        let row = Row(statement: statement.handle, store: store)
        let modelClass = type(of: update.object)
        guard let stored = try? modelClass.object(at: row) else {
            let before = modelClass.object(of: original)
            // What the context knows that it cannot read may be replaced.
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
        // A transformer need not give back what it was given: what it stores of both tells.
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
