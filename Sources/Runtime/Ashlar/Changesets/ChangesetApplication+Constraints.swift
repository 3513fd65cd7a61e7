import AshlarSQLite

/// The handling of changes that a constraint refuses.
extension ChangesetApplication {
    /// A row with placeholders until other rows release its unique values.
    private struct Parked {
        var change: Change
        var row: Int64
        var original: [String: SQLiteValue]
        var wanted: [String: SQLiteValue]
        /// Whether the row keeps its original unique values.
        var keepsOriginal = false
    }

    /// The result of writing the unique values of a parked row.
    private enum Placement {
        /// The row has its values.
        case placed
        /// The row was merged with another one, and needs no values any more.
        case merged
        /// The row must keep its original values.
        case refused
    }

    func settleRefused(_ changes: [Change]) throws {
        var rest = changes
        // Deletions, or other changes in the list, may have released the values.
        while !rest.isEmpty {
            let before = rest.count
            rest = try rest.filter {
                if case .refused = try write($0) { true } else { false }
            }
            if rest.count == before { break }
        }
        try exchange(rest.filter { $0.operation == .update })
        for change in rest where change.operation == .insert { try insert(change) }
    }

    // MARK: Updates

    /// Applies updates of rows that may take unique values from each other. All rows release their values first.
    private func exchange(_ changes: [Change]) throws {
        var waiting: [Parked] = []
        for change in changes {
            guard let row = change.row, let stored = try change.table.values(of: change.key, connection) else {
                _ = try settle(.constraint, change, stored: nil)
                continue
            }
            let unique = tables.uniqueColumns(of: change.table.name)
            let item = Parked(
                change: change, row: row, original: stored.filter { unique.contains($0.key) },
                wanted: change.new.filter { unique.contains($0.key) })
            var others = change.new
            for (name, value) in item.original { others[name] = ChangedTables.placeholder(for: value, row) }
            let error = try refusal { () throws(SQLiteError) in
                try change.table.update(change.key, others, connection)
            }
            if error == nil {
                waiting.append(item)
            } else {
                // The constraint does not concern unique values.
                _ = try settle(.constraint, change, stored: stored)
            }
        }
        var position = 0
        while position < waiting.count {
            let item = waiting[position]
            position += 1
            switch try place(item) {
            case .placed: continue
            case .merged:
                position -= 1
                waiting.remove(at: position)
                continue
            case .refused: break
            }
            // The row keeps its original values, which another row may have taken in the meantime.
            waiting[position - 1].keepsOriginal = true
            let first = waiting.filter(\.keepsOriginal)
            waiting = first + waiting.filter { !$0.keepsOriginal }
            for item in waiting { try park(item) }
            position = 0
        }
    }

    private func park(_ item: Parked) throws(SQLiteError) {
        var placeholders: [String: SQLiteValue] = [:]
        for (name, value) in item.original { placeholders[name] = ChangedTables.placeholder(for: value, item.row) }
        try item.change.table.update(item.change.key, placeholders, connection)
    }

    /// Writes the unique values of a row.
    private func place(_ item: Parked) throws -> Placement {
        let table = item.change.table
        // The row was merged with another one.
        if merger.current(table.name, item.row) != item.row { return .merged }
        let wanted = item.original.merging(item.keepsOriginal ? [:] : item.wanted) { $1 }
        let values = merger.currentReferences(wanted, table)
        let error = try refusal { () throws(SQLiteError) in
            try table.update(item.change.key, values, connection)
        }
        if error == nil {
            try note(item.change, as: .update)
            return .placed
        }
        // A merged row may have taken the original value of this one.
        if item.keepsOriginal { throw ChangesetError.aborted(try conflict(.constraint, item.change)) }
        guard var stored = try table.values(of: item.change.key, connection) else { return .merged }
        stored.merge(values) { $1 }
        let rival = try tables.rival(of: item.row, in: table, stored)
        let resolution = try settle(.constraint, item.change, stored: stored, other: rival)
        guard case .merge(let preference) = resolution, let rival else { return .refused }
        try merge(item.row, rival, table, stored, preference)
        return .merged
    }

    // MARK: Insertions

    private func insert(_ change: Change) throws {
        var change = change
        change.new = merger.currentReferences(change.new, change.table)
        guard case .refused(let error) = try write(change) else { return }
        guard let row = change.row, error.extendedCode == Self.notUnique,
            let rival = try tables.rival(of: row, in: change.table, change.new)
        else {
            _ = try settle(.constraint, change, stored: nil)
            return
        }
        let stored = try change.table.values(of: [.integer(rival)], connection)
        guard case .merge(let preference) = try settle(.constraint, change, stored: stored, other: rival) else {
            return
        }
        var parked = change.new
        for name in tables.uniqueColumns(of: change.table.name) {
            if let value = parked[name] { parked[name] = ChangedTables.placeholder(for: value, row) }
        }
        try change.table.insert(parked, connection)
        try note(change, as: .insert)
        try merge(row, rival, change.table, change.new, preference)
    }

    private static let notUnique: Int32 = 2067

    /// Merges a row, whose unique values are placeholders, with another one.
    private func merge(
        _ row: Int64, _ rival: Int64, _ table: StoredTable, _ wanted: [String: SQLiteValue],
        _ preference: ChangesetConflict.Preference
    ) throws {
        let unique = tables.uniqueColumns(of: table.name)
        try merger.merge(
            table, row, rival, preferring: preference == .stored ? rival : row,
            with: (row, wanted.filter { unique.contains($0.key) }))
    }
}
