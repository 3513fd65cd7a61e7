import AshlarSQLite
import DataModel
import RelationalSchema

/// The numbers of rows, and of different values in them.
protocol TableStatistics {
    /// The number of rows of a table.
    func rowCount(of table: String) -> Int
    /// The number of different combinations of values that the rows of a table have in some columns, at least 1.
    func groupCount(of table: String, _ columnNames: [String]) -> Int
    /// Whether the numbers are those of a store, and not guesses.
    var areMeasured: Bool { get }
}

extension TableStatistics {
    /// The number of rows that have the same values in some columns, on average.
    func rowsPerGroup(of table: String, _ columnNames: [String]) -> Int {
        max(1, rowCount(of: table) / max(1, groupCount(of: table, columnNames)))
    }
}

/// Likely statistics of a store that has grown, by the types of the columns.
struct AssumedStatistics: TableStatistics {
    /// The rows of every table.
    private static let rowCount = 100_000
    private let groupCounts: [String: [String: Int]]

    var areMeasured: Bool { false }

    init(_ schema: Schema) {
        var counts: [String: [String: Int]] = [:]
        for entity in schema.graph.model.entities {
            guard let storage = schema.storage(of: entity) else { continue }
            for column in storage.columns {
                counts[storage.tableName, default: [:]][column.name] = Self.groupCount(of: column)
            }
            let kinds = schema.graph.hierarchy(of: schema.graph.root(of: entity)).count
            counts[storage.tableName, default: [:]][ColumnName.entity] = kinds
        }
        groupCounts = counts
    }

    private static func groupCount(of column: StoredColumn) -> Int {
        switch column.content {
        case .toOne: return rowCount / 10
        case .order: return 1000
        case .attribute(let attribute):
            if column.leaf?.isPresence == true { return 2 }
            switch attribute.type {
            case .boolean: return 2
            // Small integers are mostly the cases of an enumeration.
            case .integer16: return 20
            case .integer32, .integer64, .string: return rowCount / 10
            default: return rowCount
            }
        }
    }

    func rowCount(of table: String) -> Int { Self.rowCount }

    func groupCount(of table: String, _ columnNames: [String]) -> Int {
        var result = 1
        for name in columnNames {
            result *= groupCounts[table]?[name] ?? (name == ColumnName.identifier ? Self.rowCount : Self.rowCount / 10)
            if result >= Self.rowCount { return Self.rowCount }
        }
        return result
    }
}

extension PlannerDatabase {
    /// Replaces the planner's statistics by those of all tables and of some indexes.
    func load(_ statistics: any TableStatistics, _ schema: Schema, _ indexes: [TableIndex]) throws(PlannerFailure) {
        var rows: [String] = []
        func add(_ table: String, _ index: String?, _ numbers: [Int]) {
            let name = index.map { SQLText.literal($0) } ?? "NULL"
            let text = numbers.map(String.init).joined(separator: " ")
            rows.append("(\(SQLText.literal(table)), \(name), '\(text)')")
        }
        for table in schema.tables {
            let count = max(1, statistics.rowCount(of: table.name))
            if table.primaryKey.isEmpty {
                add(table.name, nil, [count])
            } else {
                add(table.name, table.name, numbers(statistics, table.name, table.primaryKey, count))
            }
        }
        for index in indexes {
            // Half of the rows, as a guess, fulfil the condition of a partial index.
            let whole = max(1, statistics.rowCount(of: index.tableName))
            let count = index.condition == nil ? whole : max(1, whole / 2)
            let names = index.elements.map { $0.columnName ?? "" }
            var values = numbers(statistics, index.tableName, names, count)
            if index.isUnique { values[values.count - 1] = 1 }
            add(index.tableName, index.name, values)
        }
        try planning { () throws(SQLiteError) in
            if try !connection.schema().hasTable("sqlite_stat1") { try connection.execute("ANALYZE") }
        }
        try run("DELETE FROM sqlite_stat1")
        if !rows.isEmpty {
            try run("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES \(rows.joined(separator: ", "))")
        }
        try planning { () throws(SQLiteError) in try connection.reloadStatistics() }
    }

    /// The number of rows, then how many have the same values in the first column, in the first two, and so on.
    private func numbers(
        _ statistics: any TableStatistics, _ table: String, _ columnNames: [String], _ count: Int
    ) -> [Int] {
        var result = [count]
        for length in columnNames.indices {
            let rows = statistics.rowsPerGroup(of: table, Array(columnNames[...length]))
            result.append(min(count, rows, result.last ?? rows))
        }
        return result
    }
}
