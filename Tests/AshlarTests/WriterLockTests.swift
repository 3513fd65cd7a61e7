import AshlarSQLite
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Ashlar

/// The lock of writers: exclusion, waiting and its limit.
@Suite struct WriterLockTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func container(busyTimeout: Duration) throws -> ModelContainer {
        let options = StoreOptions(busyTimeout: busyTimeout)
        return try ModelContainer(
            for: TortureModel.self, configurations: ModelConfiguration(url: folder.file(), options: options))
    }

    @Test func oneThreadWritesAtATime() throws {
        let lock = WriterLock()
        nonisolated(unsafe) var count = 0
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<200 {
                do {
                    try lock.withLock(milliseconds: 600_000, nil) { count += 1 }
                } catch {
                    Issue.record(error)
                }
                _ = lock.withReservation { count += 0 }
            }
        }
        #expect(count == 1600)
    }

    @Test("row 129: a save waits for another thread no longer than for another process")
    func aSaveWaitsForTheBusyTimeout() throws {
        let container = try container(busyTimeout: .milliseconds(50))
        let context = ModelContext(container)
        context.insert(Label(name: "l"))
        let writing = Writing(container)
        #expect {
            try context.save()
        } throws: { error in
            guard case StoreError.locked(_, .milliseconds(50), let doing) = error else { return false }
            return doing.contains("this process")
        }
        writing.finish()
        try context.save()
        #expect(try context.fetchCount(Label.all) == 1)
    }

    @Test func waitingIsCancelled() async throws {
        let container = try container(busyTimeout: .seconds(1_000_000))
        let writing = Writing(container)
        let deletion = Task { try await container.batchDelete(Label.all) }
        deletion.cancel()
        await #expect(throws: CancellationError.self) { try await deletion.value }
        writing.finish()
        #expect(try await container.batchDelete(Label.all) == 0)
    }

    @Test func whatABatchCallsCannotWrite() throws {
        for container in [try container(busyTimeout: .seconds(5)), try memoryContainer()] {
            let context = ModelContext(container)
            let other = ModelContext(container)
            other.insert(Label(name: "other"))
            let refusals = Mutex<[any Error]>([])
            func refuse() {
                do { try other.save() } catch { refusals.withLock { $0.append(error) } }
            }
            nonisolated(unsafe) let save = refuse
            let options = BatchOptions(progress: { _ in save() })
            let rows = ["a", "b"].lazy.map { name in
                save()
                return Label.Values(name: name)
            }
            #expect(try context.batchInsert(contentsOf: rows, options: options).count == 2)
            let found = refusals.withLock { $0 }
            #expect(found.count >= 3)
            for error in found {
                guard case StoreError.nestedWriting = error else {
                    Issue.record(error)
                    continue
                }
            }
            try other.save()
            #expect(try context.fetchCount(Label.all) == 3)
        }
    }

    @Test("row 74: the main context's own saves wait for nobody")
    @MainActor func autosavesDoNotWait() async throws {
        let container = try container(busyTimeout: .seconds(1_000_000))
        let context = container.mainContext
        var saves = container.saves().makeAsyncIterator()
        let writing = Writing(container)
        context.insert(Label(name: "a"))
        context.processPendingChanges()
        #expect(context.hasChanges)
        writing.finish()
        _ = await saves.next()
        #expect(!context.hasChanges)
        #expect(try ModelContext(container).fetchCount(Label.all) == 1)
        // A lock of another program.
        let other = try self.container(busyTimeout: .seconds(5))
        try other.pool.write { try $0.execute("BEGIN IMMEDIATE") }
        context.insert(Label(name: "b"))
        context.processPendingChanges()
        #expect(context.hasChanges)
        try other.pool.write { try $0.execute("ROLLBACK") }
        _ = await saves.next()
        #expect(!context.hasChanges)
        #expect(try ModelContext(container).fetchCount(Label.all) == 2)
    }

    @Test("an autosave that another process keeps waiting for longer than the busy timeout ends in an error")
    @MainActor func autosavesEnd() async throws {
        let container = try container(busyTimeout: .zero)
        let context = container.mainContext
        let other = try self.container(busyTimeout: .seconds(5))
        try other.pool.write { try $0.execute("BEGIN IMMEDIATE") }
        context.insert(Label(name: "b"))
        context.processPendingChanges()
        #expect(throws: StoreError.self) { try context.fetch(Label.all) }
        try other.pool.write { try $0.execute("ROLLBACK") }
        try context.save()
        #expect(try context.fetchCount(Label.all) == 1)
    }
}
