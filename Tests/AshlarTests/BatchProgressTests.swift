import AshlarSQLite
import CFaultInjection
import Foundation
import RandomNumbers
import Synchronization
import Testing

@testable import Ashlar

/// Batch operations in chunks: their progress, early ends, and calls from any task.
@Suite(.serialized) struct BatchProgressTests {
    /// Records the calls of a progress handler.
    private final class Progress: Sendable {
        let steps = Mutex<[BatchProgress]>([])

        func handler(_ failingAt: Int? = nil) -> BatchOptions.ProgressHandler {
            { progress in
                self.steps.withLock { $0.append(progress) }
                if let failingAt, progress.completedRowCount >= failingAt { throw Interruption() }
            }
        }

        var counts: [Int] { steps.withLock { $0.map(\.completedRowCount) } }
        var totals: Set<Int?> { steps.withLock { Set($0.map(\.totalRowCount)) } }
    }

    private struct Interruption: Error {}

    private let folder: TemporaryFolder
    private let container: ModelContainer

    init() throws {
        #expect(fault_install() == SQLITE_OK)
        folder = try TemporaryFolder()
        container = try ModelContainer(for: TortureModel.self, at: folder.file())
        let values = (0..<1000).map { Label.Values(name: String(1000 + $0)) }
        try ModelContext(container).batchInsert(contentsOf: values)
    }

    private func count() throws -> Int { try ModelContext(container).fetchCount(Label.all) }

    @Test("row 145: chunks are committed one by one")
    func chunksAreCommittedOneByOne() throws {
        let context = ModelContext(container)
        let progress = Progress()
        var request = BatchDeleteRequest(Label.where { $0.name < "1700" })
        request.options = BatchOptions(resultType: .identifiers, chunkSize: 300, progress: progress.handler())
        let result = try context.execute(request)
        #expect(result.count == 700 && Set(result.identifiers ?? []).count == 700)
        #expect(progress.counts == [300, 600, 700] && progress.totals == [700])
        #expect(try count() == 300)
        let seen = Mutex<[Int]>([])
        var update = BatchUpdateRequest(Label.all.limit(250)) { $0.name = "x" }
        update.options.chunkSize = 100
        update.options.progress = { _ in
            let changed = try ModelContext(container).fetchCount(Label.where { $0.name == "x" })
            seen.withLock { $0.append(changed) }
        }
        #expect(try context.execute(update).count == 250)
        #expect(seen.withLock { $0 } == [100, 200, 250])
        let values = (0..<250).map { Label.Values(name: "y\($0)") }
        #expect(try context.batchInsert(contentsOf: values, options: BatchOptions(chunkSize: 100)).count == 250)
        #expect(try count() == 550)
    }

    @Test func aRowIsUpdatedOnceThoughItStillMeetsTheCondition() throws {
        let context = ModelContext(container)
        var update = BatchUpdateRequest(Label.where { $0.name >= "1" }) { $0.name = $0.name.lowercased() }
        update.options.chunkSize = 7
        #expect(try context.execute(update).count == 1000)
        #expect(try container.integer("SELECT max(version$) FROM Label") == 2)
    }

