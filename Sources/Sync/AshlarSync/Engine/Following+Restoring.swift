import Ashlar
import AshlarSQLite

/// Restoring rows that others deleted and that changes of this store need.
extension Following {
    /// Notes the rows that changes remove, and the references that they empty, with the rows as they are before.
    func noteRemovals(_ changes: [RowChange]) throws {
        for change in changes {
            let isRemoval =
                change.operation == .delete
                || change.operation == .update
                    && model.references.contains { reference in
                        reference.table == change.table.name
                            && change.table.stored.columns.firstIndex(of: reference.column)
                                .map { change.values[$0] == .null } ?? false
                    }
            guard isRemoval, let row = try change.table.row(change.key, connection) else { continue }
            var noted = change
            noted.old = row
            removed.append(noted)
        }
    }

    /// The insertions that bring back objects that others deleted and that the model keeps for changes of this store.
    ///
    /// These are objects whose deletion a relationship denies, objects that were moved away from the deleted owner, and
    /// objects that the model says to restore. Everything that was deleted with an object comes back with it.
    func restorations(for changes: [RowChange]) throws -> [RowChange] {
        var deleted: [DeletedRow: RowChange] = [:]
        for change in removed where change.operation == .delete && !change.table.isPairs {
            // It may have come back since.
            if try change.table.row(change.key, connection) == nil { deleted[DeletedRow(change)] = change }
        }
        if deleted.isEmpty { return [] }
        var own: [DeletedRow: RowChange] = [:]
        for change in changes where !change.table.isPairs { own[DeletedRow(change)] = change }
        // Deleted here too.
        deleted = deleted.filter { own[$0.key]?.operation != .delete }
        var (roots, asked): ([DeletedRow], [DeletedRow]) = ([], [])
        for change in changes where change.operation != .delete {
            if let pairs = model.tracked[change.table.name]?.pairs, let second = change.key.second {
                for (end, row) in [(pairs.source, change.key.first), (pairs.target, second)]
                where model.deniesDeletion(of: end.entity.tableName, with: change.table.name) {
                    roots.append(DeletedRow(table: end.entity.tableName, row: row))
                }
                continue
            }
            if change.operation == .update, deleted[DeletedRow(change)] != nil {
                if isMovedAway(change, deleted) {
                    roots.append(DeletedRow(change))
                } else if merge.restores(change.table.name, identifier(change)) {
                    asked.append(DeletedRow(change))
                }
            }
            for reference in references(of: change) where reference.reference.denies {
                roots.append(reference.target)
            }
        }
        roots.removeAll { deleted[$0] == nil }
        for row in Set(roots).sorted(by: { ($0.table, $0.row) < ($1.table, $1.row) }) {
            drafts.append(EventDraft(kind: .restored, table: row.table, row: row.row))
        }
        return restorations(of: roots + asked, deleted, own)
    }

    private func restorations(
        of roots: [DeletedRow], _ deleted: [DeletedRow: RowChange], _ own: [DeletedRow: RowChange]
    ) -> [RowChange] {
        var takenAlong: [DeletedRow: [DeletedRow]] = [:]
        for (row, change) in deleted {
            for reference in references(of: change) where reference.reference.isTakenAlong {
                takenAlong[reference.target, default: []].append(row)
            }
        }
        var restored: [DeletedRow: RowChange] = [:]
        var waiting = roots
        while let next = waiting.popLast() {
            guard restored[next] == nil, let change = deleted[next] else { continue }
            let insertion = RowChange(
                table: change.table, operation: .insert, key: change.key, values: change.old.map { $0 })
            restored[next] = insertion
            // The rows that its deletion took along.
            waiting += takenAlong[next] ?? []
            // The rows that it refers to, unless a change of this store gave it other references.
            var wanted = insertion
            if let update = own[next] { wanted.values = zip(update.values, change.old).map { $0 ?? $1 } }
            for reference in references(of: wanted)
            where reference.reference.isRequired || reference.reference.isTakenAlong || reference.reference.denies {
                waiting.append(reference.target)
            }
        }
        // A reference to a row that stays deleted becomes empty.
        return restored.values.map { change in
            var change = change
            for reference in references(of: change)
            where deleted[reference.target] != nil && restored[reference.target] == nil
                && !reference.reference.isRequired
            {
                change.values[reference.position] = .null
            }
            return change
        }.sorted { ($0.table.name, $0.key) < ($1.table.name, $1.key) }
    }

    /// Returns whether a change moves an object away from the owner with which it was deleted.
    private func isMovedAway(_ change: RowChange, _ deleted: [DeletedRow: RowChange]) -> Bool {
        guard let before = deleted[DeletedRow(change)] else { return false }
        return references(of: before).contains { old in
            old.reference.isTakenAlong && deleted[old.target] != nil
                && references(of: change).contains {
                    $0.position == old.position && $0.target != old.target && deleted[$0.target] == nil
                }
        }
    }

