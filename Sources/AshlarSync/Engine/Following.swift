import Ashlar
import AshlarSQLite
import Foundation

/// Takes what a store changed itself off, makes what the log has, and puts the store's own changes on again, within one
/// transaction, so that nobody sees a state between.
final class Following {
    let container: ModelContainer
    let connection: Connection
    let tables: SyncedTables
    let model: ChangedTables
    private let shadow: ShadowTables
    private let merge: PropertyMerge
    private let author: String
    private let modelHash: String
    private var told = ToldChanges()
    private(set) var events: [SyncEvent] = []
    /// Whether rows changed or went whose large values may be in files of their own.
    private(set) var hasReplacedFiles = false
    /// The columns that are references, by tables.
    private lazy var referencePositions: [String: [Int]] = {
        var positions: [String: [Int]] = [:]
        for reference in model.references {
            guard let table = tables.byName[reference.table],
                let position = table.stored.columns.firstIndex(of: reference.column)
            else { continue }
            positions[reference.table, default: []].append(position)
        }
        return positions
    }()

    /// An entry that does not fit the rows that it follows. Everybody who reads it finds the same, so that all go on alike without it.
    ///
    /// A savepoint for each entry, to undo a part of one, would have SQLite write down each page that it changes once more. So all
    /// is undone, and done again without the entry.
    struct Misfit: Error {
        var position: Int64
        var reason: String
    }

    /// The entries that are left out, with the reasons.
    var misfits: [Int64: String] = [:]

    private let range: ClosedRange<Int64>

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

    /// What contexts have to be told.
    var changes: ChangedObjects { told.changes }

    // MARK: Following

    /// Makes entries of the log a part of the store.
    ///
    /// - Parameters:
    ///   - entries: Entries that follow the store's head, none of which is of this site.
    ///   - largeValues: The values that they name.
    ///   - isRenumbering: Whether all new objects of this store get other numbers, as a copy of it may have given the same.
    func follow(
        _ entries: [LoggedSyncEntry], largeValues: [String: Data] = [:], isRenumbering: Bool = false
    ) throws {
        let marks = try KeptIdentifierMarks(model.objectTables, connection, in: "main")
        let pending = try takeOff()
        for logged in entries {
            let entry = logged.entry
            let origin = HistoryOrigin(author: entry.author ?? author, contextName: entry.site.uuidString)
            try connection.recordingHistory(of: origin) { try fold(logged, largeValues) }
        }
        try marks?.restore(connection)
        try putOn(pending, isRenumbering: isRenumbering)
    }

    /// Makes all rows what a snapshot says, and puts the store's own changes on again.
    ///
    /// - Parameter pending: The store's own changes where they are known otherwise; the rows need not be as before them then.
    func adopt(snapshot file: Connection, pending known: [RowChange]? = nil) throws {
        let marks = try KeptIdentifierMarks(model.objectTables, connection, in: "main")
        var pending: [RowChange] = []
        if let known {
            pending = known
            try SyncState.setRecording(false, connection)
            try shadow.clear()
        } else {
            pending = try takeOff()
        }
        try connection.recordingHistory(of: HistoryOrigin(author: author)) { try replaceRows(with: file) }
        try marks?.restore(connection)
        try putOn(pending, isRenumbering: false)
    }

    /// What differs between a file, in which the store's own changes are not, and the store.
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

    /// Takes the store's own changes off.
    private func takeOff() throws -> [RowChange] {
        let pending = try shadow.pendingChanges()
        try SyncState.setRecording(false, connection)
        try connection.recordingHistory(of: HistoryOrigin(author: author)) {
            var folder = RowFolder(connection)
            let inverses = pending.map(\.inverse)
            try folder.fold(inverses)
            for change in inverses { note(change) }
        }
        try shadow.clear()
        return pending
    }

    /// - Throws: ``Misfit``, for an entry that nobody can make a part of his store.
    private func fold(_ logged: LoggedSyncEntry, _ largeValues: [String: Data]) throws {
        if logged.entry.kind != .changes { return reject(logged, "it begins another version and has no snapshot") }
        if let reason = misfits[logged.position] { return reject(logged, reason) }
        guard logged.entry.modelHash == modelHash else {
            return reject(logged, "it is of another version of the model (\(logged.entry.modelHash))")
        }
        do {
            let changes = try EntryBody.changes(in: logged.entry.body, tables, largeValues: largeValues, check: check)
                .map(placed)
            var folder = RowFolder(connection)
            try folder.fold(changes)
            for change in changes { note(change) }
        } catch let error as EntryBody.Malformed {
            throw Misfit(position: logged.position, reason: error.reason)
        } catch let error as RowFolder.Mismatch {
            throw Misfit(position: logged.position, reason: error.reason)
        }
    }

