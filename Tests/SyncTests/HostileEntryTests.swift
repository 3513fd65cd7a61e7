import Ashlar
import AshlarSync
import Digests
import Foundation
import SyncLogs
import Synchronization
import Testing

/// Entries that a writer with the right to write made up: all stores leave them out alike, and go on.
@Suite final class HostileEntryTests {
    let folder: URL
    let logURL: URL
    let log: StoreLog

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        logURL = folder.appendingPathComponent("log")
        log = try StoreLog(at: logURL)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func store(_ name: String, _ log: (any SyncLog)? = nil) throws -> (
        container: ModelContainer, sync: StoreSync
    ) {
        let configuration = ModelConfiguration(
            url: folder.appendingPathComponent("\(name).store"), options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(for: SpecimensModel.self, configurations: configuration)
        return (container, try StoreSync(container, with: log ?? self.log))
    }

    /// The last entry of the log, as another site would send it once more.
    private func copyOfLastEntry() async throws -> SyncEntry {
        let head = try await log.head()
        var entry = try #require(try await log.entries(after: head - 1, limit: 1).first).entry
        (entry.site, entry.count, entry.previous) = (UUID(), 1, nil)
        return entry
    }

    private func append(_ entry: SyncEntry) async throws {
        var entry = entry
        entry.id = UUID()
        let result = try await log.append(entry, after: log.head())
        if case .moved = result { Issue.record("\(result)") }
    }

    private func save(_ container: ModelContainer, _ objects: [any PersistentModel]) throws {
        let context = ModelContext(container)
        for object in objects { context.insert(object) }
        try context.save()
    }

    /// Expects stores that follow the log, old and new, to have left out a number of entries, and to go on together.
    private func expectGoingOn(_ stores: [(container: ModelContainer, sync: StoreSync)], rejected: Int) async throws {
        let late = try store("late")
        for store in stores + [late] {
            try await store.sync.synchronize()
            let events = try await store.sync.keptEvents()
            #expect(events.map(\.kind) == Array(repeating: .entryRejected, count: rejected), "\(events)")
            #expect(events.allSatisfy { $0.reason.utf8.count < 1000 })
        }
        try save(stores[0].container, [Note(title: "later")])
        try await stores[0].sync.synchronize()
        for store in stores + [late] {
            try await store.sync.synchronize()
            #expect(try ModelContext(store.container).fetchCount(Note.where { $0.title == "later" }) == 1)
            #expect(try store.container.integrityProblems() == [])
        }
    }

    @Test func anEntryThatNamesALargeValueWithoutListingItIsLeftOut() async throws {
        let stores = [try store("a"), try store("b")]
        for store in stores { try await store.sync.synchronize() }
        try save(stores[0].container, [Note(picture: Data(count: 300_000), title: "picture")])
        try await stores[0].sync.synchronize()
        var entry = try await copyOfLastEntry()
        let hash = try #require(entry.largeValues?.first)
        let missing = String(repeating: "ab", count: 32)
        entry.body.replace(Array(hash.utf8), with: Array(missing.utf8))
        entry.largeValues = [missing]
        let listing = entry
        await #expect(throws: SyncLogError.missing("the value \(missing)")) { try await self.append(listing) }
        entry.largeValues = []
        try await append(entry)
        try await expectGoingOn(stores, rejected: 1)
    }

    /// For each type, a value that SQLite accepts, as its bytes in an entry, and one that no object could read.
    static let unreadable: [(name: String, old: [UInt8], new: [UInt8])] = [
        ("level", [1] + bytes(of: 12_345), [1] + bytes(of: 70_000)),
        ("price", [3, 8] + Array("12345.75".utf8), [3, 3] + Array("abc".utf8)),
        ("code", [4, 16] + Array(repeating: 7, count: 16), [4, 3, 7, 7, 7]),
        ("marks", Array("bplist00".utf8), Array("garbage0".utf8)),
        ("address", [3, 16] + Array("https://a.test/b".utf8), [3, 0]),
    ]

    private static func bytes(of number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    private func specimen() -> Specimen {
        let seven: UInt8 = 7
        return Specimen(
            address: URL(string: "https://a.test/b"),
            code: UUID(
                uuid: (
                    seven, seven, seven, seven, seven, seven, seven, seven, seven, seven, seven, seven, seven, seven,
                    seven, seven
                )), level: 12_345, marks: ["a"], price: Decimal(string: "12345.75"))
    }

    @Test func entriesWithValuesOutsideOfTheirTypesAreLeftOut() async throws {
        let stores = [try store("a"), try store("b")]
        for store in stores { try await store.sync.synchronize() }
        try save(stores[0].container, [specimen()])
        try await stores[0].sync.synchronize()
        let honest = try await copyOfLastEntry()
        let specimens = try ModelContext(stores[0].container).fetch(Specimen.all)
        let row = try #require(specimens.first).persistentModelID.rowID
        for (number, change) in Self.unreadable.enumerated() {
            var entry = honest
            entry.site = UUID()
            #expect(entry.body.replace(change.old, with: change.new) > 0, "\(change.name)")
            // The row is another one, so that only the value is wrong.
            entry.body.replace(Self.bytes(of: row), with: Self.bytes(of: row + 1000 + Int64(number)))
            try await append(entry)
        }
        // The same object with valid values shows that the entries are valid otherwise.
        var right = honest
        right.body.replace(Self.bytes(of: row), with: Self.bytes(of: row + 2000))
        try await append(right)
        try await expectGoingOn(stores, rejected: Self.unreadable.count)
        for store in stores { #expect(try ModelContext(store.container).fetch(Specimen.all).count == 2) }
    }

    @Test func aSumStaysWithinTheTypeOfItsAttribute() async throws {
        let stores = [try store("a"), try store("b")]
        for store in stores { try await store.sync.synchronize() }
        try save(stores[0].container, [specimen()])
        for store in stores { try await store.sync.synchronize() }
        for store in stores {
            let context = ModelContext(store.container)
            for specimen in try context.fetch(Specimen.all) { specimen.level += 15_000 }
            try context.save()
        }
        for store in stores + stores { try await store.sync.synchronize() }
        for store in stores {
            #expect(try ModelContext(store.container).fetch(Specimen.all).map(\.level) == [.max])
        }
    }

    @Test func manyBadEntriesAreReadOnce() async throws {
        let passing = CountingLog(log)
        let stores = [try store("a"), try store("b", passing)]
        for store in stores { try await store.sync.synchronize() }
        try save(stores[0].container, [Note(title: "one")])
        for store in stores { try await store.sync.synchronize() }
        var entry = try await copyOfLastEntry()
        for _ in 0..<200 {
            // The object exists already.
            entry.site = UUID()
            try await append(entry)
        }
        let before = passing.requestCount
        try await stores[1].sync.synchronize()
        #expect(passing.requestCount - before <= 2)
        try await expectGoingOn(stores, rejected: 200)
    }

    @Test func anEntryOfAMadeUpVersionHasAShortEvent() async throws {
        let stores = [try store("a")]
        try save(stores[0].container, [Note(title: "one")])
        try await stores[0].sync.synchronize()
        var entry = try await copyOfLastEntry()
        entry.modelHash = String(repeating: "f", count: 1_000_000)
        try await append(entry)
        try await expectGoingOn(stores, rejected: 1)
    }

    /// With 32,767 columns, one of them a key, each of these deletions would cost as much as half a megabyte.
    @Test func aTableOfManyColumnsIsRefusedBeforeItsRowsAreRead() async throws {
        let stores = [try store("a")]
        try save(stores[0].container, [Note(title: "one")])
        try await stores[0].sync.synchronize()
        var entry = try await copyOfLastEntry()
        let header = Data("{\"format\":1,\"columns\":{\"Note\":[\"id$\"]}}".utf8)
        var body = withUnsafeBytes(of: UInt32(header.count).bigEndian) { Data($0) } + header
        body += [0x50, 0x81, 0xFF, 0x7F, 1] + [UInt8](repeating: 0, count: 32_766) + Array("Note".utf8) + [0]
        for number in 1...100_000 as ClosedRange<Int64> { body += [9, 0, 1] + Self.bytes(of: number) }
        body += Data("ashlar$value:".utf8)
        entry.body = body
        try await append(entry)
        try await expectGoingOn(stores, rejected: 1)
    }

    /// The snapshots of steps to a version that no program has.
    enum Proof: CaseIterable { case otherVersion, garbage, unrelated, successor }

    @Test(arguments: Proof.allCases) func aStepCountsIfItsSnapshotProvesTheVersion(_ proof: Proof) async throws {
        let stores = [try store("a"), try store("b")]
        for store in stores { try await store.sync.synchronize() }
        try save(stores[0].container, [Note(title: "one")])
        for store in stores { try await store.sync.synchronize() }
        let begin = try #require(try await log.snapshots().first)
        let file = folder.appendingPathComponent("made up")
        try await log.read(begin, to: file)
        var bytes = try Data(contentsOf: file)
        let (old, new) = (begin.modelHash, String(repeating: "f", count: 64))
        #expect(bytes.replace(Array(old.utf8), with: Array(new.utf8)) > 0)
        switch proof {
        case .otherVersion, .successor: break
        case .garbage: bytes = Data("garbage".utf8)
        // The snapshot of a store that lacks the version before.
        case .unrelated: #expect(bytes.replace(Array(old.utf8.prefix(16)), with: Array(new.utf8.prefix(16))) > 0)
        }
        try bytes.write(to: file)
        let snapshot = SyncSnapshot(
            id: UUID(), position: try await log.head() + 1, modelHash: proof == .otherVersion ? old : new,
            hash: SHA256.hexadecimal(of: bytes), byteCount: Int64(bytes.count), isProposed: true)
        try await log.add(snapshot, from: file)
        try await append(
            SyncEntry(
                kind: .modelVersion, site: UUID(), count: 1, modelHash: new, date: Date(), snapshot: snapshot.id,
                body: Data()))
        guard proof == .successor else { return try await expectGoingOn(stores, rejected: 1) }
        for store in stores {
            await #expect(throws: SyncError.newerModelVersion(new)) { try await store.sync.synchronize() }
        }
    }

    @Test func changesThatALogLostAreSentWithTheirLargeValues() async throws {
        let copy = folder.appendingPathComponent("older")
        do {
            let stores = [try store("a"), try store("b")]
            for store in stores { try await store.sync.synchronize() }
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: logURL.path + suffix) {
                try FileManager.default.copyItem(atPath: logURL.path + suffix, toPath: copy.path + suffix)
            }
            try save(stores[0].container, [Note(picture: Data(count: 300_000), title: "lost")])
            for store in stores { try await store.sync.synchronize() }
        }
        let older = try StoreLog(at: copy)
        let stores = try ["a", "b", "late"].map { try store($0, older) }
        for store in stores.dropLast() { try await store.sync.rejoin() }
        for store in stores {
            try await store.sync.synchronize()
            #expect(try ModelContext(store.container).fetch(Note.all).map(\.picture?.count) == [300_000])
            #expect(try await store.sync.keptEvents().isEmpty)
        }
    }

    // MARK: Snapshots

    @Test func aSnapshotHasNoRowsWhoseReferencesLeadNowhere() async throws {
        let crew = try Crew()
        let (first, second) = try await crew.pair { $0.insert(Folder(name: "root")) }
        try first.change { context in
            let above = Folder(name: "above")
            context.insert(above)
            try context.save()
        }
        try await first.sync.synchronize()
        try first.change { context in
            let above = try context.fetch(Folder.where { $0.name == "above" }).first
            context.insert(Folder(name: "below", parent: above))
        }
        try await first.sync.synchronize()
        let log = try StoreLog(at: crew.logURL)
        var entry = try #require(try await log.entries(after: log.head() - 1, limit: 1).first).entry
        for name in ["below", "above"] {
            try first.change { context in
                for folder in try context.fetch(Folder.where { $0.name == name }) { context.delete(folder) }
            }
            try await first.sync.synchronize()
        }
        // An entry with the folder once more, in a folder that is gone.
        (entry.site, entry.id, entry.previous) = (UUID(), UUID(), nil)
        _ = try await log.append(entry, after: log.head())
        for peer in [first, second] {
            try await peer.sync.synchronize()
            #expect(try await peer.sync.keptEvents().map(\.kind) == [.entryRejected])
            try await peer.sync.makeSnapshot(compacting: false)
        }
    }

    @Test func snapshotsOfAPositionAgreeOnTheirRows() async throws {
        let stores = [try store("a"), try store("b")]
        for store in stores { try await store.sync.synchronize() }
        try save(stores[0].container, [specimen(), Note(picture: Data(count: 300_000), title: "one")])
        for store in stores { try await store.sync.synchronize() }
        // A store's unsent changes do not enter its snapshots of the log.
        try save(stores[1].container, [Note(title: "unsent")])
        for store in stores { try await store.sync.makeSnapshot(compacting: false) }
        let made = try await log.snapshots().dropFirst()
        #expect(made.count == 2 && Set(made.map(\.rows)).count == 1)
        // SQLite lays the files out in different ways.
        var other = try #require(made.first)
        let file = folder.appendingPathComponent("other")
        try await log.read(other, to: file)
        (other.id, other.rows) = (UUID(), String(repeating: "0", count: 64))
        let refused = other
        await #expect(
            performing: { try await self.log.add(refused, from: file) },
            throws: { if case SyncLogError.refused = $0 { true } else { false } })
    }

    @Test func aStoreWithOtherRowsThanTheLogMakesNoSnapshot() async throws {
        let (good, bad) = (try store("a"), try store("b", AlteringLog(log)))
        for store in [good, bad] { try await store.sync.synchronize() }
        try save(good.container, [Note(title: "right")])
        for store in [good, bad] { try await store.sync.synchronize() }
        #expect(try ModelContext(bad.container).fetch(Note.all).map(\.title) == ["wrong"])
        await #expect(throws: SyncError.otherRows(position: 1)) { try await bad.sync.makeSnapshot() }
        try await good.sync.makeSnapshot()
        #expect(try await log.snapshots().map(\.position) == [1])
    }

    @Test func aSnapshotWithOtherRowsThanItSaysIsNotUsed() async throws {
        let good = try store("a")
        try save(good.container, [Note(title: "one")])
        try await good.sync.synchronize()
        var begin = try #require(try await log.snapshots().first)
        let file = folder.appendingPathComponent("copy")
        try await log.read(begin, to: file)
        (begin.id, begin.rows) = (UUID(), String(repeating: "0", count: 64))
        let second = try StoreLog(at: folder.appendingPathComponent("second"))
        try await second.add(begin, from: file)
        let (late, wanted) = (try store("late", second), begin.id)
        await #expect(
            performing: { try await late.sync.synchronize() },
            throws: { if case SyncError.badSnapshot(wanted, _) = $0 { true } else { false } })
    }

