import Ashlar
import AshlarSQLite

/// Puts what a store changed itself on again, over what others made meanwhile.
extension Following {
    func putOn(_ pending: [RowChange], isRenumbering: Bool) throws {
        try SyncState.setRecording(true, connection)
        if pending.isEmpty { return }
        try connection.recordingHistory(of: HistoryOrigin(author: author)) {
            var renumbering = Renumbering(model, tables, connection, container.configuration.url)
            // A store that has no numbers of the log yet keeps those that no log gives.
            let hasNumbers = SyncIdentifiers.leased.contains(range.lowerBound)
            let renumbered =
                !hasNumbers ? pending : try renumbering.renumber(pending, into: range, all: isRenumbering)
            for (table, old, new) in renumbering.numbers {
                try setAlias(table, old, new)
            }
            let application = ChangesetApplication(
                container, connection, own: HistoryNet(), isAnswered: true, { [unowned self] in resolution(of: $0) })
            for change in renumbered where change.operation == .insert && !change.table.isPairs {
                application.merger.yieldingRows[change.table.name, default: []].insert(change.key.first)
            }
            application.merger.combining = { [unowned self] in combined($0, $1, $2, theirs: $3, mine: $4) }
            application.deletedTogether = deletedTogether(renumbered)
            var wanted: [ChangesetApplication.Change] = []
            for change in renumbered {
                if let merged = try joined(change) { wanted.append(merged.application) }
            }
            try application.apply(wanted)
            told.add(application)
            try putBack(renumbered, keeping: application.keptRows)
            try separateMembers(renumbered, application.merger)
            tellMerged(application.merger)
            for (table, rows) in application.merger.aliases.sorted(by: { $0.key < $1.key }) {
                for row in rows.keys.sorted() {
                    try setAlias(table, row, application.merger.current(table, row))
                }
            }
        }
    }

    /// A change of a row with what others made of it.
    private func joined(_ change: RowChange) throws -> RowChange? {
        guard change.operation == .update else { return change }
        let object = identifier(change)
        guard let stored = try change.table.row(change.key, connection) else {
            guard merge.restores(change.table.name, object) else { return change }
            var whole = change
            whole.operation = .insert
            whole.values = zip(change.values, change.old).map { $0 ?? $1 }
            return whole
        }
        let result = merge.merge(change, over: stored, properties: properties(change.table), object)
        if !result.overruled.isEmpty {
            var event = SyncEvent(
                kind: .overruled, entityName: object?.entityName, object: object?.uriRepresentation,
                reason: "changed here and elsewhere")
            for position in result.overruled {
                let name = change.table.stored.columns[position]
                event.wanted[name] = change.values[position]?.eventText
                event.kept[name] = (result.change.values[position] ?? stored[position]).eventText
            }
            events.append(event)
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
        return told.map { Dictionary(uniqueKeysWithValues: $0.map { (table.stored.columns[$0.key], $0.value) }) }
    }

    /// Returns the resolution of a conflict, which an event reports.
    private func resolution(of conflict: ChangesetConflict) -> ChangesetConflict.Resolution {
        var event = SyncEvent(
            kind: .constraint, entityName: conflict.identifier?.entityName,
            object: conflict.identifier?.uriRepresentation,
            reason: conflict.description)
        for (name, value) in conflict.values {
            event.wanted[name] = value.eventText
            event.kept[name] = conflict.storedValues[name]?.eventText
        }
        let resolution = conflict.defaultResolution
        switch (conflict.kind, resolution) {
        case (.constraint, .merge):
            event.kind = .merged
            event.otherObject = conflict.otherIdentifier?.uriRepresentation
        case (.constraint, _) where conflict.operation == .delete: event.kind = .deletionDenied
        case (.constraint, _): event.kind = .constraint
        case (.foreignKey, _): event.kind = .referenceGone
        case (.notFound, _): event.kind = .objectGone
        // What comes later in the log counts, and this does.
        case (.data, _) where conflict.otherIdentifier == nil, (.conflict, _): return resolution
        case (.data, _):
            event.kind = .overruled
            event.otherObject = conflict.otherIdentifier?.uriRepresentation
        }
        events.append(event)
        return resolution
    }

    /// Tells of objects that became one with others because those that they refer to did, and can be referred to once only.
    private func tellMerged(_ merger: ObjectMerger) {
        let told = Set(events.compactMap { $0.kind == .merged ? $0.object : nil })
        for (table, rows) in merger.lostValues.sorted(by: { $0.key < $1.key }) {
            for (row, values) in rows.sorted(by: { $0.key < $1.key }) {
                let discriminator = values["entity$"]
                let object = model.identifier(table, row, discriminator: discriminator, container)
                guard let object, !told.contains(object.uriRepresentation) else { continue }
                let other = model.identifier(
                    table, merger.current(table, row), discriminator: discriminator, container)
                var event = SyncEvent(
                    kind: .merged, entityName: object.entityName, object: object.uriRepresentation,
                    otherObject: other?.uriRepresentation,
                    reason: "what it belongs to became one with another object, which had one like it")
                for (name, value) in values where !name.hasSuffix("$") { event.wanted[name] = value.eventText }
                events.append(event)
            }
        }
    }

    private func setAlias(_ table: String, _ row: Int64, _ current: Int64) throws(SQLiteError) {
        try connection.run(
            "UPDATE \"ashlar$syncAlias\" SET \"current\" = ?3 WHERE \"table\" = ?1 AND \"current\" = ?2",
            [.text(table), .integer(row), .integer(current)])
        try connection.run(
            "INSERT INTO \"ashlar$syncAlias\" (\"table\", \"row\", \"current\") VALUES (?1, ?2, ?3) "
                + "ON CONFLICT (\"table\", \"row\") DO UPDATE SET \"current\" = excluded.\"current\"",
            [.text(table), .integer(row), .integer(current)])
    }
}

extension RowChange {
    /// The change as the one that is applied with rules.
    fileprivate var application: ChangesetApplication.Change {
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
            // Of an object that was deleted, which entity it was of.
            old: operation == .delete
                ? Dictionary(
                    uniqueKeysWithValues: table.entityPosition.flatMap { position in
                        old.element(position).map { [("entity$", $0)] }
                    } ?? [])
                : [:],
            new: new)
    }
}
