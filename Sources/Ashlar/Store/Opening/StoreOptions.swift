import AshlarSQLite

/// How a store's connections work: SQLite's own settings, with defaults that fit an app.
///
/// All but ``pageSize`` and ``historyTracking`` hold for as long as the container has the store open and leave nothing in the
/// file. Core Data's
/// `NSSQLitePragmasOption`, typed.
public struct StoreOptions: Sendable, Hashable {
    /// When a commit waits for the disk.
    public enum Synchronous: String, Sendable, Hashable, CaseIterable {
        /// Only when the write-ahead log is copied into the file. A killed process loses nothing; a power failure may
        /// lose the newest saves, never a part of one.
        case normal = "NORMAL"
        /// At every commit, so that a power failure loses none. Each save costs a wait for the disk.
        case full = "FULL"
    }

    /// What happens to the bytes of what is deleted.
    public enum SecureDelete: String, Sendable, Hashable, CaseIterable {
        /// They stay in the file until something is written over them.
        case off = "OFF"
        /// They are overwritten with zeros where that writes no page more. Pages that become free keep their bytes until
        /// they are used again.
        case fast = "FAST"
        /// All are overwritten with zeros, for which each page that becomes free is written.
        case on = "ON"
    }

    /// The size of a page in bytes: a power of two from 512 to 65536. It is decided when the store is made; of a store
    /// that exists it is ignored. 4096 unless set.
    public var pageSize: Int
    /// How much of the store each connection keeps in memory, in bytes. 16 MiB unless set; it is taken as it is used.
    public var cacheSize: Int
    /// When a commit waits for the disk; ``Synchronous/normal`` unless set.
    public var synchronous: Synchronous
    /// What happens to the bytes of what is deleted; ``SecureDelete/fast`` unless set, whatever the SQLite library
    /// was built with.
    public var secureDelete: SecureDelete
    /// How much of the file is read through a memory map, in bytes; 0, which is none, unless set. SQLite may have a
    /// lower limit. An error of the disk is then a signal that ends the process, rather than an error.
    public var mmapSize: Int
    /// How long an opening or a save waits for another process that writes, or a save for another context of this one, from
    /// 0 to 24 days; 5 seconds unless set. Of several stores in a container, that of the first counts for all saves.
    public var busyTimeout: Duration
    /// The number of pages in the write-ahead log after which a commit copies them into the file; 1000 unless set. With
    /// 0 only ``ModelContainer/checkpoint(_:)`` and the last closing do. Of several stores in a container, that of the
    /// first counts for all.
    public var walAutocheckpoint: Int
    /// To how many bytes the write-ahead log's file shrinks when it begins anew after it grew larger; 64 MiB unless set.
    public var journalSizeLimit: Int
    /// The size of the write-ahead log in bytes beyond which contexts of this container lose the query generations that
    /// they are pinned to, as a save finds; their next read throws ``StoreError/queryGenerationExpired(_:)``. Nil, which
    /// is without limit, unless set.
    public var pinnedLogLimit: Int?

    /// Whether the store records its changes, whoever makes them: true turns the history on, false turns it off and forgets
    /// it, and nil, unless set, leaves it as the store has it, which of a new store is off. Core Data's
    /// `NSPersistentHistoryTrackingKey`. Of several stores in a container each has its own. See
    /// ``ModelContainer/fetchHistory(_:)``.
    public var historyTracking: Bool?

    /// Whether the store's file comes from somebody who may mean harm: one that was sent, downloaded, or opened as a document.
    /// False unless set.
    ///
    /// Any store is opened without running a statement of its file's own, but its triggers, views, generated columns and
    /// rules are part of its tables, and may compute without end as soon as a row is read or written. With this, the schema
    /// must be the one that the model gives a store of its version, without anything besides, an index that somebody added
    /// by hand say; else opening throws ``StoreError/untrustedSchema(_:differences:)``. SQLite checks each page more closely,
    /// which makes reading a little slower, and compiles no statement beyond what a program needs.
    ///
    /// An opening compares the whole schema each time. A store of an older version is compared with what its version was,
    /// and again once it is migrated.
    public var isUntrusted: Bool