    @Test func aStoreBeginsWithAnOlderSnapshotIfTheNewestIsUnusable() async throws {
        let first = try store("a")
        try save(first.container, [Note(title: "one")])
        try await first.sync.synchronize()
        let begin = try #require(try await log.snapshots().first)
        try save(first.container, [Note(title: "two")])
        try await first.sync.synchronize()
        let file = folder.appendingPathComponent("garbage")
        let garbage = Data("garbage".utf8)
        try garbage.write(to: file)
        let snapshot = SyncSnapshot(
            id: UUID(), position: try await log.head(), modelHash: begin.modelHash,
            hash: SHA256.hexadecimal(of: garbage), byteCount: 7)
        try await log.add(snapshot, from: file)
        let late = try store("late")
        try await late.sync.synchronize()
        #expect(try ModelContext(late.container).fetchCount(Note.all) == 2)
    }

    @Test func aLeaseOfFewerNumbersThanWantedIsNotUsed() async throws {
        let mean = MeanLog(log)
        let container = try store("a", mean).container
        try save(container, [Note(title: "one"), Note(title: "two")])
        let sync = try StoreSync(container, with: mean)
        await #expect(throws: SyncLogError.self) { try await sync.synchronize() }
        try await StoreSync(container, with: log).synchronize()
        #expect(try await log.snapshots().count == 1)
    }

