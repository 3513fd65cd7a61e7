import Ashlar
import AshlarSQLite
import Foundation

/// Removes the store's own changes, applies the log's entries, and reapplies the own changes, in one transaction, so
/// that no reader sees a state in between.
final class Following {
    let container: ModelContainer
    let connection: Connection
    let tables: SyncedTables
    let model: ChangedTables
    let shadow: ShadowTables
    let merge: PropertyMerge
    let author: String
    private let modelHash: String
    var told = ToldChanges()
    var events: [SyncEvent] = []
    var drafts: [EventDraft] = []
    /// The changes of this store that remove rows.
    var ownRemovals: [RowChange] = []
    /// The objects that have other numbers, or are others now.
    private var renumbered: [(table: String, old: Int64, new: Int64)] = []
    /// The changes by which others removed rows, or references to them, with the rows before; only those that changes
    /// of this store may need.
    var removed: [RowChange] = []
    private(set) var isNotingRemovals = false
    /// Whether rows changed or went whose large values may be in files of their own.
    private(set) var hasReplacedFiles = false
    /// An entry that does not fit the rows that it follows. Every store that reads it finds the same, so all continue
    /// alike without it.
    ///
    /// A savepoint for each entry would make SQLite write every changed page once more. So everything is undone, and
    /// done again with savepoints; see ``isCareful``.
    struct Misfit: Error {
        var position: Int64
        var reason: String
    }

    /// The entries that are left out, with the reasons.
    var misfits: [Int64: String] = [:]
    /// True to undo each entry alone if it does not fit.
    var isCareful = false
    private(set) lazy var rowCheck = RowCheck(model, merge.narrowColumns)

    let range: ClosedRange<Int64>
    /// The properties of tables, as they are settled.
    var propertiesOfTables: [String: [MergedProperty]] = [:]

    /// - Parameter range: The numbers that the store gives.
    init(
        _ container: ModelContainer, _ connection: Connection, modelHash: String, range: ClosedRange<Int64>,
        merge: PropertyMerge,
        author: String
    ) throws {
        self.range = range
        self.modelHash = modelHash
        self.container = container
        self.connection = connection
        self.merge = merge
        self.author = author
        model = ChangedTables(container.model, connection)
        tables = try SyncedTables(model)
        shadow = ShadowTables(tables: tables, connection: connection)
    }

    /// The changes to report to contexts.
    var changes: ChangedObjects {
        var changes = told.changes
        changes.renumbered = renumbered.compactMap { table, old, new in
            model.identifier(table, old, discriminator: nil, container).map { ($0, new) }
        }
        return changes
    }

    // MARK: Following

    /// Makes entries of the log a part of the store.
    ///
    /// - Parameters:
    ///   - entries: Entries that follow the store's head, or the snapshot.
    ///   - largeValues: The values that they name.
    ///   - isRenumbering: Whether new objects of this store get other numbers, as a copy of it may have given the same.
    ///   - file: A snapshot that the store begins with.
    ///   - arrived: Changes of this store that the entries or the snapshot have too.
    func follow(
        _ entries: [LoggedSyncEntry], largeValues: [String: Data] = [:], isRenumbering: Bool = false,
        snapshot file: Connection? = nil, arrived: [RowChange] = []
    ) throws {
        let marks = try KeptIdentifierMarks(model.objectTables, connection, in: "main")
        let pending = try takeOff(settling: arrived)
        isNotingRemovals = !pending.isEmpty
        if let file {
            try connection.recordingHistory(of: HistoryOrigin(author: author)) { try replaceRows(with: file) }
        }
        let known = EntryMarks(connection: connection)
        for logged in entries {
            try known.note(logged.entry.id, at: logged.position)
            let entry = logged.entry
            let origin = HistoryOrigin(author: entry.author ?? author, contextName: entry.site.uuidString)
            try carefully(logged) { try connection.recordingHistory(of: origin) { try fold(logged, largeValues) } }
        }
        try marks?.restore(connection)
        try putOn(pending, isRenumbering: isRenumbering)
    }

