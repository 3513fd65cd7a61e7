import BenchmarkHarness
import CLoops
import Foundation

/// The common parts of loops over SQLite's C API.
extension HandWrittenStatement {
    /// Runs a statement that gives no rows.
    @inline(__always)
    func run(_ bind: (OpaquePointer) -> Void) throws {
        bind(handle)
        let code = sqlite3_step(handle)
        sqlite3_reset(handle)
        if code != SQLITE_DONE { try connection.check(code) }
    }

    /// Takes each row of a statement.
    @inline(__always)
    func each(_ bind: (OpaquePointer) -> Void = { _ in }, _ row: (OpaquePointer) throws -> Void) throws {
        bind(handle)
        var code = sqlite3_step(handle)
        while code == SQLITE_ROW {
            try row(handle)
            code = sqlite3_step(handle)
        }
        sqlite3_reset(handle)
        if code != SQLITE_DONE { try connection.check(code) }
    }
}

extension HandWrittenConnection {
    /// Does everything in one transaction for writing.
    @inline(__always)
    func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        try body()
        try execute("COMMIT")
    }

    /// Counts up the versions of rows, which Ashlar does for both ends of a pair that comes or goes.
    func countUp(_ table: String, _ rowIDs: some Sequence<Int64>) throws {
        let update = try prepare("UPDATE \"\(table)\" SET \"version$\" = \"version$\" + 1 WHERE \"id$\" = ?1")
        for rowID in rowIDs { try update.run { $0.bind(rowID, 1) } }
    }

    /// The only number that a query gives.
    func number(_ sql: String) throws -> Int64 {
        var result: Int64 = 0
        try prepare(sql).each { result = $0.integer(0) }
        return result
    }
}

/// A prepared statement, as the loops use it.
extension OpaquePointer {
    @inline(__always) func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(self, column) }
    @inline(__always) func double(_ column: Int32) -> Double { sqlite3_column_double(self, column) }

    @inline(__always) func text(_ column: Int32) -> String {
        let bytes = sqlite3_column_text(self, column)
        let count = Int(sqlite3_column_bytes(self, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    @inline(__always) func optionalText(_ column: Int32) -> String? {
        sqlite3_column_type(self, column) == SQLITE_NULL ? nil : text(column)
    }

    @inline(__always) func reference(_ column: Int32) -> Int64? {
        let value = sqlite3_column_int64(self, column)
        return value == 0 ? nil : value
    }

    @inline(__always) func date(_ column: Int32) -> Date { Date(timeIntervalSinceReferenceDate: double(column)) }
    @inline(__always) func bind(_ value: Int64, _ position: Int32) { sqlite3_bind_int64(self, position, value) }

    /// Binds a text, which SQLite copies.
    func bind(_ text: String, _ position: Int32) {
        sqlite3_bind_text(self, position, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
}
