import AshlarSQLite

extension RelatedRows {
    /// The `FROM` and `WHERE` of a query about the rows, and something more that is written about one of them.
    func sql(
        _ statement: inout SQLStatement, where condition: SQLExpression,
        _ write: (inout SQLStatement) -> String
    ) -> (from: String, written: String) {
        let ownerColumn = owner.identifier
        statement.join(ownerColumn.path)
        let row = element.rootAlias.quotedIdentifier
        let (parts, joins) = statement.subquery(level) { statement in
            let written = write(&statement)
            return (written, terms(condition, &statement))
        }
        var source: String
        var link: String
        switch self.link {
        case .foreignKey(let column):
            source = "\(table.quotedIdentifier) AS \(row)"
            link = "\(row).\(column.quotedIdentifier) = \(ownerColumn.sql)"
        case .joinTable(let name, let own, let other):
            let join = linkAlias.quotedIdentifier
            source = "\(name.quotedIdentifier) AS \(join) JOIN \(table.quotedIdentifier) AS \(row)"
            source += " ON \(row).\"id$\" = \(join).\(other.quotedIdentifier)"
            link = "\(join).\(own.quotedIdentifier) = \(ownerColumn.sql)"
        }
        link = ([link] + parts.1).joined(separator: " AND ")
        return ("FROM \(source)\(joins) WHERE \(link)", parts.0)
    }

    /// The condition that the owner is one of those that have rows which a search in an R-tree finds. Unlike `EXISTS`, it
    /// may be NULL where it does not hold.
    func sql(_ statement: inout SQLStatement, where condition: SQLExpression, foundBy search: BoxSearch) -> String {
        let ownerColumn = owner.identifier
        statement.join(ownerColumn.path)
        let (conditions, joins) = statement.subquery(level) { statement in
            terms(condition, &statement) + [search.membership(of: element.rootAlias, &statement)]
        }
        let row = element.rootAlias.quotedIdentifier
        // Whatever other indexes there are, the R-tree was found to be better.
        var source = "\(table.quotedIdentifier) AS \(row) NOT INDEXED"
        let found: String
        switch link {
        case .foreignKey(let column): found = "\(row).\(column.quotedIdentifier)"
        case .joinTable(let name, let own, let other):
            let join = linkAlias.quotedIdentifier
            source +=
                " CROSS JOIN \(name.quotedIdentifier) AS \(join) ON \(join).\(other.quotedIdentifier) = \(row).\"id$\""
            found = "\(join).\(own.quotedIdentifier)"
        }
        return "\(ownerColumn.sql) IN (SELECT \(found) FROM \(source)\(joins) WHERE "
            + conditions.joined(separator: " AND ") + ")"
    }

    /// What must hold of a row: the filter and a condition.
    private func terms(_ condition: SQLExpression, _ statement: inout SQLStatement) -> [String] {
        var terms: [String] = []
        for term in [filter, condition].compactMap(\.self) where term != .alwaysTrue {
            terms.append(term.sql(&statement))
        }
        return terms
    }

    private var linkAlias: String {
        if case .joinTable(let name, _, _) = link { "\(name)$\(level)" } else { "" }
    }

    /// The terms that put the rows into the relationship's order.
    fileprivate func orders(isDescending: Bool) -> String {
        let row = element.rootAlias.quotedIdentifier
        let alias =
            switch link {
            case .foreignKey: row
            case .joinTable: linkAlias.quotedIdentifier
            }
        let suffix = isDescending ? " DESC" : ""
        let terms = (order.map { ["\(alias).\($0.quotedIdentifier)"] } ?? []) + ["\(row).\"id$\""]
        return terms.map { $0 + suffix }.joined(separator: ", ")
    }
}

extension SQLExpression {
    static func sql(
        _ aggregate: Aggregate, _ rows: RelatedRows, _ value: SQLExpression, _ statement: inout SQLStatement
    ) -> String {
        let source = rows.sql(&statement, where: .alwaysTrue) { statement in
            aggregate == .count ? "*" : value.valueSQL(&statement)
        }
        let isCollated = value.isDecimal && (aggregate == .minimum || aggregate == .maximum)
        let collation = isCollated ? " COLLATE \(DecimalCollation.name.quotedIdentifier)" : ""
        return "(SELECT \(aggregate.sqlName(isDecimal: value.isDecimal))(\(source.written)\(collation)) \(source.from))"
    }

    static func sql(
        _ aggregate: Aggregate, _ value: SQLExpression?, _ isDistinct: Bool, _ statement: inout SQLStatement
    ) -> String {
        guard let value else { return "count(*)" }
        let isCollated = value.isDecimal && (aggregate == .minimum || aggregate == .maximum || isDistinct)
        let collation = isCollated ? statement.collation(DecimalCollation.name) : ""
        let name = aggregate.sqlName(isDecimal: value.isDecimal)
        return "\(name)(\(isDistinct ? "DISTINCT " : "")\(value.valueSQL(&statement))\(collation))"
    }

    static func sql(
        _ rows: RelatedRows, _ position: Position, _ value: SQLExpression, _ statement: inout SQLStatement
    ) -> String {
        let source = rows.sql(&statement, where: .alwaysTrue) { $0.value(value) }
        let isDescending = position == .last
        var text =
            "(SELECT \(source.written) \(source.from) ORDER BY \(rows.orders(isDescending: isDescending)) LIMIT 1"
        if case .at(let index) = position, index != 0 {
            // SQLite takes a negative offset for none, and there is no row at a negative index.
            if index < 0 { return "NULL" }
            text += " OFFSET \(statement.parameter(.integer(Int64(index))))"
        }
        return text + ")"
    }
}

extension SQLStatement {
    fileprivate mutating func value(_ expression: SQLExpression) -> String { expression.valueSQL(&self) }
}

extension SQLExpression.Aggregate {
    /// SQLite's own function where it never fails and does not depend on the order of the rows.
    func sqlName(isDecimal: Bool) -> String {
        switch self {
        case .count: "count"
        case .minimum: "min"
        case .maximum: "max"
        case .sum: isDecimal ? "ashlar_sum_decimals" : "ashlar_sum"
        case .average: isDecimal ? "ashlar_average_decimals" : "ashlar_average"
        }
    }
}
