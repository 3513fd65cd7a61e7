import AshlarSQLite
import SQLQuoting

/// A table of a database that no model describes, as SQLite describes it.
struct ForeignTable {
    /// A column, with what its rows hold.
    struct Column {
        var name: String
        /// The type as it was declared, in capitals; often empty.
        var declaredType: String
        var isRequired: Bool
        /// The default as SQL.
        var defaultValue: String?
        /// The position in the primary key, from 1; 0 for none.
        var keyPosition: Int64
        var isGenerated: Bool
        /// How many rows have a value of each of SQLite's types.
        var types: [String: Int64] = [:]
        /// The number of whole numbers that a floating-point number cannot represent exactly, if there are such numbers
        /// too.
        var roundedCount: Int64 = 0
        /// Whether it is called Boolean, and has nothing but 0 and 1.
        var isBoolean = false
    }

    /// A reference of one column.
    struct Reference {
        var column: String
        var table: String
        /// The column that is referred to; nil for the primary key.
        var target: String?
        var deletion: String
    }

    /// An index over columns alone.
    struct Index {
        var name: String
        var columns: [(name: String, isDescending: Bool)]
        var isUnique: Bool
    }

    var name: String
    var columns: [Column] = []
    var references: [Reference] = []
    var indexes: [Index] = []
    /// Whether its rows have numbers that objects can have too, once they are moved above 0.
    var hasRowID = true
    /// The name by which SQLite has a row's number.
    var rowIDName: String?
    var rows: Int64 = 0
    /// The least number of a row.
    var firstRowID: Int64 = 1
    /// The parts of the table that no model can describe.
    var remarks: [String] = []

    /// The column that is the row's number.
    var rowIDColumn: String? {
        let keys = columns.filter { $0.keyPosition > 0 }
        guard hasRowID, keys.count == 1, keys[0].declaredType == "INTEGER" else { return nil }
        return keys[0].name
    }

