import SQLQuoting

/// A question of SQLite's planner to a table, while it prepares a statement: the conditions that could find rows, and
/// the wanted order. SQLite has already resolved names, turned comparisons and split `OR`.
package struct PlannerQuestion {
    /// The comparison of a column.
    package enum Comparison: Hashable {
        case equal, isNull, isNotNull, lower, upper
    }

    /// A condition on one column that an index could serve.
    package struct Condition {
        package var column: Int
        package var comparison: Comparison
        /// The collation of the comparison; nil if SQLite does not report it.
        package var collation: String?
    }

    /// A column of the wanted order.
    package struct Order {
        package var column: Int
        package var isDescending: Bool
    }

    /// The position of the table in the probe.
    package var table: Int
    package var conditions: [Condition]
    /// The orders; empty if the order is not by columns.
    package var orders: [Order]
    /// The columns that are read; nil if there are more than SQLite reports.
    package var usedColumns: [Int]?
}

/// Tables without rows in a connection's database, which SQLite's planner asks for usable conditions.
///
/// Statements about them are prepared and never run. Reading a row fails.
package final class PlannerProbe {
    /// Receives a question, and returns the positions of the usable conditions.
    package typealias Listener = (PlannerQuestion) -> [Int]

    private let tables: [(name: String, columns: [String])]
    private let listener: Listener

    /// Makes a virtual table for each of some tables.
    ///
    /// - Parameters:
    ///   - tables: The names, and the definitions of their columns, quoted for SQL.
    ///   - listener: The closure that answers. It must not retain the probe or its connection.
    package init(
        _ tables: [(name: String, columns: [String])], in connection: Connection, listener: @escaping Listener
    ) throws(SQLiteError) {
        self.tables = tables
        self.listener = listener
        // SQLite releases the probe when it closes the connection. It does not copy the module, which is never freed.
        let probe = Unmanaged.passRetained(self).toOpaque()
        try connection.check(
            sqlite3_create_module_v2(
                connection.database, "ashlar_probe", Self.module, probe,
                { $0.map { Unmanaged<PlannerProbe>.fromOpaque($0).release() } }))
        for (number, table) in tables.enumerated() {
            let name = SQLQuotation.identifier(table.name)
            try connection.execute("CREATE VIRTUAL TABLE \(name) USING ashlar_probe(\(number))")
        }
    }

    /// The callbacks, made once for each process and never changed. `unsafe` is necessary because the compiler cannot
    /// see that a pointer is only read.
    nonisolated(unsafe) private static let module: UnsafeMutablePointer<sqlite3_module> = {
        var module = sqlite3_module()
        module.xCreate = connect
        module.xConnect = connect
        module.xBestIndex = { table, information in
            guard let table, let information else { return SQLITE_ERROR }
            let probed = UnsafeMutableRawPointer(table).assumingMemoryBound(to: ProbedTable.self).pointee
            Unmanaged<PlannerProbe>.fromOpaque(probed.probe).takeUnretainedValue().ask(probed.number, information)
            return SQLITE_OK
        }
        module.xDisconnect = disconnect
        module.xDestroy = disconnect
        // Nothing ever runs; these must only exist.
        module.xOpen = { _, _ in SQLITE_ERROR }
        module.xClose = { _ in SQLITE_OK }
        module.xFilter = { _, _, _, _, _ in SQLITE_ERROR }
        module.xNext = { _ in SQLITE_ERROR }
        module.xEof = { _ in 1 }
        module.xColumn = { _, _, _ in SQLITE_ERROR }
        module.xRowid = { _, _ in SQLITE_ERROR }
        module.xUpdate = { _, _, _, _ in SQLITE_READONLY }
        let memory = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        memory.initialize(to: module)
        return memory
    }()

    private typealias Connect =
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> Int32

    private static let connect: Connect = { connection, probe, count, arguments, result, _ in
        guard let probe, count == 4, let text = arguments?[3], let number = Int(String(cString: text)), let result
        else { return SQLITE_ERROR }
        let columns = Unmanaged<PlannerProbe>.fromOpaque(probe).takeUnretainedValue().tables[number].columns
        let code = sqlite3_declare_vtab(connection, "CREATE TABLE x(\(columns.joined(separator: ", ")))")
        if code != SQLITE_OK { return code }
        let memory = UnsafeMutablePointer<ProbedTable>.allocate(capacity: 1)
        memory.initialize(to: ProbedTable(base: sqlite3_vtab(), number: number, probe: probe))
        result.pointee = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }

    private static let disconnect: @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 = { table in
        guard let table else { return SQLITE_OK }
        let memory = UnsafeMutableRawPointer(table).assumingMemoryBound(to: ProbedTable.self)
        memory.deinitialize(count: 1)
        memory.deallocate()
        return SQLITE_OK
    }

    /// Passes the planner's question to the listener, and returns the answer.
    private func ask(_ number: Int, _ information: UnsafeMutablePointer<sqlite3_index_info>) {
        let columns = tables[number].columns.indices
        var question = PlannerQuestion(table: number, conditions: [], orders: [], usedColumns: nil)
        var positions: [Int] = []
        for index in 0..<Int(information.pointee.nConstraint) {
            let constraint = information.pointee.aConstraint[index]
            guard constraint.usable != 0, columns.contains(Int(constraint.iColumn)),
                let comparison = PlannerQuestion.Comparison(constraint.op)
            else { continue }
            let collation = sqlite3_vtab_collation(information, Int32(index)).map { String(cString: $0) }
            positions.append(index)
            question.conditions.append(
                PlannerQuestion.Condition(
                    column: Int(constraint.iColumn), comparison: comparison, collation: collation))
        }
        for index in 0..<Int(information.pointee.nOrderBy) {
            let order = information.pointee.aOrderBy[index]
            guard columns.contains(Int(order.iColumn)) else {
                question.orders = []
                break
            }
            question.orders.append(
                PlannerQuestion.Order(column: Int(order.iColumn), isDescending: order.desc != 0))
        }
        let mask = information.pointee.colUsed
        if mask >> 63 == 0 { question.usedColumns = columns.prefix(63).filter { mask >> $0 & 1 == 1 } }
        let accepted = listener(question)
        for (argument, condition) in accepted.enumerated() {
            information.pointee.aConstraintUsage[positions[condition]].argvIndex = Int32(argument + 1)
        }
        // More usable conditions are cheaper, so the planner offers all of them.
        information.pointee.estimatedCost = 1e6 / Double(accepted.count + 1)
        information.pointee.estimatedRows = Int64(1e6 / Double(accepted.count + 1))
    }
}

/// A table as SQLite represents it, with SQLite's part first.
private struct ProbedTable {
    var base: sqlite3_vtab
    var number: Int
    var probe: UnsafeMutableRawPointer
}

extension PlannerQuestion.Comparison {
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
