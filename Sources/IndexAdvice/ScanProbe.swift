import AshlarSQLite
import RelationalSchema

/// What a statement asks of one table, as SQLite's planner tells it.
struct TableScan: Hashable {
    /// How a column is narrowed.
    enum Comparison: Hashable {
        case equal, isNull, isNotNull, lower, upper
    }

    /// A column with a comparison.
    struct Term: Hashable {
        var column: Int
        var comparison: Comparison
    }

    /// A column by which the rows are wanted in order.
    struct Order: Hashable {
        var column: Int
        var isDescending: Bool
    }

    var tableName: String
    /// The terms, each once, in the statement's order.
    var terms: [Term]
    var order: [Order]
    /// The columns that are read; nil where there are more than SQLite tells.
    var usedColumns: [Int]?
}

/// A database whose tables are virtual, so that SQLite's planner says what it would like to find them by.
///
/// It asks each table which of the conditions it could use, which is where it is told of them: after it has resolved
/// names, turned round comparisons and taken `OR` apart, which nobody has to do again.
final class ScanProbe {
    private let database: PlannerDatabase
    private let record: ProbeRecord

    init(_ schema: Schema) throws(PlannerFailure) {
        database = try PlannerDatabase()
        record = ProbeRecord(schema.tables)
        // SQLite releases the record, and the module with it, when it closes the connection.
        let code = sqlite3_create_module_v2(
            database.connection.database, "ashlar_probe", record.module, Unmanaged.passRetained(record).toOpaque(),
            { $0.map { Unmanaged<ProbeRecord>.fromOpaque($0).release() } })
        try planning { () throws(SQLiteError) in try database.connection.check(code) }
        try database.run("BEGIN")
        for (number, table) in schema.tables.enumerated() {
            try database.run(
                "CREATE VIRTUAL TABLE \(SQLText.identifier(table.name)) USING ashlar_probe(\(number))")
        }
        for table in schema.letterTables { try database.run(table.definition) }
        for rtree in schema.rtrees { try database.run(rtree.definition) }
        for table in schema.fullTextTables { try database.run(table.definition) }
        try database.run("COMMIT")
    }

    /// What a statement asks of the tables; nothing where it cannot be prepared here.
    func scans(of sql: String) -> [TableScan] {
        record.scans = []
        // SQLite does not make outer joins of virtual tables inner ones, as it does with real tables.
        for text in [sql, StatementText.withInnerJoins(sql)] {
            do { try database.probe(text) } catch { return [] }
        }
        var seen: Set<TableScan> = []
        return record.scans.filter { seen.insert($0).inserted }
    }
}

/// What the planner asked while a statement was prepared, and the module that writes it down.
private final class ProbeRecord {
    let tables: [Table]
    var scans: [TableScan] = []
    let module: UnsafeMutablePointer<sqlite3_module>

    init(_ tables: [Table]) {
        self.tables = tables
        module = .allocate(capacity: 1)
        module.initialize(to: Self.callbacks)
    }

    deinit {
        module.deinitialize(count: 1)
        module.deallocate()
    }

    private static var callbacks: sqlite3_module {
        var module = sqlite3_module()
        module.xCreate = connect
        module.xConnect = connect
        module.xBestIndex = { table, information in
            guard let table, let information else { return SQLITE_ERROR }
            let probe = UnsafeMutableRawPointer(table).assumingMemoryBound(to: ProbeTable.self).pointee
            Unmanaged<ProbeRecord>.fromOpaque(probe.record).takeUnretainedValue().note(probe.number, information)
            return SQLITE_OK
        }
        module.xDisconnect = disconnect
        module.xDestroy = disconnect
        // Nothing is ever run: these only have to be there.
        module.xOpen = { _, _ in SQLITE_ERROR }
        module.xClose = { _ in SQLITE_OK }
        module.xFilter = { _, _, _, _, _ in SQLITE_ERROR }
        module.xNext = { _ in SQLITE_ERROR }
        module.xEof = { _ in 1 }
        module.xColumn = { _, _, _ in SQLITE_ERROR }
        module.xRowid = { _, _ in SQLITE_ERROR }
        module.xUpdate = { _, _, _, _ in SQLITE_READONLY }
        return module
    }

    private typealias Connect =
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> Int32