    var keys: [String] { columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }.map(\.name) }

    func column(_ name: String) -> Column? { columns.first { $0.name.lowercased() == name.lowercased() } }

    /// Reads a table.
    ///
    /// - Parameter isWithoutRowID: Whether the table was made so. SQLite tells it by listing all tables.
    init(_ name: String, sql: String, isWithoutRowID: Bool, _ connection: Connection) throws(SQLiteError) {
        self.name = name
        let quoted = "main.\(SQLQuotation.identifier(name))"
        hasRowID = !isWithoutRowID
        for row in try connection.rows(
            "SELECT \"name\", \"type\", \"notnull\", \"dflt_value\", \"pk\", \"hidden\" FROM pragma_table_xinfo(?1, 'main') ORDER BY \"cid\"",
            [.text(name)])
        {
            guard case .text(let name) = row[0] else { continue }
            let type = if case .text(let text) = row[1] { text } else { "" }
            let defaultValue: String? = if case .text(let text) = row[3] { text } else { nil }
            let position = if case .integer(let number) = row[4] { number } else { Int64(0) }
            columns.append(
                Column(
                    name: name, declaredType: type.uppercased(), isRequired: row[2] == .integer(1),
                    defaultValue: defaultValue,
                    keyPosition: position, isGenerated: row[5] == .integer(2) || row[5] == .integer(3)))
        }
        rows = try connection.integer("SELECT count(*) FROM \(quoted)") ?? 0
        // A column may have the name by which SQLite otherwise has the row's number.
        let names = Set(columns.map { $0.name.lowercased() })
        let rowIDName = ["rowid", "_rowid_", "oid"].first { !names.contains($0) || rowIDColumn?.lowercased() == $0 }
        if hasRowID, let rowIDName {
            self.rowIDName = rowIDName
            let range = try connection.rows("SELECT min(\(rowIDName)), max(\(rowIDName)) FROM \(quoted)").first ?? []
            if case .integer(let first)? = range.first, case .integer(let last)? = range.last {
                firstRowID = first
                // Numbers that have no place above 0 are given anew.
                hasRowID =
                    first >= 1
                    || !Int64(1).subtractingReportingOverflow(first).overflow
                        && !last.addingReportingOverflow(1 - first).overflow
            }
        } else {
            hasRowID = false
        }
        for index in columns.indices where !columns[index].isGenerated {
            let column = SQLQuotation.identifier(columns[index].name)
            if columns[index].declaredType.contains("BOOL") {
                columns[index].isBoolean =
                    try connection.integer("SELECT count(*) FROM \(quoted) WHERE \(column) NOT IN (0, 1)") == 0
            }
            for row in try connection.rows("SELECT typeof(\(column)), count(*) FROM \(quoted) GROUP BY 1") {
                if case .text(let type) = row[0], case .integer(let count) = row[1] {
                    columns[index].types[type] = count
                }
            }
            if columns[index].types["integer"] != nil, columns[index].types["real"] != nil {
                columns[index].roundedCount =
                    try connection.integer(
                        "SELECT count(*) FROM \(quoted) WHERE typeof(\(column)) = 'integer' AND CAST(\(column) AS REAL) <> \(column)"
                    ) ?? 0
            }
        }
        try readReferences(connection)
        try readIndexes(connection)
        for column in columns where column.isGenerated { remarks.append("its column \(column.name) is computed") }
        if sql.uppercased().contains("COLLATE") {
            remarks.append("a column of it compares texts in an order of its own, which the model does not")
        }
        if sql.uppercased().contains("CHECK") { remarks.append("it checks its rows, which the model does not") }
    }

    private mutating func readReferences(_ connection: Connection) throws(SQLiteError) {
        let rows = try connection.rows(
            "SELECT \"id\", \"table\", \"from\", \"to\", \"on_delete\" FROM pragma_foreign_key_list(?1, 'main') ORDER BY \"id\", \"seq\"",
            [.text(name)])
        for row in rows {
            guard case .text(let table) = row[1], case .text(let column) = row[2] else { continue }
            if rows.count(where: { $0[0] == row[0] }) > 1 {
                let remark = "it refers to \(table) by several columns together"
                if !remarks.contains(remark) { remarks.append(remark) }
                continue
            }
            let target: String? = if case .text(let text) = row[3] { text } else { nil }
            let deletion = if case .text(let text) = row[4] { text } else { "" }
            references.append(Reference(column: column, table: table, target: target, deletion: deletion))
        }
    }

    private mutating func readIndexes(_ connection: Connection) throws(SQLiteError) {
        let list = try connection.rows(
            "SELECT \"name\", \"unique\", \"origin\", \"partial\" FROM pragma_index_list(?1, 'main') ORDER BY \"name\"",
            [.text(name)])
        for row in list {
            guard case .text(let index) = row[0], row[2] != .text("pk") || rowIDColumn == nil else { continue }
            if row[3] == .integer(1) {
                remarks.append("its index \(index) is of some rows only")
                continue
            }
            var columns: [(String, Bool)] = []
            var isPlain = true
            for part in try connection.rows(
                "SELECT \"name\", \"desc\", \"coll\" FROM pragma_index_xinfo(?1, 'main') WHERE \"key\" = 1 ORDER BY \"seqno\"",
                [.text(index)])
            {
                guard case .text(let column) = part[0] else {
                    isPlain = false
                    continue
                }
                if part[2] != .text("BINARY") { remarks.append("its index \(index) compares texts by \(part[2])") }
                columns.append((column, part[1] == .integer(1)))
            }
            if isPlain {
                indexes.append(
                    Index(
                        name: index, columns: columns.map { (name: $0.0, isDescending: $0.1) },
                        isUnique: row[1] == .integer(1)))
            } else {
                remarks.append("its index \(index) is of expressions")
            }
        }
    }
}