    /// The changes by which the rows, as the log had them, differ from a file, reapplied on top of entries that follow
    /// the file. The caller must undo the transaction.
    func lostChanges(
        since file: Connection, _ entries: [LoggedSyncEntry], _ largeValues: [String: Data],
        where isWanted: (RowChange) -> Bool
    ) throws -> [RowChange] {
        _ = try takeOff()
        let lost = try changes(since: file).filter(isWanted)
        isNotingRemovals = !lost.isEmpty
        try replaceRows(with: file)
        for logged in entries { try carefully(logged) { try fold(logged, largeValues) } }
        // The entries that are left out have events when they are followed.
        events = []
        try putOn(lost, isRenumbering: false)
        return try shadow.pendingChanges()
    }

    /// Replaces all rows with those of a snapshot, and reapplies the store's own changes.
    ///
    /// - Parameter pending: The store's own changes. The rows may differ from those before these changes.
    func adopt(snapshot file: Connection, pending: [RowChange]) throws {
        let marks = try KeptIdentifierMarks(model.objectTables, connection, in: "main")
        try SyncState.setRecording(false, connection)
        try shadow.clear()
        isNotingRemovals = !pending.isEmpty
        try connection.recordingHistory(of: HistoryOrigin(author: author)) { try replaceRows(with: file) }
        try marks?.restore(connection)
        try putOn(pending, isRenumbering: false)
    }

    /// Returns the differences between a file without the store's own changes and the store.
    func changes(since file: Connection) throws -> [RowChange] {
        let theirs = try SyncedTables(fileOf: file)
        var changes: [RowChange] = []
        for table in tables.all {
            guard theirs.byName[table.name] != nil else { continue }
            let order = table.stored.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
            let query = "SELECT \(table.columnList()) FROM \(table.name.quotedIdentifier) ORDER BY \(order)"
            let (before, now) = (try file.statement(query), try connection.statement(query))
            defer {
                before.reset()
                now.reset()
            }
            func next(_ statement: Statement) throws -> (key: RowKey, row: [SQLiteValue])? {
                guard try statement.step() else { return nil }
                let row = statement.values
                return table.key(of: row).map { ($0, row) }
            }
            var (old, new) = (try next(before), try next(now))
            while old != nil || new != nil {
                if let found = new, old.map({ found.key < $0.key }) ?? true {
                    changes.append(
                        RowChange(table: table, operation: .insert, key: found.key, values: found.row.map { $0 }))
                    new = try next(now)
                } else if let found = old, new.map({ found.key < $0.key }) ?? true {
                    changes.append(
                        RowChange(table: table, operation: .delete, key: found.key, values: [], old: found.row))
                    old = try next(before)
                } else if let was = old, let found = new {
                    let change = try ShadowTables.update(table, was.key, from: was.row, to: found.row, connection)
                    if let change { changes.append(change) }
                    (old, new) = (try next(before), try next(now))
                }
            }
        }
        return changes
    }

    /// Removes the store's own changes.
    ///
    /// - Parameter arrived: The changes among them that need not be reapplied.
    private func takeOff(settling arrived: [RowChange] = []) throws -> [RowChange] {
        let all = try shadow.pendingChanges()
        var pending = all
        if !arrived.isEmpty {
            try shadow.settle(arrived)
            pending = try shadow.pendingChanges()
        }
        try SyncState.setRecording(false, connection)
        try connection.recordingHistory(of: HistoryOrigin(author: author)) {
            var folder = RowFolder(connection)
            let inverses = all.map(\.inverse)
            try folder.fold(inverses)
            for change in inverses { note(change) }
        }
        try shadow.clear()
        return pending
    }

    /// Undoes an entry that does not fit, and leaves it out.
    private func carefully(_ logged: LoggedSyncEntry, _ body: () throws -> Void) throws {
        if !isCareful { return try body() }
        try connection.execute("SAVEPOINT \"ashlar$entry\"")
        do {
            try body()
        } catch let misfit as Misfit {
            try connection.execute("ROLLBACK TO \"ashlar$entry\"")
            // No row refers to the files that were written for its large values.
            hasReplacedFiles = true
            reject(logged, misfit.reason)
        }
        try connection.execute("RELEASE \"ashlar$entry\"")
    }