    private static let connect: Connect = { connection, record, count, arguments, result, _ in
        guard let record, count == 4, let text = arguments?[3], let number = Int(String(cString: text)), let result
        else { return SQLITE_ERROR }
        let table = Unmanaged<ProbeRecord>.fromOpaque(record).takeUnretainedValue().tables[number]
        let columns = table.columns.map { column in
            let collation = column.collation.map { " COLLATE \(SQLText.identifier($0))" } ?? ""
            return "\(SQLText.identifier(column.name)) \(column.type.rawValue)\(collation)"
        }
        let code = sqlite3_declare_vtab(connection, "CREATE TABLE x(\(columns.joined(separator: ", ")))")
        if code != SQLITE_OK { return code }
        let memory = UnsafeMutablePointer<ProbeTable>.allocate(capacity: 1)
        memory.initialize(to: ProbeTable(base: sqlite3_vtab(), number: number, record: record))
        result.pointee = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }

    private static let disconnect: @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 = { table in
        guard let table else { return SQLITE_OK }
        let memory = UnsafeMutableRawPointer(table).assumingMemoryBound(to: ProbeTable.self)
        memory.deinitialize(count: 1)
        memory.deallocate()
        return SQLITE_OK
    }

    /// Writes down what is asked of a table, and accepts every condition that an index could serve.
    private func note(_ number: Int, _ information: UnsafeMutablePointer<sqlite3_index_info>) {
        let table = tables[number]
        var scan = TableScan(tableName: table.name, terms: [], order: [], usedColumns: nil)
        var accepted: Int32 = 0
        for index in 0..<Int(information.pointee.nConstraint) {
            let constraint = information.pointee.aConstraint[index]
            guard constraint.usable != 0, table.columns.indices.contains(Int(constraint.iColumn)) else { continue }
            let column = Int(constraint.iColumn)
            guard let comparison = TableScan.Comparison(constraint.op),
                Self.collation(information, index, table.columns[column])
            else { continue }
            let term = TableScan.Term(column: column, comparison: comparison)
            if !scan.terms.contains(term) { scan.terms.append(term) }
            accepted += 1
            information.pointee.aConstraintUsage[index].argvIndex = accepted
        }
        for index in 0..<Int(information.pointee.nOrderBy) {
            let order = information.pointee.aOrderBy[index]
            guard table.columns.indices.contains(Int(order.iColumn)) else {
                scan.order = []
                break
            }
            scan.order.append(TableScan.Order(column: Int(order.iColumn), isDescending: order.desc != 0))
        }
        let mask = information.pointee.colUsed
        if mask >> 63 == 0 { scan.usedColumns = table.columns.indices.prefix(63).filter { mask >> $0 & 1 == 1 } }
        if !scan.terms.isEmpty || !scan.order.isEmpty { scans.append(scan) }
        // The more it may use, the cheaper: so the planner offers all that there is.
        information.pointee.estimatedCost = 1e6 / Double(accepted + 1)
        information.pointee.estimatedRows = Int64(1e6 / Double(accepted + 1))
    }

    /// Whether a condition compares as the column does, as an index on it would have to.
    private static func collation(
        _ information: UnsafeMutablePointer<sqlite3_index_info>, _ index: Int, _ column: Column
    ) -> Bool {
        guard let name = sqlite3_vtab_collation(information, Int32(index)) else { return true }
        return SQLText.folded(String(cString: name)) == SQLText.folded(column.collation ?? "BINARY")
    }
}

/// A table as SQLite holds it: its own part comes first.
private struct ProbeTable {
    var base: sqlite3_vtab
    var number: Int
    var record: UnsafeMutableRawPointer
}

extension TableScan.Comparison {
    fileprivate init?(_ operation: UInt8) {
        switch Int32(operation) {
        case SQLITE_INDEX_CONSTRAINT_EQ, SQLITE_INDEX_CONSTRAINT_IS: self = .equal
        case SQLITE_INDEX_CONSTRAINT_ISNULL: self = .isNull
        case SQLITE_INDEX_CONSTRAINT_ISNOTNULL: self = .isNotNull
        case SQLITE_INDEX_CONSTRAINT_GT, SQLITE_INDEX_CONSTRAINT_GE: self = .lower
        case SQLITE_INDEX_CONSTRAINT_LT, SQLITE_INDEX_CONSTRAINT_LE: self = .upper
        default: return nil
        }
    }
}