    @Test func aLogThatAnnouncesEntriesItDoesNotHaveIsAskedAfterDelays() async throws {
        let eager = EagerLog(log)
        var options = SyncOptions()
        options.retryDelay = .milliseconds(1) ... .seconds(3600)
        let container = try store("a").container
        let sync = try StoreSync(container, with: eager, options: options)
        let running = Task { try await sync.run() }
        for await _ in eager.waits.stream { break }
        // The store reports that it waits, and does not ask again and again.
        while true {
            if case .waiting = await sync.status.state { break }
            await Task.yield()
        }
        running.cancel()
        _ = await running.result
    }
}

// ForwardingLog is a class to inherit from, so that the compiler cannot check it, and each class below it must repeat the
// attribute. The state of these is constant, or behind a mutex.

/// A log that counts the requests for entries.
private final class CountingLog: ForwardingLog, @unchecked Sendable {
    private let requests = Mutex(0)
    var requestCount: Int { requests.withLock { $0 } }

    override func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
        requests.withLock { $0 += 1 }
        return try await super.entries(after: position, limit: limit)
    }
}

/// A log that leases a single number, whatever the requested count.
private final class MeanLog: ForwardingLog, @unchecked Sendable {
    override func leaseIdentifiers(site: UUID, count: Int64) async throws -> ClosedRange<Int64> {
        let range = try await super.leaseIdentifiers(site: site, count: count)
        return range.lowerBound...range.lowerBound
    }
}

/// A log that announces an entry at once, without having it.
private final class EagerLog: ForwardingLog, @unchecked Sendable {
    let waits = AsyncStream<Int64>.makeStream()

    override func waitForEntries(after position: Int64, atMost duration: Duration) async throws -> Int64 {
        waits.continuation.yield(position)
        return position + 1
    }
}

/// A log that returns the first entry with another title, once.
private final class AlteringLog: ForwardingLog, @unchecked Sendable {
    private let isDone = Mutex(false)

    override func entries(after position: Int64, limit: Int) async throws -> [LoggedSyncEntry] {
        var entries = try await super.entries(after: position, limit: limit)
        let isFirst =
            !entries.isEmpty
            && isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
        if isFirst { entries[0].entry.body.replace(Array("right".utf8), with: Array("wrong".utf8)) }
        return entries
    }
}

extension Data {
    /// Replaces all occurrences of some bytes, and returns how many there were.
    @discardableResult
    fileprivate mutating func replace(_ old: [UInt8], with new: [UInt8]) -> Int {
        var count = 0
        var start = startIndex
        while let found = range(of: Data(old), in: start..<endIndex) {
            replaceSubrange(found, with: new)
            start = found.lowerBound + new.count
            count += 1
        }
        return count
    }
}
