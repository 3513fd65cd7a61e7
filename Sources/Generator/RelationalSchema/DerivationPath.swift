import DataModel

/// The path from a row to the rows that its derived value depends on, in SQL.
struct DerivationPath {
    /// The way in which one row refers to others.
    enum Link {
        /// A column of the row contains the `id$` of the next row.
        case column(String)
        /// A column of the next row contains the `id$` of this row.
        case inverseColumn(String)
        /// A table contains pairs of both.
        case joinTable(String, own: String, other: String)
    }

    /// A step, and the table it leads to.
    struct Hop {
        var link: Link
        var tableName: String
    }

    /// The first table of the path.
    var tableName: String
    var hops: [Hop]

    /// The table of a level: 0 is the first table, and each hop leads to the next level.
    func tableName(ofLevel level: Int) -> String { level == 0 ? tableName : hops[level - 1].tableName }

    /// The name of the rows of the last level in ``source``.
    var alias: String { hops.isEmpty ? tableName : "hop\(hops.count)$" }

    /// `FROM` and `WHERE` for the rows that a row of the first table leads to. The table's name stands for that row.
    var source: String {
        var tables: [String] = []
        var first = ""
        var previous = tableName
        func add(_ table: String, as alias: String, _ column: String, _ value: String) {
            let item = "\(SQLText.identifier(table)) AS \(SQLText.identifier(alias))"
            let condition = "\(SQLText.identifier(alias)).\(SQLText.identifier(column)) = \(value)"
            if tables.isEmpty {
                tables.append(item)
                first = condition
            } else {
                tables.append("CROSS JOIN \(item) ON \(condition)")
            }
        }
        func column(_ name: String, of table: String) -> String {
            "\(SQLText.identifier(table)).\(SQLText.identifier(name))"
        }
        for (index, hop) in hops.enumerated() {
            let alias = "hop\(index + 1)$"
            switch hop.link {
            case .column(let name):
                add(hop.tableName, as: alias, ColumnName.identifier, column(name, of: previous))
            case .inverseColumn(let name):
                add(hop.tableName, as: alias, name, column(ColumnName.identifier, of: previous))
            case .joinTable(let table, let own, let other):
                let join = "link\(index + 1)$"
                add(table, as: join, own, column(ColumnName.identifier, of: previous))
                add(hop.tableName, as: alias, ColumnName.identifier, column(other, of: join))
            }
            previous = alias
        }
        return "FROM \(tables.joined(separator: " ")) WHERE \(first)"
    }

    /// The `id$` of the rows of the first table that lead to rows of a level. The `id$` of the latter is any text that
    /// may be in the parentheses of `IN`.
    func owners(of identifiers: String, atLevel level: Int) -> String {
        var current = identifiers
        for number in stride(from: level, to: 0, by: -1) {
            let hop = hops[number - 1]
            switch hop.link {
            case .column(let name):
                current = select(ColumnName.identifier, from: tableName(ofLevel: number - 1), where: name, current)
            case .inverseColumn(let name):
                current = select(name, from: hop.tableName, where: ColumnName.identifier, current)
            case .joinTable(let table, let own, let other):
                current = select(own, from: table, where: other, current)
            }
        }
        return current
    }

    private func select(_ column: String, from table: String, where other: String, _ values: String) -> String {
        "SELECT \(SQLText.identifier(column)) FROM \(SQLText.identifier(table)) "
            + "WHERE \(SQLText.identifier(other)) IN (\(values))"
    }
}
