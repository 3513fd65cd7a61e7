import Ashlar
import AshlarSQLite
import Foundation

/// A draft of an event while a store follows its log. The final state of the row is known only at the end.
struct EventDraft {
    var kind: SyncEvent.Kind
    var table: String
    /// The number of the object.
    var row: Int64
    var discriminator: SQLiteValue?
    /// The values of the change, by columns.
    var wanted: [String: SQLiteValue] = [:]
    /// The number of the object that it was merged with, or that replaced it.
    var other: Int64?
    /// The columns in which the model's rule, or a closure, combined both values.
    var combined: Set<String> = []
    /// The row, if it was dropped.
    var dropped: DroppedRow?
}

/// A row that was dropped, with all its values, from which it can be made again.
struct DroppedRow: Hashable, Codable {
    /// A value of SQLite, as it is encoded.
    enum Value: Hashable, Codable {
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)
    }

    var table: String
    var row: Int64
    /// The values that are not NULL, by columns.
    var values: [String: Value]
    /// The deleted rows that this one cannot be without, and that have no event of their own.
    var required: [DroppedRow]?

    init(table: String, row: Int64, values: [String: SQLiteValue]) {
        (self.table, self.row) = (table, row)
        self.values = values.compactMapValues { value in
            switch value {
            case .null: nil
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .text(let text): .text(text)
            case .blob(let bytes): .blob(bytes)
            }
        }
    }

    func value(_ column: String) -> SQLiteValue {
        switch values[column] {
        case nil: .null
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .text(let text): .text(text)
        case .blob(let bytes): .blob(bytes)
        }
    }
}

extension Following {
    /// Turns the drafts into events, by comparing them with the final rows.
    func finishEvents(_ merger: ObjectMerger) throws {
        for draft in drafts {
            let row = merger.current(draft.table, draft.row)
            let now = try tables.byName[draft.table]?.row(RowKey(first: row), connection)
            let present = now.map { values(of: $0, draft.table) }
            if let event = try event(draft, present, merger) { events.append(event) }
        }
        drafts = []
    }

    private func event(
        _ draft: EventDraft, _ present: [String: SQLiteValue]?, _ merger: ObjectMerger
    ) throws -> SyncEvent? {
        var wanted = draft.wanted
        if let dropped = draft.dropped {
            for name in dropped.values.keys { wanted[name] = wanted[name] ?? dropped.value(name) }
        }
        let discriminator = draft.discriminator ?? wanted["entity$"] ?? present?["entity$"]
        let object = model.identifier(draft.table, draft.row, discriminator: discriminator, container)
        let whole = wanted.merging(present ?? [:]) { wanted, _ in wanted }
        var event = SyncEvent(
            kind: draft.kind, entityName: object?.entityName, object: object?.uriRepresentation,
            reason: draft.kind.text)
        event.objectName = name(of: whole, draft.table)
        event.dropped = draft.dropped
        var isLost = false
        for column in (model.tracked[draft.table]?.columns ?? []).sorted(by: { $0.name < $1.name }) {
            guard column.part != .order, let value = wanted[column.name], !column.isDerived else { continue }
            let kept = present?[column.name]
            // The change was made all the same.
            if draft.dropped == nil, kept == value { continue }
            if value.isNull, draft.kind == .merged || draft.dropped != nil { continue }
            if !draft.combined.contains(column.name) { isLost = true }
            event.wanted[column.path] = try text(value, column, draft.table, merger)
            event.kept[column.path] = try kept.map { try text($0, column, draft.table, merger) }
        }
        if let other = draft.other {
            let current = merger.current(draft.table, other)
            event.otherObject =
                model.identifier(draft.table, current, discriminator: discriminator, container)?.uriRepresentation
        }
        switch draft.kind {
        case .merged: event.needsAttention = isLost
        case .overruled:
            // Both sides came to the same in the end.
            if event.wanted.isEmpty { return nil }
            event.needsAttention = isLost
        case .restored, .movedAway: event.needsAttention = false
        default: event.needsAttention = true
        }
        return event
    }

    func values(of row: [SQLiteValue], _ table: String) -> [String: SQLiteValue] {
        let names = tables.byName[table]?.stored.columns ?? []
        return Dictionary(zip(names, row), uniquingKeysWith: { first, _ in first })
    }

    /// A readable name of an object: its name or title, or else a unique text.
    func name(of values: [String: SQLiteValue], _ table: String) -> String? {
        let columns = model.tracked[table]?.columns ?? []
        let unique = model.uniqueColumns(of: table)
        let names = ["name", "title", "label"]
        let candidates =
            names.compactMap { name in columns.first { $0.property.lowercased() == name && $0.part == .value } }
            + columns.filter { unique.contains($0.name) && $0.part == .value }
        for column in candidates {
            if case .text(let text)? = values[column.name], !text.isEmpty { return String(text.prefix(80)) }
        }
        return nil
    }

    /// A readable value; for a reference, the name of the object.
    private func text(
        _ value: SQLiteValue, _ column: TrackedTable.Column, _ table: String, _ merger: ObjectMerger
    ) throws -> String {
        if case .integer(let row) = value,
            let reference = model.references.first(where: { $0.table == table && $0.column == column.name })
        {
            let target = model.table(ofRoot: reference.destination)
            let current = merger.current(target, row)
            let stored = try tables.byName[target]?.row(RowKey(first: current), connection)
            let known = stored.map { values(of: $0, target) } ?? removedValues(target, row)
            return known.flatMap { name(of: $0, target) } ?? "\(model.root(of: target)?.name ?? target) \(row)"
        }
        if case .blob(let bytes) = value, TaggedBlob.loggedHash(bytes) != nil || bytes.starts(with: TaggedBlob.fileTag)
        {
            return "a large value"
        }
        return value.eventText
    }

    /// The values of a row that is deleted.
    private func removedValues(_ table: String, _ row: Int64) -> [String: SQLiteValue]? {
        let found = (removed + ownRemovals).last {
            !$0.old.isEmpty && $0.operation == .delete && $0.table.name == table && $0.key.first == row
                && !$0.table.isPairs
        }
        return found.map { values(of: $0.old, table) }
    }
}

extension TrackedTable.Column {
    /// The property, or the key path of a composite's element.
    fileprivate var path: String {
        switch part {
        case .value, .order: property
        case .element(let names), .presence(let names): ([property] + names).joined(separator: ".")
        }
    }
}
