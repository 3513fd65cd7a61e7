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
    /// Where the connection that writes several stores puts their large values, by the names under which it knows them.
    var externalDataOfStores: [String: ExternalDataWriter] = [:]
    /// The watches that detect migrations and removed files of a container's stores; empty before it is open.
    var watches: [WatchedStore] = []
    /// The numbers that the connection that writes gives to new rows, by the names under which it knows the stores that
    /// have a range of their own.
    var identifierRanges: [String: IdentifierRange] = [:]
    /// By the numbers of the stores, what the connection knew of their commits when it was last asked who made them.
    var seenDataVersions: [Int: UInt32] = [:]
    /// The offsets of the numbers of commits by others, so that they continue from those of an earlier connection.
    var dataVersionOffsets: [String: Int64] = [:]
    /// The rows of a save that a statement writes together; whoever saves knows what they are.
    var pendingRows: AnyObject?
    /// The order keys of members that a statement reads or writes together, as above.
    var storedOrderKeys: AnyObject?
    /// How many rows there must be for one statement to write them together. Fewer are not worth another statement.
    var leastPendingRows = 8

    func connection(_ connection: Connection, hasPrepared statement: Statement) {
        if let externalData { statement.externalData = externalData }
    }
}

extension Connection {
    /// Returns whether files of large values stay when their rows lose them: a store that follows a log keeps what rows
    /// were, and lets files go when the log has what was changed, whichever process changed it.
    func keepsReplacedFiles(in schemaName: String) throws(SQLiteError) -> Bool {
        try schema(of: schemaName).hasTable("ashlar$sync")
    }

    /// Opens a connection to a store, or to a file that may become one, which waits for others that write for some
    /// milliseconds. Throws an ``SQLiteError`` of code 14 (`SQLITE_CANTOPEN`) when the file cannot be opened.
    ///
    /// - Parameter registersFunctions: Whether the functions of ours are known from the beginning; else from the first
    ///   statement on that seems to need one.
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
        // Every connection of this module is made above.
        unsafeDowncast(attachment.unsafelyUnwrapped, to: StoreConnectionState.self)
    }

    /// Has the connection find out what others do to the stores.
    ///
    /// - Parameter isReader: Whether it reads without a transaction of its own, in which nothing could change.
    func watch(_ stores: [StoreWatch], isReader: Bool) {
        state.watches = stores.map(WatchedStore.init)
        runs.isWatched = isReader
    }

    /// Where large values go from now on; statements that are prepared already are prepared again.
    func setExternalData(_ writer: ExternalDataWriter?) {
        state.externalData = writer
        forgetStatements()
    }
}