    /// - Throws: ``Misfit`` for an entry that no store can apply.
    private func fold(_ logged: LoggedSyncEntry, _ largeValues: [String: Data]) throws {
        let reason = logged.entry.reasonToLeaveOut(fromRowsOf: modelHash) ?? misfits[logged.position]
        if let reason { return reject(logged, reason) }
        do {
            let changes = try EntryBody.changes(
                in: logged.entry.body, tables, largeValues: largeValues, check: rowCheck.check
            )
            .map(placed)
            if isNotingRemovals { try noteRemovals(changes) }
            var folder = RowFolder(connection)
            try folder.fold(changes)
            for change in changes { note(change) }
        } catch let error as EntryBody.Malformed {
            throw Misfit(position: logged.position, reason: error.reason)
        } catch let error as RowFolder.Mismatch {
            throw Misfit(position: logged.position, reason: error.reason)
        }
    }

    /// Returns a change of another store with large values in files, for the columns that the model keeps in files.
    func placed(_ change: RowChange) throws -> RowChange {
        guard let names = model.externalColumns[change.table.name] else { return change }
        var change = change
        for position in change.values.indices where names.contains(change.table.stored.columns[position]) {
            // References to large values, and values with a tag because they look like references, stay in their row.
            guard case .blob(let bytes)? = change.values[position], !TaggedBlob.isTagged(bytes),
                TaggedBlob.loggedHash(bytes) == nil
            else { continue }
            change.values[position] = .blob(try connection.placed(bytes))
        }
        return change
    }

    private func reject(_ logged: LoggedSyncEntry, _ reason: String) {
        events.append(
            SyncEvent(
                kind: .entryRejected,
                reason: "entry \(logged.position) of the site \(logged.entry.site) was left out: \(reason)"))
    }

    // MARK: Reporting

    /// Notes that an object has another number, or is another one now.
    func setAlias(_ table: String, _ row: Int64, _ current: Int64) throws(SQLiteError) {
        renumbered.append((table, row, current))
        try connection.run(
            "UPDATE \"ashlar$syncAlias\" SET \"current\" = ?3 WHERE \"table\" = ?1 AND \"current\" = ?2",
            [.text(table), .integer(row), .integer(current)])
        try connection.run(
            "INSERT INTO \"ashlar$syncAlias\" (\"table\", \"row\", \"current\") VALUES (?1, ?2, ?3) "
                + "ON CONFLICT (\"table\", \"row\") DO UPDATE SET \"current\" = excluded.\"current\"",
            [.text(table), .integer(row), .integer(current)])
    }

    func identifier(_ change: RowChange) -> PersistentIdentifier? {
        if change.table.isPairs { return nil }
        let row = change.values.isEmpty ? change.old.map { $0 } : change.values
        let discriminator = change.table.entityPosition.flatMap {
            row.isEmpty ? nil : row[$0] ?? change.old.element($0)
        }
        return model.identifier(change.table.name, change.key.first, discriminator: discriminator, container)
    }

    func note(_ change: RowChange) {
        if change.operation != .insert, model.hasExternalValues(change.table.name) { hasReplacedFiles = true }
        if let identifier = identifier(change) { return told.add(change.operation, identifier) }
        guard let pairs = model.tracked[change.table.name]?.pairs, let second = change.key.second else { return }
        for (end, row) in [(pairs.source, change.key.first), (pairs.target, second)] {
            let found = model.identifier(end.entity.tableName, row, discriminator: nil, container)
            if let found { told.add(.update, found) }
        }
    }
}

extension Array {
    /// The element at a position; nil if there is none.
    func element(_ position: Int) -> Element? { indices.contains(position) ? self[position] : nil }
}

extension SyncEntry {
    /// The reason for which sites leave out an entry without reading its body; nil if they read it.
    func reasonToLeaveOut(fromRowsOf modelHash: String) -> String? {
        if kind != .changes { return "it begins another version and has no snapshot" }
        // The text is not trusted, and may be long.
        return self.modelHash == modelHash
            ? nil : "it has another version of the model (\(self.modelHash.prefix(100)))"
    }
}
