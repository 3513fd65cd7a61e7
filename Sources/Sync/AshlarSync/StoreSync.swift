public import Ashlar
import AshlarSQLite
import Foundation

/// Synchronizes a store with a log that other stores follow too.
///
/// Create one as soon as the container is open, before anything is saved. One for each store is enough; it works for
/// all programs that have the store open. Programs save as usual, online or offline.
///
///     let container = try ModelContainer(for: PhotoFeedModel.self, configurations: configuration)    // with its history on
///     let sync = try StoreSync(container, with: StoreLog(at: logURL))
///     Task { try await sync.run() }
///
/// At any time, the store contains the state of the log, with its own unsent changes on top. If others were faster, one
/// transaction removes the own changes, applies those of the others, and applies the own changes again. Contexts merge
/// that like a save of another context. The counterpart is Core Data's `NSPersistentCloudKitContainer`; here
/// constraints are supported.
public actor StoreSync {
    let container: ModelContainer
    let log: any SyncLog
    let options: SyncOptions
    let merge: PropertyMerge
    /// The columns that are read from the log only on demand, and their reader.
    let logged: LoggedColumns
    let loggedValues: LoggedValues
    private let reading: LoggedValues.Reading
    /// The progress of the synchronization.
    ///
    ///     print(await sync.status.pendingCount)
    public internal(set) var status = SyncStatus()
    var isPaused = false
    var listeners: [UUID: AsyncStream<SyncEvent>.Continuation] = [:]
    var mustCompare = false
    /// Whether unknown versions, by their hashes, belong to the store's own model.
    var ownModels: [String: Bool] = [:]
    /// Whether the log's steps to other versions are proven, as far as that is known.
    var provenSteps: [ModelStep: Bool] = [:]
    /// Whether the store or the log may have been put back to an older state since they last agreed.
    var mustCheckStanding = true
    /// Whether there may be files of large values that are not needed any more when the log has the saved changes. It
    /// is true at first, because a process that was killed may have left some.
    var mustRemoveFiles = true
    /// Wakes the task that waits for a save.
    var wake: (() -> Void)?

    /// Makes the store follow a log. From now on its changes are kept for the log, even while nothing runs.
    ///
    ///     let sync = try StoreSync(container, with: log)
    ///
    /// - Parameters:
    ///   - container: The container of the store.
    ///   - log: The log.
    ///   - options: The options of the synchronization.
    /// - Throws: ``SyncError`` if the store cannot follow the log, `HistoryError.notTracked(_:)` if its history is off,
    ///   or `StoreError`.
    public init(_ container: ModelContainer, with log: any SyncLog, options: SyncOptions = SyncOptions()) throws {
        self.container = container
        self.log = log
        self.options = options
        merge = PropertyMerge(container.model, options)
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
                // It was migrated before it met its log: all its rows are its own, as before.
                try shadow.prepare()
                try shadow.clear()
                try shadow.keepAbsenceOfAll()
                state.modelHash = hash
                try state.write(connection)
            }
            let isComplete = state.modelHash == hash ? try shadow.prepare() : false
            mustCompare = !isComplete && state.head != nil
            if state.file != file {
                // A copy must neither act for the original's site nor give its numbers.
                isCopy = true
                state.file = file
                // The original has these changes too, and may have sent them.
                let shared = isComplete && state.head != nil ? try shadow.pendingChanges() : []
                let body = try EntryBody(shared, largeFrom: options.largeValueThreshold) {
                    try ModelContainer.content($0, connection)
                }
                try state.beginSite(sharing: shared.isEmpty ? nil : body, connection)
            }
        }
        self.mustCompare = mustCompare
        if isCopy {
            try container.setIdentifierRange(SyncIdentifiers.firstProvisional...(1 << 62))
        }
        status.head = try container.readRows("reading how far the store is") { try SyncState($0)?.head }
    }

    /// Returns an identity that distinguishes a file from a copy, even if the copy takes its place.
    private static func fileIdentity(_ url: URL) -> String {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        let number = (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
        let volume = (attributes?[.systemNumber] as? NSNumber)?.uint64Value ?? 0
        return "\(volume):\(number)"
    }

    // MARK: Exchanging

    /// Exchanges changes with the log until both have everything.
    ///
    /// Use it in programs that run from time to time. ``run()`` does it continuously.
    ///
    ///     try await sync.synchronize()
    ///
    /// - Throws: ``SyncError``, ``SyncLogError``, `StoreError`, or another error of the log. Completed work is kept,
    ///   and the next call continues.
    public func synchronize() async throws {
        status.state = .exchanging
        do {
            try await sendAgain()
            do {
                try await takeNumbers()
            } catch SyncLogError.forbidden {
                // A program that may only read needs none.
            }
            try await meetLog()
            try await checkStanding()
            try await followOwnVersion()
            try await settleFormerSite()
            var progress = ExchangeProgress()
            progress.readsFirst = try mustReadFirst()
            while try await exchange(&progress) { try Task.checkCancellation() }
            // An answer without entries does not say after which one there are none.
            if !progress.isProven {
                mustCheckStanding = true
                try await checkStanding()
            }
            // If a reader still has an older state, the files are checked again the next time.
            if mustRemoveFiles {
                mustRemoveFiles = try !container.removeUnusedFiles()
                try removeUnusedValues()
            }
            status.state = .current
        } catch {
            // Another machine may answer from here on.
            mustCheckStanding = true
            status.state = .waiting(reason: "\(error)")
            throw error
        }
    }

    /// The knowledge about the log during an exchange.
    private struct ExchangeProgress {
        /// Whether the log has just said that it has nothing after the store's head.
        var isAtHead = false
        /// Whether an entry was refused that was sent before others' were read, and is refused for good after they are.
        var readsFirst = false
        /// The newest position that the log last reported.
        var toldHead: Int64 = 0
        /// Whether the log was seen to have the store's newest entry.
        var isProven = false
    }

    /// One step; false if nothing is left to do.
    ///
    /// Small changes are sent before new entries are requested. So a save is one request, and if others were faster,
    /// the answer usually contains their entries.
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
        if !entries.isEmpty { progress.isProven = true }
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
                progress.isProven = true
                return true
            }
            progress.isAtHead = false
            progress.readsFirst = entries.isEmpty
            progress.toldHead = head
            try await follow(entries, state)
            progress.isAtHead = try readState().head == head
        } catch let error as SyncLogError where !progress.isAtHead && !progress.readsFirst && !error.isTransient {
            // The entries of others are followed nevertheless.
            progress.readsFirst = true
        }
        return true
    }

    /// Sends the outgoing entry again if it is unknown whether it arrived.
    private func sendAgain() async throws {
        let outgoing = try container.readRows("reading the outgoing entry") { try OutgoingEntry($0) }
        guard let outgoing, outgoing.entry.site == (try readState().site) else { return }
        do {
            _ = try await send(outgoing)
        } catch let error as SyncLogError where !error.isTransient {
            // The entries of others are followed nevertheless, and then it is refused again.
        }
    }

    private func send(_ outgoing: OutgoingEntry) async throws -> SyncAppendResult {
        for (hash, bytes) in outgoing.largeValues { try await log.add(bytes, hash: hash) }
        let result: SyncAppendResult
        do {
            result = try await log.append(outgoing.entry, after: outgoing.head)
        } catch SyncLogError.countTaken {
            try await beginSite(readState())
            return .moved(head: outgoing.head + 1)
        } catch SyncLogError.otherEntry(let position) {
            throw SyncError.logPutBack(position: position)
        }
        switch result {
        case .appended(let position):
            guard position > outgoing.head, Self.positions.contains(position) else {
                throw SyncLogError.malformed(reason: "an entry after \(outgoing.head) got the position \(position)")
            }
            if position == outgoing.head + 1 {
                try settle(outgoing, position)
            } else {
                // This store was put back to a state before the entry arrived.
                try await follow(through: outgoing)
            }
        case .moved(let newHead, _):
            guard Self.positions.contains(newHead) else {
                throw SyncLogError.malformed(reason: "its head went from \(outgoing.head) to \(newHead)")
            }
            guard newHead >= outgoing.head else { throw SyncError.logPutBack(position: newHead) }
            guard newHead > outgoing.head else {
                throw SyncLogError.malformed(reason: "its head went from \(outgoing.head) to \(newHead)")
            }
            try container.writeTables("following the log") { try OutgoingEntry.remove($0) }
        }
        status.lastContact = Date()
        return result
    }

    /// Greater positions are invalid.
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
}
