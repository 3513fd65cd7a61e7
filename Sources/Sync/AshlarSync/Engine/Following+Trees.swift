import Ashlar
import AshlarSQLite

/// Moves within trees that together would put objects inside each other.
extension Following {
    /// A move of this store.
    struct Move {
        var reference: TreeReference
        var table: SyncedTable
        var row: Int64
        /// The parent of the object without the move.
        var former: SQLiteValue
    }

    /// The moves among changes that are about to be applied, with the present parents of the objects.
    func moves(_ changes: [RowChange]) throws -> [Move] {
        var moves: [Move] = []
        for reference in container.model.treeReferences {
            guard let table = tables.byName[reference.table],
                let position = table.stored.columns.firstIndex(of: reference.column)
            else { continue }
            for change in changes where change.table === table && change.operation == .update {
                guard case .integer? = change.values[position], let stored = try table.row(change.key, connection)
                else { continue }
                moves.append(
                    Move(reference: reference, table: table, row: change.key.first, former: stored[position]))
            }
        }
        return moves
    }

    /// Undoes moves by which objects would be their own ancestors: others made their moves first.
    func settleCycles(_ moves: [Move], _ merger: ObjectMerger) throws {
        for move in moves {
            let row = merger.current(move.table.name, move.row)
            guard let position = move.table.stored.columns.firstIndex(of: move.reference.column),
                let parent = try cycle(from: row, move)
            else { continue }
            var former = move.former
            if case .integer(let other) = former {
                let current = merger.current(move.table.name, other)
                // The former parent may be gone.
                former = try move.table.row(RowKey(first: current), connection) == nil ? .null : .integer(current)
            }
            var values = [SQLiteValue?](repeating: nil, count: move.table.stored.columns.count)
            values[position] = former
            let change = RowChange(table: move.table, operation: .update, key: RowKey(first: row), values: values)
            try move.table.update(change.key, values, connection)
            note(change)
            drafts.append(
                EventDraft(
                    kind: .cycle, table: move.table.name, row: row,
                    wanted: [move.reference.column: .integer(parent)]))
        }
    }

    /// Returns the parent of an object that is its own ancestor; nil for other objects.
    private func cycle(from row: Int64, _ move: Move) throws -> Int64? {
        guard let position = move.table.stored.columns.firstIndex(of: move.reference.column) else { return nil }
        var (next, seen): (Int64?, Set<Int64>) = (row, [])
        var first: Int64?
        while let current = next, seen.insert(current).inserted {
            next = nil
            if case .integer(let parent)? = try move.table.row(RowKey(first: current), connection)?[position] {
                if parent == row { return first ?? parent }
                first = first ?? parent
                next = parent
            }
        }
        return nil
    }
}
