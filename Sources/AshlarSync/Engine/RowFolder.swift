import Ashlar
import AshlarSQLite

/// Makes rows what changes say that they are, without asking anybody: the changes are of a store that was the same, row by
/// row, as this one is.
///
/// So references lead somewhere and unique values are unique once all rows are written. Until then, values that another
/// row still has are replaced by placeholders, and what refers to rows that come later is checked at the end. Rows are
/// written before others are deleted: nothing refers to those any more by then, and no deletion takes a row along.
struct RowFolder {
    /// Why changes do not fit the rows that are there. Whoever folds them anywhere else finds the same.
    struct Mismatch: Error { var reason: String }

    /// A row whose unique values wait for others to be free.
    private struct Parked {
        var change: RowChange
        var values: [SQLiteValue?]
    }

    let connection: Connection
    private var parked: [Parked] = []

    init(_ connection: Connection) { self.connection = connection }

    /// Makes the changes. There is a transaction.
    mutating func fold(_ changes: [RowChange]) throws {
        for change in changes where change.operation != .delete { try write(change) }
        for change in changes where change.operation == .delete && change.table.isPairs { try delete(change) }
        for change in changes where change.operation == .delete && !change.table.isPairs { try delete(change) }
        try finish()
    }

    /// Gives rows the unique values that they waited for, and checks references.
    mutating func finish() throws {
        let (waiting, connection) = (parked, connection)
        parked = []
        for item in waiting {
            if try refusal({ () throws(SQLiteError) in
                try item.change.table.update(item.change.key, item.values, connection)
            }) != nil {
                throw Mismatch(reason: "a value of \(item.change.table.name) is not unique")
            }
        }
        if try connection.hasUnmetReferences() { throw Mismatch(reason: "a reference leads nowhere") }
    }

    mutating func write(_ change: RowChange) throws {
        let connection = connection
        try write(change, change.values) { values throws(SQLiteError) in
            if change.operation == .insert {
                try change.table.insert(values, connection)
            } else {
                try change.table.update(change.key, values, connection)
            }
        }
        if change.operation == .update, connection.changes == 0, change.table.update(of: told(change.values)) != nil {
            throw Mismatch(reason: "there is no row \(change.key.first) of \(change.table.name) to be changed")
        }
    }

    /// The deletion of another row may have taken this one along.
    func delete(_ change: RowChange) throws { try change.table.delete(change.key, connection) }

    private mutating func write(
        _ change: RowChange, _ values: [SQLiteValue?], _ body: ([SQLiteValue?]) throws(SQLiteError) -> Void
    ) throws {
        guard let error = try refusal({ () throws(SQLiteError) in try body(values) }) else { return }
        let unique = change.table.uniquePositions.filter {
            values[$0] != nil && !change.table.keyPositions.contains($0)
        }
        guard error.extendedCode == Self.notUnique, !unique.isEmpty else {
            throw Mismatch(reason: "a constraint of \(change.table.name) refuses a row: \(error)")
        }
        var waiting = [SQLiteValue?](repeating: nil, count: values.count)
        var others = values
        for position in unique {
            waiting[position] = values[position]
            others[position] = values[position].map { ChangedTables.placeholder(for: $0, change.key.first) }
        }
        if let error = try refusal({ () throws(SQLiteError) in try body(others) }) {
            throw Mismatch(reason: "a constraint of \(change.table.name) refuses a row: \(error)")
        }
        parked.append(Parked(change: change, values: waiting))
    }

    private static let notUnique: Int32 = 2067

    private func told(_ values: [SQLiteValue?]) -> [Bool] { values.map { $0 != nil } }
}
