import Ashlar
import AshlarSQLite

/// Reapplies the store's own changes on top of the changes of others.
extension Following {
    func putOn(_ pending: [RowChange], isRenumbering: Bool) throws {
        try SyncState.setRecording(true, connection)
        if pending.isEmpty { return }
        try connection.recordingHistory(of: HistoryOrigin(author: author)) {
            var renumbering = Renumbering(model, tables, connection, container.configuration.url)
            // A store that has no numbers of the log yet keeps the provisional ones.
            let hasNumbers = SyncIdentifiers.leased.contains(range.lowerBound)
            let renumbered =
                !hasNumbers ? pending : try renumbering.renumber(pending, into: range, all: isRenumbering)
            for (table, old, new) in renumbering.numbers {
                try setAlias(table, old, new)
            }
            let restored = try restorations(for: renumbered)
            let moved = try movedAway(renumbered)
            let own = renumbered.filter { change in
                change.operation != .delete || change.table.isPairs || !moved.contains(DeletedRow(change))
            }
            try apply(restored + own, removing: renumbered, keeping: moved.union(restored.map { DeletedRow($0) }))
        }
    }

    typealias DeletedRow = ChangesetApplication.DeletedRow

    /// Applies changes to the present rows, with the rules of the model.
    ///
    /// - Parameters:
    ///   - removing: The changes that contain all deletions of this store.
    ///   - kept: Objects that stay although they were deleted with others.
    func apply(_ changes: [RowChange], removing: [RowChange] = [], keeping kept: Set<DeletedRow> = []) throws {
        let application = ChangesetApplication(
            container, connection, own: HistoryNet(), isAnswered: true, { [unowned self] in resolution(of: $0) })
        for change in changes where change.operation == .insert && !change.table.isPairs {
            application.merger.yieldingRows[change.table.name, default: []].insert(change.key.first)
        }
        application.merger.combining = { [unowned self] in combined($0, $1, $2, theirs: $3, mine: $4) }
        application.deletedTogether = deletedTogether(changes)
        var wanted: [ChangesetApplication.Change] = []
        for change in changes {
            if let merged = try joined(change) {
                wanted.append(merged.application)
            }
        }
        let moves = try moves(changes)
        ownRemovals = removing
        try application.apply(wanted)
        told.add(application)
        try settleCycles(moves, application.merger)
        try putBack(removing + removed, keeping: application.keptRows.union(kept))
        try separateMembers(changes, application.merger)
        try noteDropped(changes, application.merger)
        tellMerged(application.merger)
        try finishEvents(application.merger)
        for (table, rows) in application.merger.aliases.sorted(by: { $0.key < $1.key }) {
            for row in rows.keys.sorted() {
                try setAlias(table, row, application.merger.current(table, row))
            }
        }
    }

    /// Merges a change with the changes that others made to the same row.
    private func joined(_ change: RowChange) throws -> RowChange? {
        guard change.operation == .update, let stored = try change.table.row(change.key, connection) else {
            return change
        }
        let object = identifier(change)
        let result = merge.merge(change, over: stored, properties: properties(change.table), object)
        if !result.overruled.isEmpty {
            var draft = EventDraft(kind: .overruled, table: change.table.name, row: change.key.first)
            for position in result.overruled {
                draft.wanted[change.table.stored.columns[position]] = change.values[position]
            }
            draft.combined = Set(result.combined.map { change.table.stored.columns[$0] })
            drafts.append(draft)
        }
        return result.change
    }

