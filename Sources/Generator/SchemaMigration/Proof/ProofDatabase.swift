import AshlarSQLite
import DataModel
import Foundation
import RelationalSchema

/// A database in memory on which migrations are proven.
final class ProofDatabase {
    /// SQLite's message about a statement, with the statement.
    struct Failure: Error {
        var message: String
        var sql: String
        /// Whether a row is not as the schema demands.
        var isConstraint = false
        /// The byte of the statement that the message is about; nil if SQLite does not give it.
        var offset: Int?
        /// Where the author wrote the statement; nil for one that was planned.
        var location: SourceLocation?
    }

    private let connection: Connection

    init() throws(Failure) {
        do throws(SQLiteError) {
            connection = try Connection(
                opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
            try DecimalCollation.register(on: connection)
        } catch {
            throw Failure(error)
        }
        try run("PRAGMA foreign_keys = OFF")
        // Nothing is rolled back: a database is discarded after a failure.
        try run("PRAGMA journal_mode = OFF")
    }

    /// Runs a statement and gives its rows as texts.
    @discardableResult
    func run(_ sql: String) throws(Failure) -> [[String?]] {
        do throws(SQLiteError) {
            let statement = try connection.prepare(sql)
            var rows: [[String?]] = []
            while try statement.step() { rows.append((0..<statement.columnCount).map { statement.text($0) }) }
            return rows
        } catch {
            var failure = Failure(error)
            failure.offset = connection.errorOffset
            throw failure
        }
    }

    /// Calls a closure with the schema of the database.
    func withSchema<Result>(_ body: (DatabaseSchema) throws(SQLiteError) -> Result) throws(Failure) -> Result {
        do throws(SQLiteError) {
            return try body(try connection.schema())
        } catch {
            throw Failure(error)
        }
    }

    /// Returns the rows whose foreign keys lead to no row.
    func foreignKeyViolations(limit: Int = .max) throws(Failure) -> [ForeignKeyViolation] {
        do throws(SQLiteError) {
            return try connection.foreignKeyViolations(limit: limit)
        } catch {
            throw Failure(error)
        }
    }
}

extension ProofDatabase.Failure {
    /// The byte of the statement at which the failure is shown. For some names, SQLite does not give the place.
    var place: Int {
        if let offset { return offset }
        guard message.hasPrefix("no such "), let colon = message.firstRange(of: ": ") else { return 0 }
        let name = message[colon.upperBound...].split(separator: ".").last ?? ""
        guard !name.isEmpty, let found = sql.firstRange(of: name) else { return 0 }
        return sql.utf8.distance(from: sql.startIndex, to: found.lowerBound)
    }

    init(_ error: SQLiteError) {
        self.init(message: error.message, sql: error.sql, isConstraint: error.code == SQLITE_CONSTRAINT)
    }
}
