import BenchmarkHarness
import CLoops
import Foundation

/// Functions that the plain statements of all workloads share.
extension HandWrittenStatement {
    /// Runs a statement without rows.
    @inline(__always)
    func run(_ bind: (OpaquePointer) -> Void = { _ in }) throws {
        bind(handle)
        let code = sqlite3_step(handle)
        sqlite3_reset(handle)
        if code != SQLITE_DONE { try connection.check(code) }
    }

    /// Passes each row of a statement to a closure.
    @inline(__always)
    func each(_ bind: (OpaquePointer) -> Void = { _ in }, _ row: (OpaquePointer) throws -> Void) throws {
        bind(handle)
        defer { sqlite3_reset(handle) }
        var code = sqlite3_step(handle)
        while code == SQLITE_ROW {
            try row(handle)
            code = sqlite3_step(handle)
        }
        if code != SQLITE_DONE { try connection.check(code) }
    }

    /// The first column of the only row; nil if there is none.
    @inline(__always)
    func number(_ bind: (OpaquePointer) -> Void) throws -> Int64? {
        var number: Int64?
        try each(bind) { number = $0.integer(0) }
        return number
    }
}

extension HandWrittenConnection {
    /// Runs a closure in one transaction for writing.
    @inline(__always)
    func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        try body()
        try execute("COMMIT")
    }
}

/// A prepared statement.
extension OpaquePointer {
    var columnCount: Int32 { sqlite3_column_count(self) }

    @inline(__always) func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(self, column) }
    @inline(__always) func double(_ column: Int32) -> Double { sqlite3_column_double(self, column) }

    @inline(__always) func text(_ column: Int32) -> String {
        let bytes = sqlite3_column_text(self, column)
        let count = Int(sqlite3_column_bytes(self, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    @inline(__always) func date(_ column: Int32) -> Date { Date(timeIntervalSinceReferenceDate: double(column)) }
    @inline(__always) func bind(_ value: Int64, _ position: Int32) { sqlite3_bind_int64(self, position, value) }
    @inline(__always) func bind(_ value: Double, _ position: Int32) { sqlite3_bind_double(self, position, value) }

    /// Binds a text, which SQLite copies.
    @inline(__always) func bind(_ text: String, _ position: Int32) {
        sqlite3_bind_text(self, position, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
}
