import Ashlar
import AshlarSQLite

/// Applies changes to rows without resolving conflicts: the changes come from a store whose rows were the same as this
/// one's.
///
/// So references are valid and unique values are unique once all rows are written. Until then, placeholders replace
/// values that another row still has, and rows that refer to later rows are checked at the end. Rows are written before
/// others are deleted: by then nothing refers to the deleted rows, so that no deletion removes a row that stays.
struct RowFolder {
    /// The reason why changes do not fit the present rows. Every store that applies them finds the same.
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
        try write(changes[...])
        for change in changes where change.operation == .delete && change.table.isPairs { try delete(change) }
        let objects = changes.filter { $0.operation == .delete && !$0.table.isPairs }
        var rest = objects[...]
        while let change = rest.first {
            let same = rest.prefix(SyncedTable.rowsPerDeletion).prefix { $0.table === change.table }
            let run = same.prefix(Self.powerOfTwo(same.count, atMost: SyncedTable.rowsPerDeletion))
            try change.table.delete(run, connection)
            rest = rest.dropFirst(run.count)
        }
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

    /// Writes insertions and updates; many new rows of one table with one statement.
    mutating func write(_ changes: ArraySlice<RowChange>) throws {
        var rest = changes
        while let change = rest.first {
            let run = Self.insertions(rest)
            rest = rest.dropFirst(max(1, run.count))
            if run.count > 1 {
                let table = change.table
                // Each row is then inserted alone, to find the refused one.
                if try refusal({ [connection] () throws(SQLiteError) in try table.insert(run, connection) }) != nil {
                    for change in run { try write(change) }
                }
            } else if change.operation != .delete {
                try write(change)
            }
        }
    }

    /// The new rows of one table that changes begin with, as many as one statement inserts.
    private static func insertions(_ changes: ArraySlice<RowChange>) -> ArraySlice<RowChange> {
        guard let table = changes.first?.table else { return changes }
        var (count, size) = (0, 0)
        for change in changes.prefix(table.rowsPerInsertion) {
            guard change.operation == .insert, change.table === table, size < 1 << 20 else { break }
            size += change.byteCount
            count += 1
        }
        return changes.prefix(powerOfTwo(count, atMost: table.rowsPerInsertion))
    }

    /// The greatest power of two that a number reaches, or the limit: each number of rows is a statement that is kept.
    private static func powerOfTwo(_ count: Int, atMost limit: Int) -> Int {
        count >= limit ? limit : count == 0 ? 0 : 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
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
    private func delete(_ change: RowChange) throws { try change.table.delete(change.key, connection) }

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

extension RowChange {
    /// The size of its texts and blobs in bytes.
    var byteCount: Int {
        values.reduce(0) { count, value in
            switch value {
            case .text(let text)?: count + text.utf8.count
            case .blob(let bytes)?: count + bytes.count
            default: count
            }
        }
    }
}
