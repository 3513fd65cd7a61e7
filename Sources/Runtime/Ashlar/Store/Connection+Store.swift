import AshlarSQLite
import SystemFoundation

/// The state that a store keeps with each of its connections.
final class StoreConnectionState: ConnectionAttachment {
    /// Whether temporary triggers note the rows whose derived values change.
    var notesDerivedChanges = false
    /// Where the connection that writes a file's store puts large values; nil for others.
    var externalData: ExternalDataWriter?
    /// The recorder of the author of changes; nil if the history is off.
    var history: HistoryRecorder?
    /// The writers of large values for a connection that writes several stores, by the stores' schema names.
    var externalDataOfStores: [String: ExternalDataWriter] = [:]
    /// The watches that detect migrations and removed files of a container's stores; empty before it is open.
    var watches: [WatchedStore] = []
    /// The identifiers for new rows in stores with a range of their own, by the stores' schema names on the connection
    /// that writes.
    var identifierRanges: [String: IdentifierRange] = [:]
    /// The newest data versions that the connection has read, by the numbers of the stores.
    var seenDataVersions: [Int: UInt32] = [:]
    /// The offsets of the numbers of commits by others, so that they continue from those of an earlier connection.
    var dataVersionOffsets: [String: Int64] = [:]
    /// The rows of a save that one statement writes together; the code that saves defines their type.
    var pendingRows: AnyObject?
    /// The order keys of members that one statement reads or writes together; the code that saves defines their type.
    var storedOrderKeys: AnyObject?
    /// The least number of rows that one statement writes together. For fewer rows, a further statement costs more than
    /// it saves.
    var leastPendingRows = 8

    func connection(_ connection: Connection, hasPrepared statement: Statement) {
        if let externalData { statement.externalData = externalData }
    }
}

extension Connection {
    /// Returns whether files of large values stay when their rows are deleted. A store that follows a log keeps the
    /// earlier values of rows, and removes their files when the log has the changes, whichever process made them.
    func keepsReplacedFiles(in schemaName: String) throws(SQLiteError) -> Bool {
        try schema(of: schemaName).hasTable("ashlar$sync")
    }

    /// Opens a connection to a store, or to a file that may become one. It waits for other writers for some
    /// milliseconds.
    ///
    /// - Parameter registersFunctions: Whether Ashlar's functions are registered immediately. If it is false, they are
    ///   registered before the first statement that seems to need one.
    /// - Throws: ``SQLiteError`` with code 14 (`SQLITE_CANTOPEN`) if the file cannot be opened.
    package convenience init(
        path: String, flags: Int32, busyTimeout: Int32 = 5000, registersFunctions: Bool = true
    ) throws(SQLiteError) {
        try self.init(
            opening: path, flags: flags, busyTimeout: busyTimeout, functions: RegisteredFunctions.library)
        attachment = StoreConnectionState()
        try DecimalCollation.register(on: self)
        try TextCollation.register(on: self)
        if registersFunctions { try registerFunctions() }
    }

    /// Opens a file to read and write it.
    package convenience init(toWrite url: URL) throws(SQLiteError) {
        try self.init(path: url.path, flags: SQLITE_OPEN_READWRITE)
    }

    /// The store's state with the connection.
    @inline(__always)
    var state: StoreConnectionState {
        // The initializer above makes every connection of this module.
        unsafeDowncast(attachment.unsafelyUnwrapped, to: StoreConnectionState.self)
    }

    /// Makes the connection detect changes to the stores by others.
    ///
    /// - Parameter isReader: Whether it reads outside transactions, so that the stores may change between statements.
    func watch(_ stores: [StoreWatch], isReader: Bool) {
        state.watches = stores.map(WatchedStore.init)
        runs.isWatched = isReader
    }

    /// Sets the place of large values. Statements that are already prepared are prepared again.
    func setExternalData(_ writer: ExternalDataWriter?) {
        state.externalData = writer
        forgetStatements()
    }
}
