import CLoops
import Foundation

/// A connection opened by hand, with the settings of Ashlar's connections.
package final class HandWrittenConnection {
    package let database: OpaquePointer

    package init(_ url: URL) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(url.path, &handle, flags, nil) == SQLITE_OK, let handle else {
            throw LoopError(description: "cannot open the store")
        }
        database = handle
        sqlite3_busy_timeout(handle, 5000)
        for setting in StoreSettings.statements { try execute(setting) }
    }

    deinit { sqlite3_close_v2(database) }

    package func execute(_ sql: String) throws {
        if sqlite3_exec(database, sql, nil, nil, nil) != SQLITE_OK { throw error(sql) }
    }

    package func prepare(_ sql: String) throws -> HandWrittenStatement {
        var handle: OpaquePointer?
        guard sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil) == SQLITE_OK,
            let handle
        else { throw error(sql) }
        return HandWrittenStatement(handle: handle, connection: self)
    }

    package func check(_ code: Int32) throws {
        if code != SQLITE_DONE { throw error("a loop") }
    }

    private func error(_ doing: String) -> LoopError {
        LoopError(description: "\(String(cString: sqlite3_errmsg(database))) in: \(doing)")
    }
}
