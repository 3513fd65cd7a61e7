import AshlarSQLite

/// The estimated reads and writes of statements. Only a few rows of each table are read for it.
///
/// The highest row number of a table estimates its number of rows, and sampled rows estimate their length. Tables are
/// sampled only if a statement reads them, so that statements with a constant cost are estimated without reads.
struct MigrationEstimate {
    /// The number of rows that each statement reads or writes.
    private(set) var rows: [Int] = []
    /// The temporary growth of the store and its log, in bytes.
    private(set) var storeBytes: Int64 = 0
    /// The size of SQLite's temporary files, in bytes.
    private(set) var temporaryBytes: Int64 = 0
    /// The names of the tables whose rows are written, after renames. Nil if they are unknown.
    private(set) var writtenTables: Set<String>? = []
    /// The names of the tables from which rows are removed, after renames.
    private(set) var reducedTables: Set<String> = []

    private let connection: Connection
    /// The number of times that new data is written: with a log, once in the log and once in the file.
    private let copies: Int64
    /// The upper bound of a table's length.
    private let limit: Int64
    private var sizes: [String: TableSize] = [:]

    /// Estimates statements of a store before any of them runs.
    ///
    /// - Parameter hasLog: Whether the statements run with a write-ahead log.
    init(_ statements: [StatementWork], _ connection: Connection, hasLog: Bool = true) throws(SQLiteError) {
        self.connection = connection
        copies = hasLog ? 2 : 1
        limit = try connection.usedBytes()
        for work in statements { rows.append(try add(work)) }
    }

    /// Adds the space for tables that are rebuilt one by one.
    mutating func addRebuilding(of tables: [String]) throws(SQLiteError) {
        for table in tables { storeBytes += try copies * size(table).bytes }
    }

    private mutating func add(_ work: StatementWork) throws(SQLiteError) -> Int {
        switch work.action {
        case .changeSchema: return 0
        case .query: return try longest(work.sources).rows
        case .copy:
            let size = try longest(work.sources)
            storeBytes += copies * size.bytes
            sizes[work.table] = TableSize(
                rows: max(size.rows, sizes[work.table]?.rows ?? 0), rowLength: size.rowLength)
            writtenTables?.insert(work.table)
            return size.rows
        case .update, .delete, .dropColumn:
            let size = try size(work.table)
            storeBytes += size.bytes
            writtenTables?.insert(work.table)
            if work.action == .delete { reducedTables.insert(work.table) }
            return size.rows
        case .makeIndex:
            let size = try size(work.table)
            let bytes = Int64(size.rows) * Int64(min(size.rowLength, 64))
            storeBytes += copies * bytes
            temporaryBytes = max(temporaryBytes, 2 * bytes)
            return size.rows
        case .dropTable:
            reducedTables.insert(work.table)
            writtenTables?.remove(work.table)
            return 0
        case .renameTable(let name):
            sizes[name] = try size(work.table)
            sizes[work.table] = nil
            if writtenTables?.remove(work.table) != nil { writtenTables?.insert(name) }
            if reducedTables.remove(work.table) != nil { reducedTables.insert(name) }
            return 0
        case .unknown:
            writtenTables = nil
            let size = try longest(work.sources)
            storeBytes += copies * size.bytes
            return size.rows
        }
    }

    private mutating func longest(_ tables: [String]) throws(SQLiteError) -> TableSize {
        var result = TableSize(rows: 0, rowLength: 0)
        for table in tables {
            let size = try size(table)
            if size.bytes > result.bytes { result = size }
        }
        return result
    }

    private mutating func size(_ table: String) throws(SQLiteError) -> TableSize {
        if let size = sizes[table] { return size }
        var size = try TableSize(of: table, connection)
        if size.bytes > limit { size.rowLength = max(1, Int(limit) / size.rows) }
        sizes[table] = size
        return size
    }
}

/// The estimated size of a table.
struct TableSize {
    var rows: Int
    /// The length of a row in bytes, including SQLite's overhead and the free space on its pages.
    var rowLength: Int

    var bytes: Int64 { Int64(rows) * Int64(rowLength) }

    init(rows: Int, rowLength: Int) {
        self.rows = rows
        self.rowLength = rowLength
    }

    /// Samples a table. A missing table counts as empty.
    init(of table: String, _ connection: Connection) throws(SQLiteError) {
        let name = table.quotedIdentifier
        self.init(rows: 0, rowLength: 0)
        let schema = try connection.schema()
        guard let found = try schema.table(table), found.kind != .view else { return }
        let hasRowID = !found.isWithoutRowID
        // Row numbers are not reused, so that the highest one is cheap to read and never too low.
        let count = hasRowID ? "SELECT max(\"rowid\") FROM \(name)" : "SELECT count(*) FROM \(name)"
        // No row is shorter than two bytes, which limits the number of rows if their numbers are high.
        let most = max(0, try connection.usedBytes() / 2)
        rows = Int(clamping: min(most, try connection.integer(count) ?? 0))
        if rows <= 0 {
            rows = 0
            return
        }
        let lengths = try schema.columns(of: table).filter(\.isOrdinary)
            .map { "ifnull(length(\($0.name.quotedIdentifier)), 0) + 2" }
        let slices = hasRowID ? 16 : 1
        var (seen, bytes) = (0, 0)
        for slice in 0..<slices {
            let condition = hasRowID ? "WHERE \"rowid\" >= \(rows / slices * slice)" : ""
            let sample = try connection.rows(
                "SELECT \(lengths.joined(separator: " + ")) FROM \(name) \(condition) LIMIT 16")
            seen += sample.count
            bytes += sample.reduce(0) { $0 + Int($1[0].integer) }
        }
        rowLength = seen == 0 ? 0 : (bytes / seen + 8) * 3 / 2
    }
}

extension Connection {
    /// Returns the size of the store in bytes, without free pages.
    func usedBytes() throws(SQLiteError) -> Int64 {
        let pages = try integer("PRAGMA page_count") ?? 0
        let free = try integer("PRAGMA freelist_count") ?? 0
        return (pages - free) * (try integer("PRAGMA page_size") ?? 0)
    }
}
