import CLoops
import Foundation

/// What SQLite answered to a loop of the benchmarks.
struct LoopError: Error, CustomStringConvertible {
    var description: String
}

/// A connection as one opens it by hand, with the settings that Ashlar's have.
final class HandWrittenConnection {
    let database: OpaquePointer

    init(_ url: URL) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(url.path, &handle, flags, nil) == SQLITE_OK, let handle else {
            throw LoopError(description: "cannot open the store")
        }
        database = handle
        for setting in StoreSettings.statements { try execute(setting) }
    }

    deinit { sqlite3_close_v2(database) }

    func execute(_ sql: String) throws {
        if sqlite3_exec(database, sql, nil, nil, nil) != SQLITE_OK { throw error(sql) }
    }

    func prepare(_ sql: String) throws -> HandWrittenStatement {
        var handle: OpaquePointer?
        guard sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil) == SQLITE_OK,
            let handle
        else { throw error(sql) }
        return HandWrittenStatement(handle: handle, connection: self)
    }

    func check(_ code: Int32) throws {
        if code != SQLITE_DONE { throw error("a loop") }
    }

    private func error(_ doing: String) -> LoopError {
        LoopError(description: "\(String(cString: sqlite3_errmsg(database))) in: \(doing)")
    }
}

/// A statement that is finalised when it is let go.
final class HandWrittenStatement {
    let handle: OpaquePointer
    let connection: HandWrittenConnection

    init(handle: OpaquePointer, connection: HandWrittenConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }
}
