import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import Synchronization
import Testing

@_spi(Generated) @testable import Ashlar

/// Rows that several threads read, compared with the same rows read by one.
@Suite struct ParallelReadingTests {
    let folder: TemporaryFolder
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        folder = try TemporaryFolder()
        container = try ModelContainer(for: TortureModel.self, at: folder.file())
        context = ModelContext(container)
        setThreads(3)
    }

    /// Sets the number of threads that read, from the second row on and on any machine.
    private func setThreads(_ count: Int) {
        container.pool.parallelReading.withLock {
            $0 = ParallelReading(probedRowCount: 1, leastRest: 0, threadCount: count, rangesPerThread: 3)
        }
    }

    private func byOneThread<Result>(_ body: (ModelContext) throws -> Result) rethrows -> Result {
        setThreads(1)
        defer { setThreads(3) }
        return try body(ModelContext(container))
    }

    /// The number of readers that were ever open: one if no other threads helped.
    private var readerCount: Int { container.pool.readers.withLock { $0.all.count } }

    // MARK: The same result

    @Test(arguments: seeds())
    func rowsAreTheSameInTheSameOrder(_ seed: Seed) throws {
        var random = RandomConditions(seed: seed.number)
        let labels = ["", "a", "é"].map { Label(name: $0) }
        for label in labels { context.insert(label) }
        var samples = (0..<300).map { _ in Sample() }
        for sample in samples { context.insert(sample) }
        for sample in samples { random.change(sample, among: samples, labels) }
        try context.save()
        // Gaps, so that ranges have different numbers of rows, and some have none.
        for _ in 0..<100 { context.delete(samples.remove(at: Int.random(in: 0..<100, using: &random.random))) }
        try context.save()
        for sample in samples { sample.count = Int64.random(in: -1000...1000, using: &random.random) }
        try context.save()
        for round in 0..<20 {
            let comment = Testing.Comment(rawValue: "seed \(seed), round \(round)")
            var descriptor = FetchDescriptor<Sample>()
            if round > 0 { descriptor.condition = random.condition(Sample._ashlarColumns, depth: 2, samples, labels) }
            let values = try context.fetchValues(descriptor)
            #expect(try values == byOneThread { try $0.fetchValues(descriptor) }, comment)
            #expect(try context.fetchCount(descriptor) == values.count, comment)
            let totals = descriptor.select {
                (.count, .sum($0.count), .minimum($0.count), .maximum($0.day), .average($0.count), .count($0.title))
            }
            let all = try context.fetch(totals).map { "\($0)" }
            #expect(try all == byOneThread { try $0.fetch(totals).map { "\($0)" } }, comment)
            // These sums depend on the order of additions, so one thread computes them.
            let sums = descriptor.select { (.sum($0.latitude), .sum($0.price), .count) }
            // A column may hold values that are not numbers. Adding them is an error with one thread and with
            // several.
            let added = Result { try context.fetch(sums).map { "\($0)" } }
            let addedByOne = byOneThread { context in Result { try context.fetch(sums).map { "\($0)" } } }
            #expect("\(added)" == "\(addedByOne)", comment)
        }
        #expect(readerCount >= 3, "others helped")
    }

    @Test func rangesCoverEveryNumberOnce() {
        for bounds in [1...1, 1...2, 5...100, 1...Int64(1_000_003), -7...12, Int64.max - 5...Int64.max]
            as [ClosedRange<Int64>]
        {
            for count in 1...9 {
                let ranges = RangedReading.ranges(bounds, count)
                #expect(ranges.first?.lowerBound == .min && ranges.last?.upperBound == .max)
                #expect(ranges.count <= count)
                for (left, right) in zip(ranges, ranges.dropFirst()) {
                    #expect(left.upperBound + 1 == right.lowerBound)
                }
            }
        }
    }

    @Test func sumsBeyondWholeNumbersAreThoseOfOneThread() throws {
        for index in 0..<60 { context.insert(Sample(count: index < 30 ? .max : .min + 1)) }
        try context.save()
        let totals = Sample.all.select { (.sum($0.count), .count) }
        let sums = try byOneThread { try $0.fetch(totals).map { "\($0)" } }
        // The sum of some of the rows does not fit into 64 bits, but the sum of all of them does.
        #expect(try context.fetch(totals).map { "\($0)" } == sums)
    }

    @Test func smallReadsAskNobody() throws {
        container.pool.parallelReading.withLock {
            $0 = ParallelReading(probedRowCount: 100, leastRest: 4, threadCount: 4, rangesPerThread: 2)
        }
        for _ in 0..<499 { context.insert(Sample()) }
        try context.save()
        #expect(try context.fetchValues(Sample.all).count == 499)
        #expect(readerCount <= 2)
        for _ in 0..<2 { context.insert(Sample()) }
        try context.save()
        #expect(try context.fetchValues(Sample.all).count == 501)
        #expect(readerCount >= 4)
    }

    // MARK: One state

    private final class End: Sendable {
        let hasCome = Atomic(false)
    }

    @Test func everyResultIsOfOneState() async throws {
        let count = 400
        for _ in 0..<count { context.insert(Sample(count: 0)) }
        try context.save()
        let container = container
        let end = End()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // All rows have the same number, and each state has one more row and the next number.
                let writing = ModelContext(container)
                var next: Int64 = 1
                while !end.hasCome.load(ordering: .relaxed) {
                    try writing.transaction {
                        let number = next
                        try writing.batchUpdate(Sample.all) { $0.count = number }
                        writing.insert(Sample(count: next))
                        try writing.save()
                    }
                    next += 1
                }
            }
            defer { end.hasCome.store(true, ordering: .relaxed) }
            for _ in 0..<60 {
                let reading = ModelContext(container)
                let counts = try reading.fetchValues(Sample.all).map(\.count)
                #expect(Set(counts).count == 1 && counts.count == count + Int(counts[0]))
                let row = try #require(
                    try reading.fetchFirst(Sample.all.select { (.minimum($0.count), .maximum($0.count), .count) }))
                #expect(row.0 == row.1 && row.2 == count + Int(row.0 ?? -1))
            }
        }
    }

    @Test func whoFindsAWriterReadsAlone() throws {
        for index in 0..<50 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        let other = ModelContext(container)
        try other.transaction {
            other.insert(Sample(count: 99))
            try other.save()
            // This thread holds the lock.
            #expect(try context.fetchValues(Sample.all).count == 50)
            #expect(try other.fetchValues(Sample.all).count == 51)
            #expect(try context.fetchCount(Sample.where { $0.count < 10 }) == 10)
        }
        // A lock as another process would hold it.
        let foreign = try Connection(opening: folder.file().path, flags: SQLITE_OPEN_READWRITE)
        try foreign.execute("BEGIN IMMEDIATE")
        #expect(try context.fetchValues(Sample.all).count == 51)
        try foreign.execute("ROLLBACK")
        #expect(try context.fetchValues(Sample.all).count == 51)
    }

    @Test func aPinnedGenerationStays() throws {
        for index in 0..<50 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        let pinned = ModelContext(container)
        try pinned.setQueryGeneration(from: .current)
        #expect(try pinned.fetchCount(Sample.all) == 50)
        context.insert(Sample())
        try context.save()
        #expect(try pinned.fetchValues(Sample.all).count == 50)
        #expect(try context.fetchValues(Sample.all).count == 51)
    }

    @Test func manyAtOnceComeToTheirEnd() async throws {
        for index in 0..<200 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        let container = container
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 { group.addTask { [container] in try await container.fetchValues(Sample.all).count } }
            for try await count in group { #expect(count == 200) }
        }
        #expect(container.pool.readers.withLock { $0.idle.count == $0.all.count && $0.all.count <= 8 })
    }

    // MARK: Errors

    @Test func theFirstRowThatDoesNotFitIsTheError() throws {
        for index in 0..<90 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        try container.execute("UPDATE Sample SET token = X'00' WHERE count IN (41, 80)")
        for threads in [1, 3] {
            setThreads(threads)
            #expect {
                try context.fetchValues(Sample.all)
            } throws: { error in
                if case StoreError.invalidValue("Sample", "token", 42, _) = error { true } else { false }
            }
        }
        try container.execute("UPDATE Sample SET token = NULL")
        #expect(try context.fetchValues(Sample.all).count == 90)
    }

    @Test func aCancellationEndsAll() async throws {
        for index in 0..<300 { context.insert(Sample(count: Int64(index))) }
        try context.save()
        let container = container
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await container.fetchValues(Sample.all)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await container.fetchValues(Sample.all).count == 300)
    }
}
