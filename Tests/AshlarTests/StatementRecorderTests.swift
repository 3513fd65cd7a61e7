import Foundation
import Testing

@testable import Ashlar

/// The lines that a recorder writes about the statements that run.
@Suite struct StatementRecorderTests {
    private struct Line: Codable {
        var sql: String
        var count: Int
        var microseconds: Int64
        var rows: Int
        var list: Int?
    }

    private let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jsonl")

    private func context(_ observer: StatementObserver?) throws -> ModelContext {
        var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        configuration.statementObserver = observer
        return ModelContext(try ModelContainer(for: TortureModel.self, configurations: configuration))
    }

    private func lines() throws -> [Line] {
        try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            .map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test func statementsAreCountedWithoutValues() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let recorder = try StatementRecorder(to: url)
        let context = try context(recorder.observer)
        for name in ["secret", "other"] { context.insert(Sample(name: name)) }
        try context.save()
        for name in ["secret", "other", "none"] { _ = try context.fetch(Sample.where { $0.name == name }) }
        for count in [1, 2, 3, 600] {
            let names = (0..<count).map { "n\($0)" }
            _ = try context.fetch(Sample.where { $0.name.isIn(names) })
        }
        // Each is there before anything is flushed.
        #expect(try lines().contains { $0.sql.contains("\"name\" = ?") && $0.count == 1 })
        try recorder.flush()
        let lines = try lines()
        func total(_ end: String) -> (count: Int, rows: Int, list: Int) {
            let found = lines.filter { $0.sql.hasSuffix(end) }
            return (
                found.reduce(0) { $0 + $1.count }, found.reduce(0) { $0 + $1.rows }, found.compactMap(\.list).max() ?? 0
            )
        }
        #expect(total("\"name\" = ?") == (3, 2, 0))
        #expect(total("\"name\" IN (?)") == (1, 0, 0))
        #expect(total("\"name\" IN (?, ?)") == (2, 0, 3))
        #expect(lines.contains { $0.sql.hasPrefix("INSERT INTO \"Sample\"") })
        let text = try String(contentsOf: url, encoding: .utf8)
        for word in ["secret", "BEGIN", "COMMIT", "PRAGMA", "sqlite_", "metadata"] { #expect(!text.contains(word)) }
    }

    @Test func shapes() {
        func shape(_ sql: String) -> String { StatementShape(sql).sql }
        #expect(shape("a = ?1 AND b IN (?2, ?3, ?4) AND c = ?5") == "a = ? AND b IN (?, ?) AND c = ?")
        #expect(shape("f(?1, ?2, ?3)") == "f(?, ?, ?)")
        #expect(shape(#""a?1" = 'it''s ?2' AND x IN (?3)"#) == #""a?1" = 'it''s ?2' AND x IN (?)"#)
        #expect(shape("'open ?1") == "'open ?1" && shape("?") == "?" && shape("") == "")
        #expect(StatementShape("x IN (?1, ?2, ?3)").listSize == 3)
        for own in ["BEGIN", "PRAGMA x", "SELECT \"seq\" FROM \"sqlite_sequence\"", "EXPLAIN SELECT 1"] {
            #expect(!StatementShape.isOfModel(own))
        }
    }

    @Test func anObserverOfOnesOwnStaysBeside() {
        let told = Told()
        let slow = StatementObserver(level: .rows, slowerThan: .seconds(1)) { _ in told.add("slow") }
        let all = StatementObserver { _ in told.add("all") }
        let both = all.joined(with: slow)
        #expect(both.level == .rows && both.threshold == nil)
        both.handler(StatementEvent(sql: "a", duration: .zero, rowCount: 0))
        both.handler(StatementEvent(sql: "b", duration: .seconds(2), rowCount: 0))
        #expect(told.names == ["all", "all", "slow"])
        #expect(all.joined(with: nil) == all && all.joined(with: all) == all)
    }

    @Test func aFileThatCannotBeMadeIsAnError() {
        let missing = URL(fileURLWithPath: "/nowhere/at/all/queries.jsonl")
        #expect(throws: StatementRecorderError.self) { try StatementRecorder(to: missing) }
    }

    @Test func memoryIsBounded() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let recorder = try StatementRecorder(to: url)
        for number in 0..<StatementRecorder.maximumCount + 10 {
            recorder.record(StatementEvent(sql: "SELECT \(number)", duration: .zero, rowCount: 0))
        }
        let long = "SELECT '" + String(repeating: "x", count: StatementRecorder.maximumLength) + "'"
        recorder.record(StatementEvent(sql: long, duration: .zero, rowCount: 0))
        try recorder.flush()
        #expect(try lines().count == StatementRecorder.maximumCount)
    }

    @Test func severalWritersShareAFile() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        let recorders = try (0..<4).map { _ in try StatementRecorder(to: url) }
        DispatchQueue.concurrentPerform(iterations: 4) { number in
            for statement in 0..<100 {
                let sql = "SELECT \(statement), '\(String(repeating: "x", count: statement * 7))'"
                recorders[number].record(StatementEvent(sql: sql, duration: .microseconds(2), rowCount: 1))
            }
        }
        for recorder in recorders { try recorder.flush() }
        let lines = try lines()
        #expect(Set(lines.map(\.sql)).count == 100 && lines.reduce(0) { $0 + $1.count } == 400)
    }

    /// `@unchecked Sendable`: one thread alone uses it.
    private final class Told: @unchecked Sendable {
        var names: [String] = []
        func add(_ name: String) { names.append(name) }
    }
}