    /// The objects that this store deleted only with others, and that others moved away before. They stay, with
    /// everything that was deleted with them.
    func movedAway(_ changes: [RowChange]) throws -> Set<DeletedRow> {
        var deleted: [DeletedRow: RowChange] = [:]
        for change in changes where change.operation == .delete && !change.table.isPairs && !change.old.isEmpty {
            deleted[DeletedRow(change)] = change
        }
        if deleted.count < 2 { return [] }
        var owners: [DeletedRow: Set<DeletedRow>] = [:]
        var kept: Set<DeletedRow> = []
        for (row, change) in deleted {
            let taken = references(of: change).filter { $0.reference.isTakenAlong && deleted[$0.target] != nil }
            if taken.isEmpty { continue }
            owners[row] = Set(taken.map(\.target))
            guard let stored = try change.table.row(change.key, connection) else { continue }
            var now = change
            now.operation = .update
            now.values = stored.map { $0 }
            let present = references(of: now)
            let isMoved = taken.allSatisfy { old in
                present.contains { $0.position == old.position && $0.target != old.target && deleted[$0.target] == nil }
            }
            if isMoved {
                kept.insert(row)
                drafts.append(EventDraft(kind: .movedAway, table: row.table, row: row.row))
            }
        }
        if kept.isEmpty { return kept }
        var count = 0
        while count != kept.count {
            count = kept.count
            for (row, owners) in owners where !kept.contains(row) && owners.isSubset(of: kept) { kept.insert(row) }
        }
        return kept
    }

    /// A reference of a row.
    struct Referred {
        var reference: StoredReference
        var position: Int
        var target: DeletedRow
    }

    /// The references of a change's values; of a deleted row's, those that it had.
    func references(of change: RowChange) -> [Referred] {
        let values: [SQLiteValue?] = change.operation == .delete ? change.old.map { $0 } : change.values
        return model.references.compactMap { reference in
            guard reference.table == change.table.name,
                let position = change.table.stored.columns.firstIndex(of: reference.column),
                case .integer(let row)?? = values.element(position)
            else { return nil }
            let target = DeletedRow(table: model.table(ofRoot: reference.destination), row: row)
            return Referred(reference: reference, position: position, target: target)
        }
    }

    // MARK: Dropped rows

    /// Adds events for rows that are gone although this store did not delete them: its own rows, and rows of others
    /// that its changes removed.
    func noteDropped(_ changes: [RowChange], _ merger: ObjectMerger) throws {
        var own: Set<DeletedRow> = []
        var deleted: [DeletedRow: RowChange] = [:]
        for change in removed + changes where change.operation == .delete && !change.table.isPairs {
            if !change.old.isEmpty { deleted[DeletedRow(change)] = change }
        }
        for change in changes where !change.table.isPairs {
            let row = DeletedRow(change)
            own.insert(row)
            if change.operation == .delete { continue }
            let current = merger.current(row.table, row.row)
            if try change.table.row(RowKey(first: current), connection) != nil { continue }
            var values = change.values.map { $0 ?? .null }
            if change.operation == .update {
                if change.old.isEmpty { continue }
                values = zip(change.values, change.old).map { $0 ?? $1 }
            }
            try noteDropped(row, values, change.table, deleted)
        }
        for change in try shadow.deletions() where !own.contains(DeletedRow(change)) {
            let row = DeletedRow(change)
            if merger.current(row.table, row.row) == row.row {
                try noteDropped(row, change.old, change.table, deleted)
            }
        }
    }

    private func noteDropped(
        _ row: DeletedRow, _ stored: [SQLiteValue], _ table: SyncedTable, _ deleted: [DeletedRow: RowChange]
    ) throws {
        var dropped = try droppedRow(row, stored, table)
        var seen: Set<DeletedRow> = [row]
        dropped.required = try required(by: stored, table, deleted, &seen)
        if let index = drafts.lastIndex(where: { $0.table == row.table && $0.row == row.row && $0.kind != .merged }) {
            drafts[index].dropped = dropped
        } else {
            drafts.append(EventDraft(kind: .dropped, table: row.table, row: row.row, dropped: dropped))
        }
    }

    /// The deleted rows without which a row cannot be.
    private func required(
        by stored: [SQLiteValue], _ table: SyncedTable, _ deleted: [DeletedRow: RowChange],
        _ seen: inout Set<DeletedRow>
    ) throws -> [DroppedRow] {
        var rows: [DroppedRow] = []
        let change = RowChange(table: table, operation: .insert, key: RowKey(first: 0), values: stored.map { $0 })
        for referred in references(of: change) where referred.reference.isRequired {
            guard let owner = deleted[referred.target], seen.insert(referred.target).inserted else { continue }
            rows.append(try droppedRow(referred.target, owner.old, owner.table))
            rows += try required(by: owner.old, owner.table, deleted, &seen)
        }
        return rows
    }

    private func droppedRow(_ row: DeletedRow, _ stored: [SQLiteValue], _ table: SyncedTable) throws -> DroppedRow {
        var values = values(of: stored, row.table)
        for (name, value) in values where value.isReference {
            // The file of a large value goes with its row.
            if case .blob(let bytes) = value, TaggedBlob.loggedHash(bytes) != nil { continue }
            values[name] = try ModelContainer.content(value, connection)
        }
        for key in table.stored.keyNames + ["version$"] { values[key] = nil }
        return DroppedRow(table: row.table, row: row.row, values: values)
    }
}

extension ChangesetApplication.DeletedRow {
    init(_ change: RowChange) { self.init(table: change.table.name, row: change.key.first) }
}
