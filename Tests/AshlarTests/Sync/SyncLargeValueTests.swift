import AshlarSync
import Foundation
import SyncLogs
import Synchronization
import Testing

@testable import Ashlar

/// Large values that stay with the log until they are read.
@Suite struct SyncLargeValueTests {
    let folder: TemporaryFolder
    let log: CountingLog

    init() throws {
        folder = try TemporaryFolder()
        log = CountingLog(try StoreLog(at: folder.file("log")))
    }

    private func container(_ name: String) throws -> ModelContainer {
        let configuration = ModelConfiguration(
            url: folder.file("\(name).store"), options: StoreOptions(historyTracking: true))
        return try ModelContainer(for: HarborModel.self, configurations: configuration)
    }

    private func peer(_ name: String) throws -> (container: ModelContainer, sync: StoreSync) {
        let container = try container(name)
        return (container, try StoreSync(container, with: log))
    }

    private let chart = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let book = Data(repeating: 7, count: 150_000)

    private func vessel(_ container: ModelContainer) throws -> Vessel.Values {
        try #require(try ModelContext(container).fetchValues(Vessel.all).first)
    }

    @Test("a value is read when its row is, once, and is kept") func whenRead() async throws {
        let (first, firstSync) = try peer("first")
        try await firstSync.synchronize()
        let (second, secondSync) = try peer("second")
        try await secondSync.synchronize()
        let context = ModelContext(first)
        context.insert(Vessel(chart: chart, logbook: book, name: "Argo"))
        try context.save()
        try await firstSync.synchronize()
        try await secondSync.synchronize()
        // Only the logbook: the model requests the chart when it is read.
        #expect(log.readCount == 1)
        #expect(try ModelContext(second).fetch(Vessel.all.select(\.name)) == ["Argo"])
        #expect(log.readCount == 1)
        #expect(try vessel(second).chart == chart)
        #expect(try vessel(second).logbook == book)
        #expect(log.readCount == 2)
        #expect(try vessel(second).chart == chart)
        #expect(log.readCount == 2)
        // Values that were read do not count as changes of this store.
        try await secondSync.synchronize()
        #expect(await secondSync.status.pendingCount == 0)
        #expect(await secondSync.status.head == firstSync.status.head)
    }

    /// Counts the files of large values beside a store.
    private func files(_ container: ModelContainer) throws -> Int {
        let support = try #require(container.configuration.externalDataFolder)
        let found = FileManager.default.enumerator(at: support, includingPropertiesForKeys: nil)
        return (found?.allObjects as? [URL] ?? []).count { UUID(uuidString: $0.lastPathComponent) != nil }
    }

    @Test("values of others are in files beside the store, where the model has them, and go with their rows")
    func otherFiles() async throws {
        let (first, firstSync) = try peer("first")
        try await firstSync.synchronize()
        let (second, secondSync) = try peer("second")
        try await secondSync.synchronize()
        let context = ModelContext(first)
        for number in 0..<3 { context.insert(Vessel(logbook: book, name: "\(number)")) }
        context.insert(Vessel(logbook: Data([1, 2, 3]), name: "small"))
        try context.save()
        for sync in [firstSync, secondSync] { try await sync.synchronize() }
        try await firstSync.makeSnapshot()
        let (late, lateSync) = try peer("late")
        try await lateSync.synchronize()
        for container in [first, second, late] {
            #expect(try files(container) == 3)
            let values = try ModelContext(container).fetchValues(Vessel.order { $0.name.ascending })
            #expect(values.map(\.logbook) == [book, book, book, Data([1, 2, 3])])
            #expect(try container.integrityProblems() == [])
        }
        // Values that were put into files do not count as changes of this store.
        for sync in [secondSync, lateSync, firstSync] {
            try await sync.synchronize()
            #expect(await sync.status.head == 1)
        }
        let vessels = try context.fetch(Vessel.order { $0.name.ascending })
        vessels[0].logbook = Data(book.reversed() + [1])
        context.delete(vessels[1])
        vessels[2].logbook = nil
        try context.save()
        for sync in [firstSync, secondSync, lateSync] { try await sync.synchronize() }
        for container in [first, second, late] {
            #expect(try files(container) == 1)
            #expect(try container.integrityProblems() == [])
        }
    }

    @Test("an entry that is left out leaves no files") func filesOfRejectedEntries() async throws {
        let (first, firstSync) = try peer("first")
        try await firstSync.synchronize()
        let (second, secondSync) = try peer("second")
        try await secondSync.synchronize()
        let context = ModelContext(first)
        context.insert(Vessel(logbook: book, name: "Argo"))
        try context.save()
        try await firstSync.synchronize()
        // The same rows cannot be inserted once more.
        var entry = try #require(try await log.entries(after: 0, limit: 1).first).entry
        (entry.site, entry.count) = (UUID(), 1)
        #expect(try await log.append(entry, after: 1) == .appended(position: 2))
        for sync in [firstSync, secondSync] { try await sync.synchronize() }
        for (container, sync) in [(first, firstSync), (second, secondSync)] {
            #expect(try files(container) == 1)
            #expect(try await sync.keptEvents().map(\.kind) == [.entryRejected])
            #expect(try container.integrityProblems() == [])
        }
    }