    private func properties(_ table: SyncedTable) -> [MergedProperty] {
        if let known = propertiesOfTables[table.name] { return known }
        let columns = model.tracked[table.name]?.columns ?? []
        let byName = Dictionary(columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let found = MergedProperty.properties(of: table.stored.columns.map { byName[$0] })
        propertiesOfTables[table.name] = found
        return found
    }

    /// Returns the values of a property's columns for an object that was merged with another.
    private func combined(
        _ name: String, _ row: Int64, _ property: String, theirs: [String: SQLiteValue], mine: [String: SQLiteValue]
    ) -> [String: SQLiteValue]? {
        guard let table = tables.byName[name], let found = properties(table).first(where: { $0.name == property })
        else { return nil }
        func values(_ row: [String: SQLiteValue]) -> [Int: SQLiteValue] {
            var values: [Int: SQLiteValue] = [:]
            for position in found.positions { values[position] = row[table.stored.columns[position]] }
            return values
        }
        let object = model.identifier(name, row, discriminator: nil, container)
        let told = merge.combine(name, found, theirs: values(theirs), mine: values(mine), object)
        return told.map { values in
            Dictionary(
                uniqueKeysWithValues: values.map { position, value in
                    let column = table.stored.columns[position]
                    return (column, merge.narrowColumns[name]?[column]?.bounded(value) ?? value)
                })
        }
    }

    /// Returns the resolution of a conflict, which an event reports.
    private func resolution(of conflict: ChangesetConflict) -> ChangesetConflict.Resolution {
        let resolution = conflict.defaultResolution
        guard let object = conflict.identifier else { return resolution }
        var draft = EventDraft(kind: .constraint, table: conflict.table, row: object.rowID)
        draft.wanted = conflict.values
        draft.discriminator = conflict.values["entity$"] ?? conflict.storedValues["entity$"]
        draft.other = conflict.otherIdentifier?.rowID
        switch (conflict.kind, resolution) {
        case (.constraint, .merge):
            draft.kind = .merged
            let columns = model.tracked[conflict.table]?.columns ?? []
            draft.combined = Set(columns.filter { merge.combines(conflict.table, $0.property) }.map(\.name))
        case (.constraint, _) where conflict.operation == .delete:
            (draft.kind, draft.wanted) = (.deletionDenied, [:])
        case (.constraint, _): draft.kind = .constraint
        case (.foreignKey, _): draft.kind = .referenceGone
        case (.notFound, _): draft.kind = .objectGone
        // The later change in the log wins, and this is the later one.
        case (.data, _) where conflict.otherIdentifier == nil: return resolution
        case (.conflict, _):
            // Two rows have the same number, and this store's row stays.
            draft.kind = .overruled
            draft.wanted = conflict.storedValues
        case (.data, _): draft.kind = .overruled
        }
        drafts.append(draft)
        return resolution
    }

    /// Adds events for objects that were merged because their referenced objects were merged and can be referred to
    /// only once.
    private func tellMerged(_ merger: ObjectMerger) {
        let told = Set(drafts.filter { $0.kind == .merged }.map { DeletedRow(table: $0.table, row: $0.row) })
        for (table, rows) in merger.lostValues.sorted(by: { $0.key < $1.key }) {
            for (row, values) in rows.sorted(by: { $0.key < $1.key }) {
                if told.contains(DeletedRow(table: table, row: row)) { continue }
                var draft = EventDraft(kind: .merged, table: table, row: row, wanted: values)
                draft.other = row
                drafts.append(draft)
            }
        }
    }
}

extension RowChange {
    /// The change as the one that is applied with rules.
    var application: ChangesetApplication.Change {
        var new: [String: SQLiteValue] = [:]
        for (name, value) in zip(table.stored.columns, values) { new[name] = value }
        let kind: ChangesetConflict.Operation =
            switch operation {
            case .insert: .insert
            case .update: .update
            case .delete: .delete
            }
        return ChangesetApplication.Change(
            table: table.stored, operation: kind, key: key.values,
            // For a deleted object, its entity.
            old: operation == .delete
                ? Dictionary(
                    uniqueKeysWithValues: table.entityPosition.flatMap { position in
                        old.element(position).map { [("entity$", $0)] }
                    } ?? [])
                : [:],
            new: new)
    }
}
