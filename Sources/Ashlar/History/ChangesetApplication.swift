import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// Applies a changeset within one transaction.
///
/// Changed rows come before deletions, which may take along what refers to the deleted rows, and what breaks a constraint
/// is tried again after them, when values that must be unique are free.
final class ChangesetApplication {
    typealias Resolver = (ChangesetConflict) throws -> ChangesetConflict.Resolution

    private struct Change {
        var table: StoredTable
        var operation: ChangesetConflict.Operation
        var key: [SQLiteValue]
        /// What columns held before, as far as the changeset tells.
        var old: [String: SQLiteValue]
        var new: [String: SQLiteValue]
    }

    private let container: ModelContainer
    private let connection: Connection
    private let own: HistoryNet
    private let resolve: Resolver
    private let tables: [String: TrackedTable]
    private var shapes: [String: StoredTable] = [:]
    private(set) var inserted: [PersistentIdentifier] = []
    private(set) var updated: [PersistentIdentifier] = []
    private(set) var deleted: [PersistentIdentifier] = []

    init(_ container: ModelContainer, _ connection: Connection, own: HistoryNet, _ resolve: @escaping Resolver) {
        self.container = container
        self.connection = connection
        self.own = own
        self.resolve = resolve
        tables = Dictionary(
            TrackedTable.tables(of: container.model).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func apply(_ changeset: Changeset) throws {
        let changes = try read(changeset)
        // Before anything is changed, since one deletion may take along the row of another.
        let deletions = try changes.filter { try $0.operation == .delete && mayDelete($0) }
        var refused: [Change] = []
        for change in changes where change.operation != .delete {
            if try !write(change) { refused.append(change) }
        }
        for change in deletions {
            try change.table.delete(change.key, connection)
            note(change, in: &deleted)
        }
        for change in refused {
            guard try !write(change, isSettled: true) else { continue }
            _ = try settle(.constraint, change, stored: try change.table.row(change.key, connection))
        }
        try settleReferences()
    }

    // MARK: Reading

    private func read(_ changeset: Changeset) throws -> [Change] {
        var reader = ChangesetReader(changeset.data)
        var changes: [Change] = []
        while let found = try reader.next() {
            let shape = try shape(found.table)
            let names = changeset.columns[found.table] ?? shape.columns
            let keys = zip(names, found.keys).filter(\.1).map(\.0)
            guard names.count == found.keys.count, Set(names).isSubset(of: shape.columns),
                Set(keys) == Set(shape.keyNames)
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
            try shape.checkKey(key)
            changes.append(Change(table: shape, operation: operation, key: key, old: old, new: new))
        }
        return changes
    }

    private static func values(_ names: [String], _ values: [SQLiteValue?]) -> [String: SQLiteValue] {
        var result: [String: SQLiteValue] = [:]
        for (name, value) in zip(names, values) { result[name] = value }
        return result
    }

    private func shape(_ name: String) throws -> StoredTable {
        if let known = shapes[name] { return known }
        guard let table = tables[name] else { throw ChangesetError.otherTable(name) }
        let shape = try StoredTable(table, connection)
        shapes[name] = shape
        return shape
    }

    // MARK: Writing

    private func mayDelete(_ change: Change) throws -> Bool {
        guard let stored = try change.table.row(change.key, connection) else {
            _ = try settle(.notFound, change, stored: nil)
            return false
        }
        guard isDisputed(change, stored) else { return true }
        return try settle(.data, change, stored: stored) == .replace
    }

    /// False where a constraint refuses the row. Other conflicts may have been settled, when it was first tried.
    private func write(_ change: Change, isSettled: Bool = false) throws -> Bool {
        let stored = try change.table.row(change.key, connection)
        do {
            switch (change.operation, stored) {
            case (.insert, nil):
                try change.table.insert(change.new, connection)
                note(change, in: &inserted)
            case (.insert, let stored?):
                // The same row again is no conflict.
                let isSame = zip(change.table.columns, stored).allSatisfy { name, value in
                    name == "version$" || change.table.derived.contains(name) || change.new[name] == value
                }
                if isSame { return true }
                if try !isSettled && settle(.conflict, change, stored: stored) != .replace { return true }
                try change.table.update(change.key, change.new, connection)
                note(change, in: &updated)
            case (_, nil): _ = try settle(.notFound, change, stored: nil)
            case (_, let stored?):
                if !isSettled, isDisputed(change, stored), try settle(.data, change, stored: stored) != .replace {
                    return true
                }
                try change.table.update(change.key, change.new, connection)
                note(change, in: &updated)
            }
            return true
        } catch let error as SQLiteError where error.code == SQLITE_CONSTRAINT {
            return false
        }
    }

    /// Whether this store changed the same of a row.
    private func isDisputed(_ change: Change, _ stored: [SQLiteValue]) -> Bool {
        let compared = change.operation == .delete ? Set(change.old.keys) : Set(change.new.keys)
        for (name, value) in zip(change.table.columns, stored) where compared.contains(name) {
            if name == "version$" || change.table.derived.contains(name) { continue }
            if let old = change.old[name], old != value { return true }
        }
        guard case .integer(let first)? = change.key.first,
            let row = own.rows[change.table.name]?[HistoryNet.Key(first: first, second: second(change.key))]
        else { return false }
        guard change.operation == .update, let columns = row.columns else { return true }
        return !columns.isDisjoint(with: change.new.keys.filter { !change.table.derived.contains($0) })
    }

    private func second(_ key: [SQLiteValue]) -> Int64? {
        if key.count > 1, case .integer(let second) = key[1] { second } else { nil }
    }

    // MARK: Conflicts

    private func settle(
        _ kind: ChangesetConflict.Kind, _ change: Change, stored: [SQLiteValue]?
    ) throws -> ChangesetConflict.Resolution {
        let values = Dictionary(
            zip(change.table.columns, stored ?? []).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
        let conflict = ChangesetConflict(
            kind: kind, operation: change.operation, table: change.table.name, identifier: identifier(change),
            values: change.operation == .delete ? change.old : change.new, storedValues: values)
        return try resolution(of: conflict)
    }

    private func resolution(of conflict: ChangesetConflict) throws -> ChangesetConflict.Resolution {
        let resolution = try resolve(conflict)
        if resolution == .abort { throw ChangesetError.aborted(conflict) }
        if resolution == .replace, conflict.kind != .data, conflict.kind != .conflict {
            throw ChangesetError.cannotReplace(conflict)
        }
        return resolution
    }

    /// Settles references that lead nowhere, which the commit would refuse.
    private func settleReferences() throws {
        var current: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(connection.database, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        if current == 0 { return }
        for table in tables.values.sorted(by: { $0.name < $1.name }) {
            let references = try connection.rows(
                "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?1)", [.text(table.name)])
            for reference in references {
                try settle(
                    reference: reference[0].storedText, to: reference[1].storedText, of: try shape(table.name))
            }
        }
    }

    private func settle(reference column: String, to parent: String, of table: StoredTable) throws {
        let keys = table.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
        let name = column.quotedIdentifier
        let rows = try connection.rows(
            """
            SELECT \(keys) FROM \(table.name.quotedIdentifier) WHERE \(name) IS NOT NULL
            AND \(name) NOT IN (SELECT "id$" FROM \(parent.quotedIdentifier))
            """)
        for key in rows {
            guard let stored = try table.row(key, connection) else { continue }
            let change = Change(table: table, operation: .update, key: key, old: [:], new: [:])
            _ = try settle(.foreignKey, change, stored: stored)
            do {
                guard !table.keyNames.contains(column) else { throw SQLiteError(SQLITE_CONSTRAINT, connection: nil) }
                try table.update(key, [column: .null], connection)
                note(change, in: &updated)
            } catch let error as SQLiteError where error.code == SQLITE_CONSTRAINT {
                try table.delete(key, connection)
                note(change, in: &deleted)
            }
        }
    }

    // MARK: Objects

    private func identifier(_ change: Change) -> PersistentIdentifier? {
        guard case .objects(let entities)? = tables[change.table.name]?.content,
            case .integer(let rowID)? = change.key.first
        else { return nil }
        var discriminator: String?
        if case .text(let name)? = change.new["entity$"] ?? change.old["entity$"] { discriminator = name }
        let entity = entities.first { $0.discriminator == discriminator } ?? entities.first
        return entity.map {
            PersistentIdentifier(
                rowID: rowID, store: container.storeNumber(of: $0.entity.number.root), entity: $0.entity.number)
        }
    }

    private func note(_ change: Change, in list: inout [PersistentIdentifier]) {
        if let identifier = identifier(change) { return list.append(identifier) }
        guard case .pairs(let pairs)? = tables[change.table.name]?.content else { return }
        for (end, value) in zip([pairs.source, pairs.target], change.key) {
            guard case .integer(let rowID) = value else { continue }
            updated.append(
                PersistentIdentifier(
                    rowID: rowID, store: container.storeNumber(of: end.entity.number.root), entity: end.entity.number))
        }
    }
}

extension ModelContainer {
    /// Applies the changes of another store to this one, in one transaction: all of them, or none.
    ///
    ///     try container.apply(changes, author: "sync", conflictsWith: .fetchHistory(after: lastSync).by(excluding: ["sync"])) {
    ///         conflict in conflict.kind == .data ? .replace : .omit
    ///     }
    ///
    /// The store's history, where it is on, has them as a transaction of the author. Contexts that merge what others save
    /// merge them, and saves of objects that were changed so conflict as with those of another context. Deletion rules
    /// that the store keeps apply to what refers to deleted rows.
    ///
    /// - Parameters:
    ///   - changeset: What ``changeset(_:)`` of another store made, or a program with SQLite's session extension.
    ///   - author: The author in this store's history.
    ///   - conflictsWith: What this store changed since it last had what the other had: an update of the same columns of
    ///     a row, or of a row that is deleted, is a ``ChangesetConflict/Kind/data``. A patchset does not say what rows
    ///     held before, so that without this only the store's rows that are missing or there already are conflicts.
    ///   - resolvingConflicts: Says what to do about a change that does not fit. It must not use the store.
    /// - Throws: ``ChangesetError``, ``HistoryError``, ``StoreError``, or what the closure throws. Nothing is applied then.
    public func apply(
        _ changeset: Changeset, author: String? = nil, conflictsWith: PersistentHistoryChangeRequest? = nil,
        resolvingConflicts: @escaping (ChangesetConflict) throws -> ChangesetConflict.Resolution = { _ in .abort }
    ) throws {
        if isReadOnly { throw StoreError.readOnly(configuration.url, reason: "the container does not allow saving") }
        try requireOneStore("applying a changeset")
        let application: ChangesetApplication
        do {
            application = try pool.write { connection in
                let application = try connection.transaction {
                    try connection.recordingHistory(of: HistoryOrigin(author: author)) {
                        let own = try conflictsWith.map { try HistoryReader(connection, self, stores[0]).net($0) }
                        let application = ChangesetApplication(
                            self, connection, own: own ?? HistoryNet(), resolvingConflicts)
                        try application.apply(changeset)
                        return application
                    }
                }
                connection.historyDidCommit()
                return application
            }
        } catch let error as SQLiteError {
            throw StoreError(error, configuration.url, doing: "applying a changeset")
        }
        hub.post(
            ContextNotification(
                kind: .didSave, insertedIdentifiers: application.inserted, updatedIdentifiers: application.updated,
                deletedIdentifiers: application.deleted, refreshedIdentifiers: [], invalidatedAllIdentifiers: false,
                author: author), from: nil)
    }
}