    @Test("one that is not there is an error that says why, and no other value") func unreachable() async throws {
        let (first, firstSync) = try peer("first")
        let context = ModelContext(first)
        try await firstSync.synchronize()
        let (second, secondSync) = try peer("second")
        try await secondSync.synchronize()
        context.insert(Vessel(chart: chart, name: "Argo"))
        try context.save()
        try await firstSync.synchronize()
        try await secondSync.synchronize()
        log.isAway.withLock { $0 = true }
        let error = #expect(throws: (any Error).self) { try vessel(second) }
        #expect("\(error as Any)".contains("out of reach"))
        // Other properties can be changed without the value.
        try ModelContext(second).batchUpdate(Vessel.all) { $0.tonnage = 5 }
        log.isAway.withLock { $0 = false }
        try await secondSync.synchronize()
        #expect(try vessel(second).chart == chart)
        try await firstSync.synchronize()
        #expect(try vessel(first).tonnage == 5)
        #expect(try vessel(first).chart == chart)
    }

    @Test("a snapshot names values, which begin with nobody", arguments: [false, true])
    func snapshots(isBeginning: Bool) async throws {
        let first = try container("first")
        let context = ModelContext(first)
        let firstSync = try isBeginning ? nil : StoreSync(first, with: log)
        context.insert(Vessel(chart: chart, name: "Argo"))
        try context.save()
        // A store whose rows were there before the log begins the log with them; otherwise it sends them.
        let sync = try firstSync ?? StoreSync(first, with: log)
        try await sync.synchronize()
        #expect(log.addedCount == 1)
        try ModelContext(first).batchUpdate(Vessel.all) { $0.tonnage = 5 }
        try await sync.synchronize()
        try await sync.makeSnapshot()
        // The log has the value, and does not receive it again.
        #expect(log.addedCount == 1)
        let (second, secondSync) = try peer("second")
        try await secondSync.synchronize()
        #expect(log.readCount == 0)
        #expect(try await secondSync.readLargeValues() == 1)
        #expect(try await secondSync.readLargeValues() == 0)
        #expect(try vessel(second).chart == chart)
        #expect(log.readCount == 1)
        // The values that were read are there even if nothing follows the log.
        let url = folder.file("copy.store")
        try second.backUp(to: url)
        let copy = try ModelContainer(for: HarborModel.self, configurations: ModelConfiguration(url: url))
        #expect(try vessel(copy).chart == chart)
        #expect(try copy.integrityProblems() == [])
    }

    @Test("what no row names any more goes, and other stores get values whole") func removal() async throws {
        let (first, firstSync) = try peer("first")
        try await firstSync.synchronize()
        let (second, secondSync) = try peer("second")
        try await secondSync.synchronize()
        let context = ModelContext(first)
        context.insert(Vessel(chart: chart, name: "Argo"))
        try context.save()
        try await firstSync.synchronize()
        try await secondSync.synchronize()
        try await secondSync.readLargeValues()
        let values = folder.file(".second.store_SUPPORT/_LOGGED_VALUES")
        #expect(try FileManager.default.contentsOfDirectory(atPath: values.path).count == 1)
        // For a store that follows no log.
        let changeset = try second.changeset(.all)
        #expect(changeset.data.range(of: chart) != nil)
        context.delete(try #require(try context.fetch(Vessel.all).first))
        try context.save()
        try await firstSync.synchronize()
        try await secondSync.synchronize()
        #expect(try FileManager.default.contentsOfDirectory(atPath: values.path) == [])
    }

    @Test("a program's own bytes that look like a name stay what they are") func lookAlike() async throws {
        let (first, firstSync) = try peer("first")
        try await firstSync.synchronize()
        let (second, secondSync) = try peer("second")
        try await secondSync.synchronize()
        let bytes = Data("ashlar$value:".utf8) + Data(repeating: UInt8(ascii: "a"), count: 64)
        let context = ModelContext(first)
        context.insert(Vessel(chart: bytes, logbook: bytes, name: "Argo"))
        try context.save()
        try await firstSync.synchronize()
        try await secondSync.synchronize()
        for container in [first, second] {
            #expect(try vessel(container).chart == bytes)
            #expect(try vessel(container).logbook == bytes)
        }
        #expect(log.readCount == 0)
    }

    @Test("all threads of tasks may wait for values at once") func waiting() async throws {
        let (first, firstSync) = try peer("first")
        try await firstSync.synchronize()
        let (second, secondSync) = try peer("second")
        try await secondSync.synchronize()
        let context = ModelContext(first)
        for number in 0..<20 {
            context.insert(Vessel(chart: chart + Data([UInt8(number)]), name: "Argo \(number)"))
        }
        try context.save()
        try await firstSync.synchronize()
        try await secondSync.synchronize()
        let found = try await withThrowingTaskGroup(of: Data?.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let values = ModelContext(second)
                    return try values.fetchValues(Vessel.where { $0.name == "Argo \(number)" }).first?.chart
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(found == Set((0..<20).map { chart + Data([UInt8($0)]) }))
    }
}

/// A log that counts the large values that it is asked for, and can be out of reach.
final class CountingLog: ForwardingLog, @unchecked Sendable {
    private let counts = Mutex((read: 0, added: 0))
    let isAway = Mutex(false)

    var readCount: Int { counts.withLock { $0.read } }
    var addedCount: Int { counts.withLock { $0.added } }

    override func add(_ value: Data, hash: String) async throws {
        counts.withLock { $0.added += 1 }
        try await super.add(value, hash: hash)
    }
    override func value(hash: String) async throws -> Data {
        if isAway.withLock({ $0 }) { throw SyncLogError.unreachable(reason: "the log is out of reach") }
        counts.withLock { $0.read += 1 }
        return try await super.value(hash: hash)
    }
}
