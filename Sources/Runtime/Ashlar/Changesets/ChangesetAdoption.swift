import AshlarSQLite

/// Changes rows to their state in the answer of a primary, within one transaction.
///
/// Rows that the answer omits are the same in both stores, and the primary's rows are consistent. So once all rows are
/// written, references lead to existing rows and unique values are unique. Until then, placeholders replace values that
/// another row still has. Rows are written before others are deleted: by then nothing refers to the deleted rows, so
/// that no deletion cascades.
final class ChangesetAdoption {
    private typealias Change = ChangesetApplication.Change

    /// A row with placeholders until other rows release its unique values.
    private struct Parked {
        var change: Change
        var values: [String: SQLiteValue]
    }

    private let container: ModelContainer
    private let connection: Connection
    private let tables: ChangedTables
    private var parked: [Parked] = []
    private(set) var changes = ChangedObjects()

    init(_ container: ModelContainer, _ connection: Connection) {
        self.container = container
        self.connection = connection
        tables = ChangedTables(container.model, connection)
    }

    func adopt(_ answer: Changeset) throws {
        let told = try tables.changes(of: answer)
        let marks = try KeptIdentifierMarks(tables.objectTables, connection, in: container.stores[0].schemaName)
        for change in told where change.operation != .delete { try write(change) }
        // Pairs are deleted before their objects.
        for isPair in [true, false] {
            for change in told where change.operation == .delete && (change.row == nil) == isPair {
                guard try change.table.row(change.key, connection) != nil else { continue }
                try change.table.delete(change.key, connection)
                note(change, \.deleted)
            }
        }
        for item in parked {
            try requireNoRefusal(item.change) { () throws(SQLiteError) in
                try item.change.table.update(item.change.key, item.values, connection)
            }
        }
        try checkReferences()
        try marks?.restore(connection)
    }

    private func write(_ change: Change) throws {
        guard let stored = try change.table.values(of: change.key, connection) else {
            try write(change, change.new) { values throws(SQLiteError) in try change.table.insert(values, connection) }
            return note(change, \.inserted)
        }
        var values: [String: SQLiteValue] = [:]
        for (name, value) in change.new where change.table.isWritable(name) {
            if try tables.content(stored[name] ?? .null) != value { values[name] = value }
        }
        if values.isEmpty { return }
        try write(change, values) { values throws(SQLiteError) in
            try change.table.update(change.key, values, connection)
        }
        note(change, \.updated)
    }

    /// Writes values, with placeholders for unique ones that another row still has.
    private func write(
        _ change: Change, _ values: [String: SQLiteValue], _ body: ([String: SQLiteValue]) throws(SQLiteError) -> Void
    ) throws {
        if try refusal({ () throws(SQLiteError) in try body(values) }) == nil { return }
        let unique = tables.uniqueColumns(of: change.table.name)
        let item = Parked(change: change, values: values.filter { unique.contains($0.key) })
        guard let row = change.row, !item.values.isEmpty else {
            throw ChangesetError.diverged(table: change.table.name)
        }
        var others = values
        for (name, value) in item.values { others[name] = ChangedTables.placeholder(for: value, row) }
        try requireNoRefusal(change) { () throws(SQLiteError) in try body(others) }
        parked.append(item)
    }

    private func requireNoRefusal(_ change: Change, _ body: () throws(SQLiteError) -> Void) throws {
        if try refusal(body) != nil { throw ChangesetError.diverged(table: change.table.name) }
    }

    /// Reports the table of an invalid reference, which the commit would refuse without naming it.
    private func checkReferences() throws {
        guard try connection.hasUnmetReferences() else { return }
        if let row = try connection.foreignKeyViolations(limit: 1).first {
            throw ChangesetError.diverged(table: row.table)
        }
    }

    private func note(_ change: Change, _ list: WritableKeyPath<ChangedObjects, [PersistentIdentifier]>) {
        if let root = tables.root(of: change.table.name), let row = change.row {
            let entity = tables.entity(of: change.table.name, change.new["entity$"]) ?? root
            changes[keyPath: list].append(
                PersistentIdentifier(
                    rowID: row, store: container.storeNumber(of: root.number.root), entity: entity.number))
        } else if let pairs = tables.tracked[change.table.name]?.pairs {
            for (end, value) in zip([pairs.source, pairs.target], change.key) {
                guard case .integer(let row) = value else { continue }
                changes.updated.append(
                    PersistentIdentifier(
                        rowID: row, store: container.storeNumber(of: end.entity.number.root), entity: end.entity.number)
                )
            }
        }
    }
}
