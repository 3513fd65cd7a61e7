public import Ashlar
import AshlarSQLite
import Foundation

/// Has a store follow a log, together with the stores of others: what is saved here reaches them, and what they save comes
/// here.
///
///     let container = try ModelContainer(for: FeedModel.self, at: url)    // with its history on
///     let sync = try StoreSync(container, with: StoreLog(at: logURL))
///     Task { try await sync.run() }
///
/// Programs save as ever, with the log or without. The store is at any time what the log makes, with its own changes that the
/// log does not have on top. Where others were faster, these are taken off, the others' are made, and these are put on again, in
/// one transaction: contexts are told of it as of a save of somebody else.
///
/// Make it as soon as the container is made, before anything is saved. One is enough for a store; it works for all programs
/// that have it open.
///
/// Core Data's `NSPersistentCloudKitContainer`, with constraints.
public actor StoreSync {
    let container: ModelContainer
    let log: any SyncLog
    let options: SyncOptions
    let merge: PropertyMerge
    /// What is read of the log only when it is asked for, and who reads it.
    let logged: LoggedColumns
    let loggedValues: LoggedValues
    private let reading: LoggedValues.Reading
    /// How far the store is.
    public internal(set) var status = SyncStatus()
    var isPaused = false
    var listeners: [UUID: AsyncStream<SyncEvent>.Continuation] = [:]
    var mustCompare = false
    /// Whether there may be files of large values that are not needed any more when the log has what was saved. So it is at first,
    /// as a process that was killed may have left some.
    private var mustRemoveFiles = true
    /// Wakes what waits for something to be saved.
    var wake: (() -> Void)?

    /// Has the store follow a log from now on: what is saved in it is kept for others, whether or not anything runs.
    ///
    /// - Throws: ``SyncError``; `HistoryError.notTracked(_:)` where the store's history is off; `StoreError`.
    public init(_ container: ModelContainer, with log: any SyncLog, options: SyncOptions = SyncOptions()) throws {
        self.container = container
        self.log = log
        self.options = options
        merge = PropertyMerge(container.model, options.resolvingConflicts)
        logged = LoggedColumns(container.model)
        loggedValues = LoggedValues(storePath: container.configuration.url.path)
        let reader = LoggedValueReader(log)
        reading = loggedValues.read { try reader.value($0) }
        try container.requireOneStore("following a log")
        guard container.configuration.url.path != "/dev/null" else { throw SyncError.storeInMemory }
        guard try container.isHistoryTracked() else { throw HistoryError.notTracked(container.configuration.url) }
        let file = Self.fileIdentity(container.configuration.url)
        let hash = try container.versionHash()
        var isCopy = false
        var mustCompare = false
        try container.changeTables("preparing to follow a log") { connection in
            for statement in SyncState.definitions { try connection.execute(statement) }
            let tables = try SyncedTables(ChangedTables(container.model, connection))
            let shadow = ShadowTables(tables: tables, connection: connection)
            guard var state = try SyncState(connection) else {
                try shadow.prepare()
                try shadow.keepAbsenceOfAll()
                try SyncState(site: UUID(), modelHash: hash, file: file).write(connection)
                isCopy = true
                return
            }
            if state.head == nil, state.modelHash != hash {
                // It was migrated before it met its log: all that it has is its own, as before.
                try shadow.prepare()
                try shadow.clear()
                try shadow.keepAbsenceOfAll()
                state.modelHash = hash
                try state.write(connection)
            }
            let isComplete = state.modelHash == hash ? try shadow.prepare() : false
            mustCompare = !isComplete && state.head != nil
            if state.file != file {
                // A copy must not speak for the site that the original is, nor give its numbers.
                isCopy = true
                state.file = file
                state.site = UUID()
                state.count = 0
                try state.write(connection)
            }
        }
        self.mustCompare = mustCompare
        if isCopy {
            try container.setIdentifierRange(SyncIdentifiers.firstProvisional...(1 << 62))
        }
        status.head = try container.readRows("reading how far the store is") { try SyncState($0)?.head }
    }

    /// What tells a file from a copy of it; a copy that is moved to the place of the file is a copy.
    private static func fileIdentity(_ url: URL) -> String {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        let number = (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
        let volume = (attributes?[.systemNumber] as? NSNumber)?.uint64Value ?? 0
        return "\(volume):\(number)"
    }

    // MARK: Exchanging

    /// Reads what the log has, and sends what was saved here, until both have all.
    ///
    /// For programs that are woken now and then; ``run()`` does it all the time.
    ///
    /// - Throws: ``SyncError``, ``SyncLogError``, `StoreError`, or what the log throws. Everything that was done until then
    ///   stays done, and the next call goes on from there.
    public func synchronize() async throws {
        status.state = .exchanging
        do {
            try await sendAgain()
            do {
                try await takeNumbers()
            } catch SyncLogError.forbidden {
                // Who may only read needs none.
            }
            try await meetLog()
            try await followOwnVersion()
            var progress = ExchangeProgress()
            while try await exchange(&progress) { try Task.checkCancellation() }
            // Where somebody reads an older state, they are looked at again the next time.
            if mustRemoveFiles {
                mustRemoveFiles = try !container.removeUnusedFiles()
                try removeUnusedValues()
            }
            status.state = .current
        } catch {
            status.state = .waiting(reason: "\(error)")
            throw error
        }
    }

    /// What is known of the log in the course of an exchange.
    private struct ExchangeProgress {
        /// Whether the log has just said that it has nothing after the store's head.
        var isAtHead = false
        /// Whether an entry was refused that was sent before others' were read, and is refused for good after they are.
        var readsFirst = false
        /// What the log last said that its newest entry is.
        var toldHead: Int64 = 0
    }

    /// One step; false where nothing is left to do.
    ///
    /// What is small is sent before anybody asks whether there is something new: a save is one request then, and where others were
    /// faster, the answer mostly has what they sent.
    private func exchange(_ progress: inout ExchangeProgress) async throws -> Bool {
        let state = try readState()
        guard let head = state.head else { return false }
        if progress.isAtHead || !progress.readsFirst {
            if let outgoing = try await nextEntry() {
                if progress.isAtHead || outgoing.isSmall {
                    return try await send(outgoing, state, &progress)
                }
            } else if progress.isAtHead {
                return false
            }
        }
        let entries: [LoggedSyncEntry]
        do {
            entries = try await log.entries(after: head, limit: options.batchCount)
        } catch SyncLogError.compacted {
            try await adoptNewestSnapshot()
            return true
        }
        status.lastContact = Date()
        progress.isAtHead = entries.isEmpty
        if entries.isEmpty, progress.toldHead > head {
            throw SyncLogError.malformed(
                reason: "its newest entry is \(progress.toldHead), and none comes after \(head)")
        }
        try await follow(entries, state)
        return true
    }

    /// Sends an entry, and follows those that came before it.
    private func send(
        _ outgoing: OutgoingEntry, _ state: SyncState, _ progress: inout ExchangeProgress
    ) async throws -> Bool {
        do {
            guard case .moved(let head, let entries) = try await send(outgoing) else {
                progress.isAtHead = true
                return true
            }
            progress.isAtHead = false
            progress.readsFirst = entries.isEmpty
            progress.toldHead = head
            try await follow(entries, state)
            progress.isAtHead = try readState().head == head
        } catch let error as SyncLogError where !progress.isAtHead && !progress.readsFirst && !error.isTransient {
            // What others sent is followed all the same.
            progress.readsFirst = true
        }
        return true
    }

    /// Sends the entry once more of which it is not known whether it arrived, so that it is known from here on.
    private func sendAgain() async throws {
        let outgoing = try container.readRows("reading what is on its way") { try OutgoingEntry($0) }
        guard let outgoing else { return }
        do {
            _ = try await send(outgoing)
        } catch let error as SyncLogError where !error.isTransient {
            // What others sent is followed all the same, and then it is refused again.
        }
    }

    private func send(_ outgoing: OutgoingEntry) async throws -> SyncAppendResult {
        for (hash, bytes) in outgoing.largeValues { try await log.add(bytes, hash: hash) }
        let result = try await log.append(outgoing.entry, after: outgoing.head)
        switch result {
        case .appended(let position):
            guard position == outgoing.head + 1 else {
                throw SyncLogError.malformed(reason: "an entry after \(outgoing.head) got the position \(position)")
            }
            try settle(outgoing, position)
        case .moved(let newHead, _):
            guard newHead > outgoing.head, Self.positions.contains(newHead) else {
                throw SyncLogError.malformed(reason: "its head went from \(outgoing.head) to \(newHead)")
            }
            try container.writeTables("following the log") { try OutgoingEntry.remove($0) }
        }
        status.lastContact = Date()
        return result
    }

    /// No store makes so many entries.
    private static let greatestCount: Int64 = 1 << 62
    /// No log has so many.
    static let positions: ClosedRange<Int64> = 0...(1 << 62)

    /// A log may say anything.
    func check(_ entries: [LoggedSyncEntry], after head: Int64) throws {
        for (index, logged) in entries.enumerated() {
            let before = head + Int64(index)
            guard logged.position == before + 1, Self.positions.contains(logged.position) else {
                throw SyncLogError.malformed(reason: "the entry after \(before) has the position \(logged.position)")
            }
        }
    }

    func readState() throws -> SyncState {
        let state = try container.readRows("reading how far the store is") { try SyncState($0) }
        guard let state else { throw SyncError.damaged }
        status.head = state.head
        return state
    }

    // MARK: Others' entries

    private func follow(_ entries: [LoggedSyncEntry], _ state: SyncState) async throws {
        guard let head = state.head, let last = entries.last else { return }
        try check(entries, after: head)
        status.logHead = max(status.logHead, last.position)
        let outgoing = try container.readRows("reading what is on its way") { try OutgoingEntry($0) }
        var entries = entries[...]
        if let outgoing, let first = entries.first, first.entry.site == outgoing.entry.site,
            first.entry.count == outgoing.entry.count
        {
            // It had arrived, and the answer was lost.
            try settle(outgoing, first.position)
            return
        }
        if let step = entries.firstIndex(where: \.entry.isStep) {
            if step == entries.startIndex { return try await followVersion() }
            entries = entries[..<step]
        }
        var largeValues: [String: Data] = [:]
        for logged in entries {
            // What cannot be read is left out when its turn comes.
            for hash in (try? EntryBody.largeValues(in: logged.entry.body, exceptOf: self.logged)) ?? []
            where largeValues[hash] == nil {
                largeValues[hash] = try await value(hash)
            }
        }
        // The store that this one was copied from, or this one before an older copy took its place.
        let isFork = entries.contains { $0.entry.site == state.site }
        if isFork { try await takeNumbers(isNew: true) }
        do {
            try follow(entries, largeValues, state, isFork: isFork)
        } catch let misfit as Following.Misfit {
            // Those after it are read again.
            let rest = entries.prefix { $0.position <= misfit.position }
            try follow(rest, largeValues, state, isFork: isFork, misfits: [misfit.position: misfit.reason])
        }
    }

    private func follow(
        _ entries: ArraySlice<LoggedSyncEntry>, _ largeValues: [String: Data], _ state: SyncState, isFork: Bool,
        misfits: [Int64: String] = [:]
    ) throws {
        try rebase(dropping: true) { following in
            following.misfits = misfits
            try following.follow(Array(entries), largeValues: largeValues, isRenumbering: isFork)
        } changing: { found in
            guard found.head == state.head, let last = entries.last else { throw CancellationError() }
            found.head = last.position
            // Somebody else may say that he is this site, and has so many entries that no number comes after.
            for logged in entries where logged.entry.site == found.site && logged.entry.count < Self.greatestCount {
                found.count = max(found.count, logged.entry.count)
            }
        }
    }

    func value(_ hash: String) async throws -> Data { try await log.checkedValue(hash: hash) }

    /// Runs what changes rows, in one transaction, with the store's own changes taken off and put on again.
    ///
    /// - Parameter isDropping: Whether an entry that was made of the store's own changes cannot arrive any more.
    func rebase(
        dropping isDropping: Bool = false, _ body: (Following) throws -> Void,
        changing change: (inout SyncState) throws -> Void = { _ in }
    ) throws {
        let range = try container.identifierRange() ?? SyncIdentifiers.firstProvisional...(1 << 62)
        let events = try writing("following the log", options.author, to: container.stores[0]) {
            connection in
            guard var state = try SyncState(connection) else { throw SyncError.damaged }
            try change(&state)
            let following = try Following(
                container, connection, modelHash: state.modelHash, range: range, merge: merge, author: options.author)
            try body(following)
            if isDropping { try OutgoingEntry.remove(connection) }
            try state.write(connection)
            mustRemoveFiles = mustRemoveFiles || following.hasReplacedFiles
            return (try SyncEvent.keep(following.events, connection), following.changes)
        }
        tell(events)
        _ = try readState()
    }

    private func writing(
        _ doing: String, _ author: String, to store: PersistentStore,
        _ body: (Connection) throws -> ([SyncEvent], ChangedObjects)
    ) throws -> [SyncEvent] {
        do {
            return try container.writeChanges(doing, author, to: store, body)
        } catch let error as ExternalDataError {
            throw SyncError.unwritableFile(error.url, reason: error.reason)
        }
    }

    // MARK: Own entries

    /// The entry that is to be sent next, made of all that was saved here; nil where there is nothing.
    private func nextEntry() async throws -> OutgoingEntry? {
        while true {
            var mustRenumber = false
            let made = try container.writeTables("gathering what was saved") { connection -> OutgoingEntry? in
                if let known = try OutgoingEntry(connection) { return known }
                guard let state = try SyncState(connection), let head = state.head else { throw SyncError.damaged }
                let shadow = ShadowTables(
                    tables: try SyncedTables(ChangedTables(container.model, connection)), connection: connection)
                let pending = try shadow.pendingChanges()
                status.pendingCount = pending.count
                if pending.isEmpty {
                    if try !shadow.isEmpty() { try shadow.clear() }
                    return nil
                }
                mustRemoveFiles = mustRemoveFiles || pending.contains { $0.old.contains(where: \.isReference) }
                mustRenumber = pending.contains(where: Renumbering.isNeeded)
                if mustRenumber { return nil }
                let body = try EntryBody(pending, largeFrom: options.largeValueThreshold) {
                    try ModelContainer.content($0, connection)
                }
                let outgoing = OutgoingEntry(
                    entry: SyncEntry(
                        kind: .changes, site: state.site, count: state.count + 1, modelHash: state.modelHash,
                        author: options.entryAuthor, date: Date(), body: body.data),
                    head: head, newest: try ModelContainer.newestChange(connection), largeValues: body.largeValues)
                try outgoing.write(connection)
                return outgoing
            }
            guard mustRenumber else { return made }
            try await takeNumbers()
            try rebase({ try $0.follow([]) })
        }
    }

    /// Counts an entry as what the log has.
    private func settle(_ outgoing: OutgoingEntry, _ position: Int64) throws {
        try container.writeTables("noting what was sent") { connection in
            guard var state = try SyncState(connection) else { throw SyncError.damaged }
            guard state.head == position - 1 else {
                // It came with others' entries, or with a snapshot.
                if (state.head ?? 0) >= position { try OutgoingEntry.remove(connection) }
                return
            }
            // Of a version before the last migration, whose rows are compared when the log's version is followed.
            if outgoing.entry.modelHash == (try container.versionHash()) {
                let shadow = ShadowTables(
                    tables: try SyncedTables(ChangedTables(container.model, connection)), connection: connection)
                if try ModelContainer.newestChange(connection) == outgoing.newest {
                    try shadow.clear()
                } else {
                    try shadow.settle(
                        EntryBody.changes(in: outgoing.entry.body, shadow.tables, largeValues: outgoing.largeValues))
                }
            }
            if !logged.isEmpty {
                for hash in outgoing.largeValues.keys.sorted() { try LoggedColumns.noteGiven(hash, connection) }
            }
            state.head = position
            state.count = max(state.count, outgoing.entry.count)
            try state.write(connection)
            try OutgoingEntry.remove(connection)
        }
        status.logHead = max(status.logHead, position)
        status.pendingCount = 0
        _ = try readState()
    }

    // MARK: Numbers

    /// Has the log give the store numbers for new objects, where it has none of the log's, or few are left.
    ///
    /// - Parameter isNew: Whether it needs others than those that it has.
    func takeNumbers(isNew: Bool = false) async throws {
        if !isNew, let known = try container.identifierRange(), SyncIdentifiers.leased.contains(known.lowerBound),
            try !isNearlyUsed(known)
        {
            return
        }
        let range = try await log.leaseIdentifiers(site: readState().site, count: options.leaseCount)
        guard SyncIdentifiers.leased.contains(range.lowerBound), SyncIdentifiers.leased.contains(range.upperBound)
        else {
            throw SyncLogError.malformed(reason: "it gives the numbers \(range)")
        }
        try container.setIdentifierRange(range)
    }

    private func isNearlyUsed(_ range: ClosedRange<Int64>) throws -> Bool {
        let used = try container.readRows("reading the numbers that are used") {
            try $0.integer(
                "SELECT max(\"seq\") FROM \"sqlite_sequence\" WHERE \"seq\" BETWEEN ?1 AND ?2",
                [.integer(range.lowerBound), .integer(range.upperBound)])
        }
        return (used ?? 0) > range.upperBound - Int64(range.count / 10)
    }
}
