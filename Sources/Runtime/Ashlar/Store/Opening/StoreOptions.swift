import AshlarSQLite

/// The options of a store's connections, with defaults that fit an app.
///
/// Except for ``pageSize`` and ``historyTracking``, they apply while the container has the store open, and leave
/// nothing in the file.
///
///     let options = StoreOptions(synchronous: .full, historyTracking: true)
///     let configuration = ModelConfiguration(url: url, options: options)
///
/// Core Data's counterpart is `NSSQLitePragmasOption`.
public struct StoreOptions: Sendable, Hashable {
    /// The moment at which a commit waits for the disk.
    public enum Synchronous: String, Sendable, Hashable, CaseIterable {
        /// Only when the write-ahead log is copied into the file.
        ///
        /// A crash of the process loses nothing. A power failure may lose the newest saves, but never a part of one.
        /// Identifiers and history tokens of lost saves are given again.
        case normal = "NORMAL"
        /// At every commit, so that a power failure loses no save. Each save waits for the disk, by `fsync`.
        ///
        /// On Apple platforms, `fsync` does not empty the disk's own cache; SQLite's `fullfsync` stays off.
        case full = "FULL"
    }

    /// The treatment of deleted bytes.
    public enum SecureDelete: String, Sendable, Hashable, CaseIterable {
        /// Deleted bytes stay in the file until they are overwritten.
        case off = "OFF"
        /// Deleted bytes are overwritten with zeros unless that needs to write another page.
        ///
        /// Pages that become free keep their bytes until they are used again.
        case fast = "FAST"
        /// All deleted bytes are overwritten with zeros, and each page that becomes free is written.
        case on = "ON"
    }

    /// The size of a page in bytes: a power of two from 512 to 65536. It defaults to 4096.
    ///
    /// It applies when the store is created, and is ignored for an existing store.
    public var pageSize: Int
    /// The amount of the store in bytes that each connection may keep in memory. It defaults to 16 MiB.
    public var cacheSize: Int
    /// The moment at which a commit waits for the disk. It defaults to ``Synchronous/normal``.
    public var synchronous: Synchronous
    /// The treatment of deleted bytes. It defaults to ``SecureDelete/fast``, whatever the default of the SQLite
    /// library.
    public var secureDelete: SecureDelete
    /// The part of the file in bytes that is read through a memory map. It defaults to 0, which turns the map off.
    ///
    /// SQLite may have a lower limit. A disk error is then a signal that ends the process.
    public var mmapSize: Int
    /// The time that an opening or a save waits for other writers, from 0 to 24 days. It defaults to 5 seconds.
    ///
    /// If a container has several stores, that of the first applies to all saves.
    public var busyTimeout: Duration
    /// The number of pages in the write-ahead log after which a commit copies them into the file. It defaults to 1000.
    ///
    /// With 0, only ``ModelContainer/checkpoint(_:)`` and the last closing do so. If a container has several stores,
    /// that of the first applies to all.
    public var walAutocheckpoint: Int
    /// The size in bytes to which the file of the write-ahead log is truncated after it grew larger. It defaults to 64
    /// MiB.
    public var journalSizeLimit: Int
    /// The size of the write-ahead log in bytes beyond which contexts lose their pinned query generations.
    ///
    /// A save detects it, and their next read throws ``StoreError/queryGenerationExpired(_:)``. Nil, the default, sets
    /// no limit.
    public var pinnedLogLimit: Int?

    /// Whether the store records its history of changes, including those of other programs.
    ///
    /// True turns the history on. False turns it off and deletes it. Nil, the default, leaves the store's setting,
    /// which is off for a new store. Each store of a container has its own setting. See
    /// ``ModelContainer/fetchHistory(_:)``.
    ///
    ///     var configuration = ModelConfiguration(url: url)
    ///     configuration.options.historyTracking = true
    ///
    /// Core Data's counterpart is `NSPersistentHistoryTrackingKey`.
    public var historyTracking: Bool?

    /// Whether the store's file may be malicious: one that was sent, downloaded, or opened as a document.
    ///
    /// It defaults to false. A store's triggers, views, generated columns and rules are part of its tables, and may
    /// compute forever when a row is read or written. With this option, the schema must be exactly that of the model.
    /// Otherwise opening throws ``StoreError/untrustedSchema(_:differences:)``, even for an index that was added by
    /// hand.
    ///
    ///     configuration.options.isUntrusted = true
    ///
    /// SQLite then also checks each page more closely, which makes reading a little slower, and refuses statements that
    /// a program does not need. Each opening compares the whole schema. A store of an older version is compared with
    /// that version, and again after its migration.
    public var isUntrusted: Bool

    /// Creates options; each parameter has the default of its property.
    ///
    ///     let options = StoreOptions(busyTimeout: .seconds(10), historyTracking: true)
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
    /// - Parameter trustsSchema: Whether virtual tables that the store's triggers write to are trusted.
    func prepare(_ connection: Connection, trustsSchema: Bool = false) throws(SQLiteError) {
        try prepare(connection, schemaName: "main")
        if walAutocheckpoint != 1000 { try connection.execute("PRAGMA wal_autocheckpoint = \(walAutocheckpoint)") }
        try connection.execute("PRAGMA journal_size_limit = \(journalSizeLimit)")
        try connection.setDefensive(true)
        try connection.setTrustsSchema(trustsSchema)
        if isUntrusted { try connection.distrustFile() }
    }

    /// Sets the options of a connection that apply to one of its databases.
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
