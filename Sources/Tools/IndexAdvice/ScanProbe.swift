import AshlarSQLite
import RelationalSchema

/// The constraints of a statement on one table, as SQLite's planner reports them.
struct TableScan: Hashable {
    typealias Comparison = PlannerQuestion.Comparison

    /// A column with a comparison.
    struct Term: Hashable {
        var column: Int
        var comparison: Comparison
    }

    /// A column by which the rows are ordered.
    struct Order: Hashable {
        var column: Int
        var isDescending: Bool
    }

    var tableName: String
    /// The terms, each once, in the statement's order.
    var terms: [Term]
    var order: [Order]
    /// The columns that are read; nil if there are more than SQLite reports.
    var usedColumns: [Int]?
}

/// A database with virtual tables, which show the conditions by which SQLite's planner would search them.
///
/// SQLite asks each table which conditions it could use. By then it has resolved names, reversed comparisons and split
/// `OR`, so the probe need not do that again.
final class ScanProbe {
    private let database: PlannerDatabase
    private let record: ProbeRecord

    init(_ schema: Schema) throws(PlannerFailure) {
        database = try PlannerDatabase()
        let record = ProbeRecord(schema.tables)
        self.record = record
        try database.run("BEGIN")
        let tables = schema.tables.map { table in
            (
                name: table.name,
                columns: table.columns.map { column in
                    let collation = column.collation.map { " COLLATE \(SQLText.identifier($0))" } ?? ""
                    return "\(SQLText.identifier(column.name)) \(column.type.rawValue)\(collation)"
                }
            )
        }
        let connection = database.connection
        try planning { () throws(SQLiteError) in
            _ = try PlannerProbe(tables, in: connection) { record.note($0) }
        }
        for table in schema.letterTables { try database.run(table.definition) }
        for rtree in schema.rtrees { try database.run(rtree.definition) }
        for table in schema.fullTextTables { try database.run(table.definition) }
        try database.run("COMMIT")
    }

    /// Returns the constraints of a statement on its tables; nothing if it cannot be prepared here.
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

/// The planner's questions while a statement was prepared.
private final class ProbeRecord {
    let tables: [Table]
    var scans: [TableScan] = []

    init(_ tables: [Table]) { self.tables = tables }

    /// Records the planner's question to a table, and accepts every condition that an index could serve.
    func note(_ question: PlannerQuestion) -> [Int] {
        let table = tables[question.table]
        let accepted = question.conditions.indices.filter { index in
            let condition = question.conditions[index]
            return Self.isComparing(condition, as: table.columns[condition.column])
        }
        var scan = TableScan(
            tableName: table.name, terms: [],
            order: question.orders.map { TableScan.Order(column: $0.column, isDescending: $0.isDescending) },
            usedColumns: question.usedColumns)
        for condition in accepted.map({ question.conditions[$0] }) {
            let term = TableScan.Term(column: condition.column, comparison: condition.comparison)
            if !scan.terms.contains(term) { scan.terms.append(term) }
        }
        if !scan.terms.isEmpty || !scan.order.isEmpty { scans.append(scan) }
        return accepted
    }

    /// Returns whether a condition compares as the column does, as an index on it would have to.
    private static func isComparing(_ condition: PlannerQuestion.Condition, as column: Column) -> Bool {
        guard let name = condition.collation else { return true }
        return SQLText.folded(name) == SQLText.folded(column.collation ?? "BINARY")
    }
}
