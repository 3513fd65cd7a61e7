import AshlarSQLite

extension ChangedTables {
    /// Returns the changes of a changeset. It may come from an untrusted source: its tables, columns, identifiers and
    /// entities must be valid in the store.
    func changes(of changeset: Changeset) throws -> [ChangesetApplication.Change] {
        var reader = ChangesetReader(changeset.data)
        var changes: [ChangesetApplication.Change] = []
        while let found = try reader.next() {
            let shape = try shape(found.table)
            let names = changeset.columns[found.table] ?? shape.columns
            let keys = zip(names, found.keys).filter(\.1).map(\.0)
            guard names.count == found.keys.count, Set(names).count == names.count,
                Set(names).isSubset(of: shape.columns), Set(keys) == Set(shape.keyNames)
            else { throw ChangesetError.otherTable(found.table) }
            let old = Self.values(names, found.old)
            let new = Self.values(names, found.new)
            let operation: ChangesetConflict.Operation =
                switch found.operation {
                case .insert: .insert
                case .update: .update
                case .delete: .delete
                }
            let key = shape.key(operation == .insert ? new : old)
            for (name, value) in zip(shape.keyNames, key) {
                guard Self.isIdentifier(value) else {
                    throw ChangesetError.invalidValue(table: shape.name, column: name)
                }
            }
            try check(new, operation, shape)
            changes.append(
                ChangesetApplication.Change(table: shape, operation: operation, key: key, old: old, new: new))
        }
        return changes
    }

    private static func values(_ names: [String], _ values: [SQLiteValue?]) -> [String: SQLiteValue] {
        var result: [String: SQLiteValue] = [:]
        for (name, value) in zip(names, values) { result[name] = value }
        return result
    }

    /// Returns whether a value is a row number that leaves others free above it.
    private static func isIdentifier(_ value: SQLiteValue) -> Bool {
        if case .integer(let row) = value { row >= 1 && row <= IdentifierRange.limit } else { false }
    }

    private func check(
        _ values: [String: SQLiteValue], _ operation: ChangesetConflict.Operation, _ table: StoredTable
    ) throws(ChangesetError) {
        for reference in references where reference.table == table.name {
            guard let value = values[reference.column], !value.isNull, !Self.isIdentifier(value) else { continue }
            throw .invalidValue(table: table.name, column: reference.column)
        }
        guard table.columns.contains("entity$"), operation == .insert || values["entity$"] != nil else { return }
        let entity = entity(of: table.name, values["entity$"])
        if entity == nil || entity?.isAbstract == true { throw .invalidValue(table: table.name, column: "entity$") }
    }
}