    /// A change of somebody else with large values where the model has them: in files of their own.
    private func placed(_ change: RowChange) throws -> RowChange {
        guard let names = model.externalColumns[change.table.name] else { return change }
        var change = change
        for position in change.values.indices where names.contains(change.table.stored.columns[position]) {
            // What is named, or has a tag because it looks like a name, stays in its row.
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

    /// Refuses rows whose entity or references no row may have.
    private func check(_ change: RowChange) throws {
        if let position = change.table.entityPosition, let value = change.values[position] {
            guard let entity = model.entity(of: change.table.name, value), !entity.isAbstract else {
                throw EntryBody.Malformed(reason: "a row of \(change.table.name) is of no entity of the model")
            }
        }
        for position in referencePositions[change.table.name] ?? [] {
            switch change.values[position] {
            case nil, .null?: continue
            case .integer(let row)? where row >= 1 && row <= 1 << 62: continue
            default: throw EntryBody.Malformed(reason: "a row of \(change.table.name) refers to what is no row")
            }
        }
    }

    // MARK: Putting on again

    private func putOn(_ pending: [RowChange], isRenumbering: Bool) throws {
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
            application.merger.combining = { [merge, model, container] table, row, property, theirs, mine in
                merge.combine(
                    table, property, theirs: theirs, mine: mine,
                    model.identifier(table, row, discriminator: nil, container))
            }
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
        let properties = properties(change.table)
        let result = merge.merge(change, over: stored, properties: properties, object)
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

    private var propertiesOfTables: [String: [String?]] = [:]

    private func properties(_ table: SyncedTable) -> [String?] {
        if let known = propertiesOfTables[table.name] { return known }
        let columns = model.tracked[table.name]?.columns ?? []
        let names = Dictionary(columns.map { ($0.name, $0.property) }, uniquingKeysWith: { first, _ in first })
        let found = table.stored.columns.map { names[$0] }
        propertiesOfTables[table.name] = found
        return found
    }

    /// What is done about a change that does not fit, which an event tells.
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

    // MARK: Snapshots

    private func replaceRows(with file: Connection) throws {
        /// What is wrong with the file is no error of the store's.
        func reading<Result>(_ body: () throws -> Result) throws -> Result {
            do { return try body() } catch let error as SQLiteError { throw RowFolder.Mismatch(reason: "\(error)") }
        }
        let theirs = try reading { try SyncedTables(fileOf: file) }
        var folder = RowFolder(connection)
        var deletions: [RowChange] = []
        for table in tables.all {
            guard let source = theirs.byName[table.name], Set(source.stored.columns) == Set(table.stored.columns) else {
                throw RowFolder.Mismatch(reason: "it has no table \(table.name), or one with other columns")
            }
            let list = table.columnList()
            let order = table.stored.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
            let query = "SELECT \(list) FROM \(table.name.quotedIdentifier) ORDER BY \(order)"
            let statement = try reading { try file.statement(query) }
            defer { statement.reset() }
            var keys: Set<RowKey> = []
            // Those that are written next, together where they are new.
            var (next, size): ([RowChange], Int) = ([], 0)
            let mine = try connection.rows("SELECT \(order) FROM \(table.name.quotedIdentifier)")
            for row in mine {
                keys.insert(RowKey(first: row[0].storedInteger, second: row.count > 1 ? row[1].storedInteger : nil))
            }
            while try reading({ try statement.step() }) {
                let values = statement.values
                guard let key = table.key(of: values), key.isValid else {
                    throw RowFolder.Mismatch(reason: "a row of \(table.name) has a key that no row may have")
                }
                var change = RowChange(table: table, operation: .insert, key: key, values: values)
                try check(change)
                if keys.remove(key) != nil {
                    guard let now = try table.row(key, connection),
                        let update = try ShadowTables.update(table, key, from: now, to: values, connection)
                    else { continue }
                    change = update
                }
                change = try placed(change)
                next.append(change)
                size += change.byteCount
                note(change)
                if next.count == table.rowsPerInsertion || size >= 1 << 20 {
                    try folder.write(next[...])
                    (next, size) = ([], 0)
                }
            }
            try folder.write(next[...])
            deletions += keys.sorted().map { RowChange(table: table, operation: .delete, key: $0, values: []) }
        }
        try folder.fold(deletions)
        for change in deletions { note(change) }
    }

    // MARK: Telling

    private func identifier(_ change: RowChange) -> PersistentIdentifier? {
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
    /// The element at a position; nil where there is none.
    fileprivate func element(_ position: Int) -> Element? { indices.contains(position) ? self[position] : nil }
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

/// What was done to objects one after another, taken together.
struct ToldChanges {
    private var wasThere: [PersistentIdentifier: Bool] = [:]
    private var isThere: [PersistentIdentifier: Bool] = [:]

    mutating func add(_ operation: RowChange.Operation, _ identifier: PersistentIdentifier) {
        if wasThere[identifier] == nil { wasThere[identifier] = operation != .insert }
        if operation != .update || isThere[identifier] == nil { isThere[identifier] = operation != .delete }
    }

    mutating func add(_ application: ChangesetApplication) {
        for identifier in application.inserted { add(.insert, identifier) }
        for identifier in application.updated { add(.update, identifier) }
        for identifier in application.deleted { add(.delete, identifier) }
    }

    var changes: ChangedObjects {
        var changes = ChangedObjects()
        for (identifier, was) in wasThere {
            switch (was, isThere[identifier] ?? false) {
            case (false, false): continue
            case (false, true): changes.inserted.append(identifier)
            case (true, false): changes.deleted.append(identifier)
            case (true, true): changes.updated.append(identifier)
            }
        }
        changes.inserted.sort()
        changes.updated.sort()
        changes.deleted.sort()
        return changes
    }
}
