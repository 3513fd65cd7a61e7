import AshlarSQLite
import Foundation
import RandomData
import RandomNumbers
import Testing

@testable import Ashlar

typealias SeededGenerator = RandomNumbers.SeededGenerator

/// A folder of one test, deleted with this object.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String = "test.store") -> URL { url.appendingPathComponent(name) }

    /// The files and their bytes.
    func contents() throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            result[name] = (try? Data(contentsOf: file(name))) ?? Data("(a folder)".utf8)
        }
        return result
    }
}

func memoryContainer(_ model: any ManagedObjectModel.Type = TortureModel.self) throws -> ModelContainer {
    try ModelContainer(for: model, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}

func memoryContext() throws -> ModelContext { ModelContext(try memoryContainer()) }

extension ModelContainer {
    /// Fails the test unless the store is sound: its pages, its indexes and its references.
    func expectSound(_ comment: Testing.Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try pool.read { connection in
            let integrity = try connection.text("PRAGMA integrity_check")
            #expect(integrity == "ok", comment, sourceLocation: sourceLocation)
            let broken = try connection.text("SELECT \"table\" FROM pragma_foreign_key_check()")
            #expect(broken == nil, comment, sourceLocation: sourceLocation)
        }
    }

    /// Runs SQL without any context, as another program would.
    func execute(_ sql: String) throws {
        try pool.write { try $0.executeScript(sql) }
    }

    func integer(_ sql: String) throws -> Int64? {
        try pool.read { connection in
            connection.forgetStatements()
            return try connection.integer(sql)
        }
    }

    func text(_ sql: String) throws -> String? { try pool.read { try $0.text(sql) } }

    /// Counts the runs of statements on the one connection of a store in memory.
    func statementRuns() throws -> Int {
        try pool.read { connection in
            var runs = 0
            var statement = sqlite3_next_stmt(connection.database, nil)
            while let current = statement {
                runs += Int(sqlite3_stmt_status(current, SQLITE_STMTSTATUS_RUN, 0))
                statement = sqlite3_next_stmt(connection.database, current)
            }
            return runs
        }
    }
}

extension ModelContext {
    /// The objects as another context reads them. Their relationships cannot be read, because that context is
    /// released.
    func fetched<Model: PersistentModel>(_ type: Model.Type) throws -> [Model] {
        try ModelContext(container).fetch(FetchDescriptor<Model>())
    }
}

/// Whether an error says that these properties break a rule.
func isValidation(_ error: any Error, _ properties: [String], _ rule: ValidationFailure.Rule) -> Bool {
    guard case SaveError.validation(let failures) = error else { return false }
    return failures.map(\.property).sorted() == properties.sorted() && failures.allSatisfy { $0.rule == rule }
}

extension Connection {
    /// Runs all statements of a text, as other programs may.
    func executeScript(_ sql: String) throws {
        try registerFunctions()
        let code = sqlite3_exec(database, sql, nil, nil, nil)
        if code != SQLITE_OK { throw SQLiteError(code, connection: database, sql: sql) }
    }
}