    /// Makes options; what is not said has its default.
    public init(
        pageSize: Int = 4096, cacheSize: Int = 16 << 20, synchronous: Synchronous = .normal,
        secureDelete: SecureDelete = .fast, mmapSize: Int = 0, busyTimeout: Duration = .seconds(5),
        walAutocheckpoint: Int = 1000, journalSizeLimit: Int = 64 << 20, pinnedLogLimit: Int? = nil,
        historyTracking: Bool? = nil, isUntrusted: Bool = false
    ) {
        self.pageSize = pageSize
        self.cacheSize = cacheSize
        self.synchronous = synchronous
        self.secureDelete = secureDelete
        self.mmapSize = mmapSize
        self.busyTimeout = busyTimeout
        self.walAutocheckpoint = walAutocheckpoint
        self.journalSizeLimit = journalSizeLimit
        self.pinnedLogLimit = pinnedLogLimit
        self.historyTracking = historyTracking
        self.isUntrusted = isUntrusted
    }

    /// Throws ``StoreError/invalidOption(name:value:allowed:)`` for a value that SQLite would ignore silently.
    func check() throws(StoreError) {
        func require(_ isValid: Bool, _ name: String, _ value: Any, _ allowed: String) throws(StoreError) {
            if !isValid { throw .invalidOption(name: name, value: "\(value)", allowed: allowed) }
        }
        let isPower = pageSize > 0 && pageSize & (pageSize - 1) == 0
        try require(
            isPower && (512...65536).contains(pageSize), "pageSize", pageSize, "a power of two from 512 to 65536")
        try require((0...(1 << 40)).contains(cacheSize), "cacheSize", cacheSize, "0 to \(1 << 40) bytes")
        try require(mmapSize >= 0, "mmapSize", mmapSize, "0 bytes or more")
        try require(
            busyTimeout >= .zero && busyTimeout <= .milliseconds(Int32.max), "busyTimeout", busyTimeout,
            "0 seconds to 24 days")
        try require(
            (0...Int(Int32.max)).contains(walAutocheckpoint), "walAutocheckpoint", walAutocheckpoint,
            "0 to \(Int32.max) pages")
        try require(journalSizeLimit >= 0, "journalSizeLimit", journalSizeLimit, "0 bytes or more")
        if let pinnedLogLimit {
            try require(pinnedLogLimit > 0, "pinnedLogLimit", pinnedLogLimit, "1 byte or more")
        }
    }

    /// Sets a connection up, before it reads anything.
    ///
    /// - Parameter trustsSchema: Whether what the store's triggers write into is trusted.
    func prepare(_ connection: Connection, trustsSchema: Bool = false) throws(SQLiteError) {
        try prepare(connection, schemaName: "main")
        if walAutocheckpoint != 1000 { try connection.execute("PRAGMA wal_autocheckpoint = \(walAutocheckpoint)") }
        try connection.execute("PRAGMA journal_size_limit = \(journalSizeLimit)")
        try connection.setDefensive(true)
        try connection.setTrustsSchema(trustsSchema)
        if isUntrusted { try connection.distrustFile() }
    }

    /// Sets up what a connection has for each of its databases.
    func prepare(_ connection: Connection, schemaName: String) throws(SQLiteError) {
        try connection.execute("PRAGMA \(schemaName).synchronous = \(synchronous.rawValue)")
        try connection.execute("PRAGMA \(schemaName).secure_delete = \(secureDelete.rawValue)")
        // A negative number is in units of 1024 bytes.
        try connection.execute("PRAGMA \(schemaName).cache_size = -\(cacheSize / 1024)")
        if mmapSize > 0 { try connection.execute("PRAGMA \(schemaName).mmap_size = \(mmapSize)") }
    }

    var busyMilliseconds: Int32 {
        let (seconds, attoseconds) = busyTimeout.components
        return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
