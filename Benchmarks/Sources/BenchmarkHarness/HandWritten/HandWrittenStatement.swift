import CLoops

/// A statement that is finalised when it is released.
package final class HandWrittenStatement {
    package let handle: OpaquePointer
    package let connection: HandWrittenConnection

    package init(handle: OpaquePointer, connection: HandWrittenConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }
}
