import AshlarLogging
import AshlarSQLite
import Foundation
import Logging
import Synchronization
import Testing

@testable import Ashlar

/// The events of the statements that run, and their cancellation.
@Suite struct StatementTests {
    /// Keeps the events that an observer receives.
    private final class Recorder: Sendable {
        private let kept = Mutex<[StatementEvent]>([])
        var events: [StatementEvent] { kept.withLock { $0 } }

        func observer(
            _ level: StatementObserver.Level, slowerThan threshold: Duration? = nil
        ) -> StatementObserver {
            StatementObserver(level: level, slowerThan: threshold) { event in self.kept.withLock { $0.append(event) } }
        }
    }

    private func context(_ observer: StatementObserver?) throws -> ModelContext {
        var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        configuration.statementObserver = observer
        let context = ModelContext(try ModelContainer(for: TortureModel.self, configurations: configuration))
        context.insert(Sample(name: "it's"))
        return context
    }

    @Test("row 170: each level tells more") func eachLevelTellsMore() throws {
        for level in StatementObserver.Level.allCases {
            let recorder = Recorder()
            let context = try context(recorder.observer(level))
            context.name = "editor"
            try context.save()
            #expect(
                recorder.events.contains { $0.sql == "BEGIN IMMEDIATE" }
                    && recorder.events.contains { $0.sql == "COMMIT" })
            _ = try context.fetch(Sample.where { $0.name == "it's" })
            let event = try #require(recorder.events.last)
            #expect(event.sql.hasPrefix("SELECT") && event.sql.contains("?1") && event.rowCount == 1)
            #expect(event.contextName == "editor" && event.duration > .zero)
            #expect(event.expandedSQL?.contains("'it''s'") == (level >= .values ? true : nil))
            #expect(event.rows.count == (level >= .rows ? 1 : 0))
            #expect(!event.rows.contains { !$0.contains(.text("it's")) })
            #expect(event.plan == (level >= .plan ? ["SCAN Sample"] : []))
            let lines = event.description.split(separator: "\n")
            #expect(lines[0].hasSuffix(" µs, 1 rows [editor]") && lines.count == [1, 1, 2, 3][level.rawValue - 1])
            context.statementObserver = nil
            let count = recorder.events.count
            _ = try context.fetch(Sample.all)
            #expect(recorder.events.count == count)
        }
    }

    @Test func onlySlowStatementsAreTold() throws {
        let recorder = Recorder()
        let context = try context(recorder.observer(.plan, slowerThan: .seconds(3600)))
        try context.save()
        _ = try context.fetch(Sample.all)
        #expect(recorder.events.isEmpty)
    }

    @Test func theEnvironmentSetsTheLevel() {
        #expect(StatementObserver.observer(named: nil) == nil && StatementObserver.observer(named: "0") == nil)
        #expect(StatementObserver.observer(named: "yes") == nil)
        #expect(StatementObserver.observer(named: "1")?.level == .statements)
        #expect(StatementObserver.observer(named: "4")?.level == .plan)
        #expect(StatementObserver.observer(named: "9")?.level == .plan)
    }

    @Test func theEnvironmentPrintsStatements() throws {
        let pipe = Pipe()
        let output = ErrorOutput(pipe.fileHandleForWriting)
        let context = try context(StatementObserver.observer(named: "2", writingTo: output))
        try context.save()
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text.contains("\nINSERT INTO \"Sample\"") && text.contains("'it''s'") && text.hasSuffix("\n"))
    }

    @Test func aLogGetsStatements() throws {
        let lines = Lines()
        let logger = Logger(label: "test") { _ in lines }
        let context = try context(.log(.statements, to: logger))
        try context.save()
        #expect(lines.kept.withLock { $0 }.contains { $0.hasPrefix("info INSERT INTO \"Sample\"") })
    }

    @Test func aLogGetsWarnings() {
        let lines = Lines()
        ModelContainer.logWarnings(to: Logger(label: "test") { _ in lines })
        defer { RuntimeWarning.send(to: nil) }
        RuntimeWarning.report("The context is gone.")
        #expect(lines.kept.withLock { $0 }.contains("warning The context is gone."))
    }

    @Test("row 174: statements are counted") func statementsAreCounted() throws {
        let context = try context(nil)
        try context.save()
        let afterSave = context.statementCount
        #expect(afterSave > 0)
        context.statementCount = 0
        _ = try context.fetch(Sample.all)
        _ = try context.fetchCount(Sample.all)
        _ = try context.fetchValues(Sample.all)
        _ = try context.exists(Sample.all)
        #expect(context.statementCount == 4)
        _ = try context.queryPlan(of: Sample.all)
        #expect(context.statementCount == 4)
    }

    // MARK: Off the caller's thread

    @Test func valuesComeFromOtherThreads() async throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(for: TortureModel.self, at: folder.file())
        try await fill(container, 2500)
        #expect(try await container.fetchCount(Sample.where { $0.count < 10 }) == 10)
        #expect(try await container.fetchValues(Sample.where { $0.count < 10 }).count == 10)
        #expect(try await container.fetchIdentifiers(Sample.where { $0.count < 10 }).count == 10)
        #expect(try await container.fetch(Sample.select { ($0.count, $0.name) }.limit(2)).count == 2)
        var sum: Int64 = 0
        for try await values in container.values(Sample.order { $0.count.descending }) { sum += values.count }
        #expect(sum == 2499 * 2500 / 2)
        await #expect(throws: FetchError.invalidBatchSize(0)) {
            for try await _ in container.values(Sample.all, batchSize: 0) {}
        }
    }

    @Test("row 104: cancellation ends a statement", arguments: [false, true])
    func cancellationEndsAStatement(_ isInMemory: Bool) async throws {
        let folder = try TemporaryFolder()
        let container =
            isInMemory ? try memoryContainer() : try ModelContainer(for: TortureModel.self, at: folder.file())
        try await fill(container, 100)
        for isCancelledFirst in [false, true] {
            let (running, continuation) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await container.reading { context in
                    // Only the cancellation ends this statement.
                    try context.read("counting") { connection in
                        let told = Told { continuation.yield() }
                        told.add(to: connection)
                        let endless = """
                            WITH RECURSIVE n(i) AS (SELECT told() UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
                            """
                        defer { withExtendedLifetime(told) {} }
                        return try connection.integer(endless)
                    }
                }
            }
            if !isCancelledFirst { for await _ in running { break } }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try await container.fetchCount(Sample.all) == 100)
        #expect(try ModelContext(container).fetchCount(Sample.where { $0.count > 1 }) == 98)
    }

    private func fill(_ container: ModelContainer, _ count: Int) async throws {
        try await BackgroundContext(container).perform { context in
            for index in 0..<count {
                let sample = Sample(name: "n")
                sample.count = Int64(index)
                context.insert(sample)
            }
            try context.save()
        }
    }
}

/// A function of SQL, `told()`, with which a statement reports that it runs.
private final class Told {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    func add(to connection: Connection) {
        sqlite3_create_function_v2(
            connection.database, "told", 0, SQLITE_UTF8, Unmanaged.passUnretained(self).toOpaque(),
            { context, _, _ in
                guard let told = sqlite3_user_data(context) else { return }
                Unmanaged<Told>.fromOpaque(told).takeUnretainedValue().body()
                sqlite3_result_int(context, 1)
            }, nil, nil, nil)
    }
}

/// A log that keeps its lines.
private struct Lines: LogHandler {
    final class Kept: Sendable {
        let lines = Mutex<[String]>([])
        func withLock<Result: Sendable>(_ body: (inout [String]) -> Result) -> Result {
            lines.withLock { lines in body(&lines) }
        }
    }

    let kept = Kept()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        kept.withLock { $0.append("\(event.level) \(event.message)") }
    }
}
