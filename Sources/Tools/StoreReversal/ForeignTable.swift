import AshlarSQLite
import SQLQuoting

/// A table of a database that no model describes, as SQLite describes it.
struct ForeignTable {
    /// A column, with facts about the values in its rows.
    struct Column {
        var name: String
        /// The type as it was declared, in capitals; often empty.
        var declaredType: String
        var isRequired: Bool
        /// The default as SQL.
        var defaultValue: String?
        /// The position in the primary key, from 1; 0 for none.
        var keyPosition: Int
        var isGenerated: Bool
        /// The number of rows with a value of each of SQLite's types.
        var types: [String: Int64] = [:]
        /// The number of whole numbers that a floating-point number cannot represent exactly, if there are such numbers
        /// too.
        var roundedCount: Int64 = 0
        /// Whether its declared type is a Boolean one, and it has no values but 0 and 1.
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
    /// The name that SQLite uses for a row's number.
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
    init(_ name: String, sql: String, isWithoutRowID: Bool, _ connection: Connection) throws(SQLiteError) {
        self.name = name
        let quoted = "main.\(SQLQuotation.identifier(name))"
        hasRowID = !isWithoutRowID
        let schema = try connection.schema()
        columns = try schema.columns(of: name).map { column in
            Column(
                name: column.name, declaredType: column.type.uppercased(), isRequired: column.isRequired,
                defaultValue: column.defaultValue, keyPosition: column.keyPosition,
                isGenerated: [.generated, .storedGenerated].contains(column.kind))
        }
        rows = try connection.integer("SELECT count(*) FROM \(quoted)") ?? 0
        // A column may have the name that SQLite otherwise uses for the row's number.
        let names = Set(columns.map { $0.name.lowercased() })
        let rowIDName = ["rowid", "_rowid_", "oid"].first { !names.contains($0) || rowIDColumn?.lowercased() == $0 }
        if hasRowID, let rowIDName {
            self.rowIDName = rowIDName
            let range = try connection.rows("SELECT min(\(rowIDName)), max(\(rowIDName)) FROM \(quoted)").first ?? []
            if case .integer(let first)? = range.first, case .integer(let last)? = range.last {
                firstRowID = first
                // If the numbers cannot be shifted above 0, rows get new ones.
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
        readReferences(try schema.foreignKeys(of: name))
        readIndexes(try schema.indexes(of: name))
        for column in columns where column.isGenerated { remarks.append("its column \(column.name) is computed") }
        if sql.uppercased().contains("COLLATE") {
            remarks.append("a column of it compares texts in an order of its own, which the model does not")
        }
        if sql.uppercased().contains("CHECK") { remarks.append("it checks its rows, which the model does not") }
    }

    private mutating func readReferences(_ keys: [DatabaseSchema.ForeignKey]) {
        for key in keys {
            if keys.count(where: { $0.number == key.number }) > 1 {
                let remark = "it refers to \(key.table) by several columns together"
                if !remarks.contains(remark) { remarks.append(remark) }
                continue
            }
            references.append(
                Reference(column: key.column, table: key.table, target: key.target, deletion: key.onDelete))
        }
    }

    private mutating func readIndexes(_ found: [DatabaseSchema.Index]) {
        for index in found where index.origin != .primaryKey || rowIDColumn == nil {
            if index.isPartial {
                remarks.append("its index \(index.name) has some rows only")
                continue
            }
            for column in index.columns where column.name != nil && column.collation != "BINARY" {
                remarks.append("its index \(index.name) compares texts by \(column.collation)")
            }
            let columns = index.columns.compactMap { column in
                column.name.map { (name: $0, isDescending: column.isDescending) }
            }
            if columns.count == index.columns.count {
                indexes.append(Index(name: index.name, columns: columns, isUnique: index.isUnique))
            } else {
                remarks.append("its index \(index.name) has expressions")
            }
        }
    }
}