    @Test func whatEndsAnOperationInChunksLeavesThoseBefore() throws {
        let context = ModelContext(container)
        let progress = Progress()
        var request = BatchDeleteRequest(Label.all)
        request.options = BatchOptions(chunkSize: 100, progress: progress.handler(300))
        #expect {
            try context.execute(request)
        } throws: { error in
            guard case BatchError.incomplete(300, is Interruption) = error else { return false }
            return true
        }
        #expect(try count() == 700)
        let values = (0..<250).lazy.map { Passport.Values(number: "\($0)") }
        #expect(throws: BatchError.self) {
            try context.batchInsert(contentsOf: values, options: BatchOptions(chunkSize: 100))
        }
        let labels = sequence(state: 0) { (state: inout Int) -> Label.Values? in
            state += 1
            return state <= 20_000 ? Label.Values(name: "z") : nil
        }
        let options = BatchOptions(chunkSize: 12_000, progress: Progress().handler(15_000))
        #expect {
            try context.batchInsert(contentsOf: labels, options: options)
        } throws: { error in
            guard case BatchError.incomplete(12_000, is Interruption) = error else { return false }
            return true
        }
        #expect(try count() == 12_700)
    }

    @Test func whatEndsAnOperationUndoesAll() throws {
        let context = ModelContext(container)
        let labels = (0..<12_000).lazy.map { Label.Values(name: "a\($0)") }
        #expect(throws: Interruption.self) {
            try context.batchInsert(contentsOf: labels, options: BatchOptions(progress: Progress().handler(11_000)))
        }
        #expect(try count() == 1000)
        try context.batchInsert(contentsOf: labels)
        let progress = Progress()
        var request = BatchDeleteRequest(Label.all)
        request.options.progress = progress.handler(13_000)
        #expect(throws: Interruption.self) { try context.execute(request) }
        #expect(progress.counts == [10_000, 13_000] && progress.totals == [13_000])
        #expect(try count() == 13_000)
        request.options.progress = nil
        #expect(try context.execute(request).count == 13_000)
    }

    @Test func chunksHaveNoOrder() throws {
        let context = ModelContext(container)
        var request = BatchDeleteRequest(Label.order { $0.name.ascending }.limit(10))
        request.options.chunkSize = 5
        #expect(throws: BatchError.self) { try context.execute(request) }
        request.descriptor = Label.all.offset(3)
        #expect(throws: BatchError.self) { try context.execute(request) }
        request.options.chunkSize = 0
        #expect(throws: BatchError.self) { try context.execute(request) }
        #expect(throws: BatchError.self) {
            try context.batchInsert(contentsOf: [Label.Values(name: "")], options: BatchOptions(chunkSize: 0))
        }
        #expect(try count() == 1000)
    }

    @Test func aContextThatIsBusyRefusesAnother() throws {
        let context = ModelContext(try memoryContainer())
        context.insert(Label(name: "l"))
        try context.save()
        // `batchInsert` iterates the sequence on this thread before it returns.
        nonisolated(unsafe) var refusal: (any Error)?
        let names = ["a", "b"].lazy.map { name in
            do { try context.batchDelete(Label.all) } catch { refusal = error }
            return Label.Values(name: name)
        }
        try context.batchInsert(contentsOf: names)
        guard case BatchError.busy? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
    }

    // MARK: Any task

    @Test("row 104: batches run on any task")
    func batchesRunOnAnyTask() async throws {
        let author = "somebody"
        var saves = container.saves().makeAsyncIterator()
        #expect(
            try await container.batchUpdate(Label.where { $0.name < "1500" }, author: author) { $0.name = "u" } == 500)
        let notification = await saves.next()
        #expect(notification?.author == author && notification?.batch?.count == 500)
        #expect(try await container.batchDelete(Label.where { $0.name == "u" }) == 500)
        let rows = AsyncStream<Label.Values> { continuation in
            for number in 0..<3000 { continuation.yield(Label.Values(name: "\(number)")) }
            continuation.finish()
        }
        #expect(try await container.batchInsert(contentsOf: rows).count == 3000)
        #expect(try count() == 3500)
        #expect(try await container.batchInsert(contentsOf: [Label.Values(name: "last")]).count == 1)
        struct Broken: Error {}
        let broken = AsyncThrowingStream<Label.Values, any Error> { continuation in
            for number in 0..<700 { continuation.yield(Label.Values(name: "\(number)")) }
            continuation.finish(throwing: Broken())
        }
        await #expect(throws: Broken.self) { try await container.batchInsert(contentsOf: broken) }
        // The store refuses a row while the sequence continues.
        let refused = AsyncStream<Passport.Values> { continuation in
            for number in 0..<3000 { continuation.yield(Passport.Values(number: "\(number)")) }
            continuation.finish()
        }
        await #expect(throws: BatchError.self) { try await container.batchInsert(contentsOf: refused) }
        #expect(try count() == 3501)
    }

    @Test("row 144: nobody waits while a row of a sequence is waited for")
    func waitingForRowsHoldsNothing() async throws {
        let options = StoreOptions(busyTimeout: .zero)
        let container = try ModelContainer(
            for: TortureModel.self, configurations: ModelConfiguration(url: folder.file(), options: options))
        for chunkSize in [nil, 7] {
            let number = Mutex(0)
            let before = try count()
            let rows = AsyncThrowingStream<Label.Values, any Error> {
                let next = number.withLock { number in
                    number += 1
                    return number
                }
                if next > 600 { return nil }
                // Another context writes at the same time, as the sequence itself may.
                if next.isMultiple(of: 100) {
                    let context = ModelContext(container)
                    context.insert(Label(name: "meanwhile"))
                    try context.save()
                }
                return Label.Values(name: "row")
            }
            #expect(
                try await container.batchInsert(contentsOf: rows, options: BatchOptions(chunkSize: chunkSize)).count
                    == 600)
            #expect(try count() == before + 606)
        }
    }

    @Test("row 144: a chunk of a sequence is in the store when its last row came")
    func chunksOfASequenceAreCommittedAtOnce() async throws {
        struct Broken: Error {}
        let container = container
        let number = Mutex(0)
        let counts = Mutex<[Int]>([])
        let rows = AsyncThrowingStream<Label.Values, any Error> {
            let next = number.withLock { number in
                defer { number += 1 }
                return number
            }
            let found = try ModelContext(container).fetchCount(Label.where { $0.name == "chunk" })
            counts.withLock { $0.append(found) }
            if next == 75 { throw Broken() }
            return Label.Values(name: "chunk")
        }
        let progress = Progress()
        let options = BatchOptions(chunkSize: 10, progress: progress.handler())
        await #expect {
            try await container.batchInsert(contentsOf: rows, options: options)
        } throws: { error in
            guard case BatchError.incomplete(70, is Broken) = error else { return false }
            return true
        }
        #expect(counts.withLock { $0 } == (0...75).map { $0 / 10 * 10 })
        #expect(progress.counts == (1...7).map { $0 * 10 })
        #expect(try count() == 1070)
        await #expect(throws: BatchError.self) {
            try await container.batchInsert(contentsOf: rows, options: BatchOptions(chunkSize: 0))
        }
        let none = AsyncStream<Label.Values> { $0.finish() }
        #expect(try await container.batchInsert(contentsOf: none, options: options).count == 0)
    }

    @Test("row 104: a cancelled batch is undone")
    func aCancelledBatchIsUndone() async throws {
        let (container, ready) = (container, AsyncStream<Void>.makeStream())
        try ModelContext(container).batchInsert(contentsOf: (0..<7_000).lazy.map { Label.Values(name: "\($0)") })
        let cancelled = Task {
            for await _ in ready.stream { break }
            try await container.batchDelete(Label.all)
        }
        cancelled.cancel()
        ready.continuation.finish()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        // Cancellation during the operation, after its first step.
        try ModelContext(container).batchInsert(contentsOf: (0..<5_000).lazy.map { Label.Values(name: "\($0)") })
        let started = DispatchSemaphore(value: 0)
        let task = Mutex<Task<BatchResult, any Error>?>(nil)
        var request = BatchUpdateRequest(Label.all) { $0.name = "n" }
        request.options.progress = { _ in
            started.wait()
            task.withLock { $0?.cancel() }
        }
        let slow = Task { [request] in try await container.execute(request) }
        task.withLock { $0 = slow }
        started.signal()
        await #expect(throws: CancellationError.self) { try await slow.value }
        #expect(try ModelContext(container).fetchCount(Label.where { $0.name == "n" }) == 0)
        let endless = Task {
            try await container.batchInsert(
                contentsOf: AsyncStream<Label.Values> { continuation in
                    continuation.yield(Label.Values(name: "only"))
                })
        }
        endless.cancel()
        await #expect(throws: CancellationError.self) { try await endless.value }
        #expect(try count() == 13_000)
        #expect(try await container.batchDelete(Label.all) == 13_000)
    }

    // MARK: Faults

    @Test(arguments: [SQLITE_FULL, SQLITE_IOERR | 3 << 8])
    func aFaultAtAnyOperationUndoesAll(_ code: Int32) throws {
        var number = 1
        while true {
            let folder = try TemporaryFolder()
            let container = try ModelContainer(for: TortureModel.self, at: folder.file())
            let context = ModelContext(container)
            try context.batchInsert(contentsOf: (0..<200).map { Label.Values(name: "label \($0)") })
            var failed = 0
            fault_arm(folder.url.path, Int32(number), code, FAULT_FAIL, 1)
            do {
                try context.batchInsert(contentsOf: (0..<3000).lazy.map { Label.Values(name: "new \($0)") })
                try context.batchUpdate(Label.all) { $0.name = $0.name.uppercased() }
                try context.batchDelete(Label.where { $0.name.hasPrefix("NEW") })
            } catch {
                failed = 1
                #expect(error is BatchError || error is StoreError, "\(error)")
            }
            let seen = Int(fault_disarm())
            let names = try Set(ModelContext(container).fetchValues(Label.all).map { String($0.name.prefix(3)) })
            let count = try ModelContext(container).fetchCount(Label.all)
            #expect(["lab", "lab new", "LAB NEW", "LAB"].contains(names.sorted().joined(separator: " ")))
            #expect(count == 200 || count == 3200)
            try container.expectSound()
            if seen < number {
                #expect(failed == 0 && count == 200)
                return
            }
            number += number < 8 ? 1 : max(1, 25 / TestEffort.factor)
        }
    }
}
