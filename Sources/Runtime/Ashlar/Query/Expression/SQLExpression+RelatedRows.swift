import AshlarSQLite

extension RelatedRows {
    /// Writes whether a condition holds for one of the rows.
    func writeAny(where condition: SQLExpression, to writer: inout some SQLWriter) {
        if case .rtree(let search)? = search {
            return writeOwners(where: condition, foundBy: search, to: &writer)
        }
        writer.subquery(level) { writer in
            writer.write("EXISTS (SELECT 1 ")
            writeSource(where: condition, to: &writer)
            writer.write(")")
        }
    }

    /// Writes an aggregate of the values of the rows.
    func write(
        _ aggregate: SQLExpression.Aggregate, of value: SQLExpression, to writer: inout some SQLWriter
    ) {
        let cast = owner.castCondition
        if let cast {
            writer.write("CASE WHEN ")
            cast.write(to: &writer)
            writer.write(" THEN ")
        }
        writer.subquery(level) { writer in
            writer.write("(SELECT ")
            writer.write(aggregate.sqlName(isDecimal: value.isDecimal))
            writer.write("(")
            if aggregate == .count { writer.write("*") } else { value.writeValue(to: &writer) }
            if value.isDecimal, aggregate == .minimum || aggregate == .maximum {
                writer.write(collation: DecimalCollation.name)
            }
            writer.write(") ")
            writeSource(where: .alwaysTrue, to: &writer)
            writer.write(")")
        }
        if cast != nil { writer.write(" END") }
    }

    /// Writes the value of one row.
    func write(_ value: SQLExpression, at position: SQLExpression.Position, to writer: inout some SQLWriter) {
        // SQLite treats a negative offset as 0, and there is no row at a negative index.
        if case .at(let index) = position, index < 0 { return writer.write("NULL") }
        writer.subquery(level) { writer in
            writer.write("(SELECT ")
            value.writeValue(to: &writer)
            writer.write(" ")
            writeSource(where: .alwaysTrue, to: &writer)
            writeOrder(isDescending: position == .last, to: &writer)
            writer.write(" LIMIT 1")
            if case .at(let index) = position, index != 0 {
                writer.write(" OFFSET ")
                writer.bind(.integer(Int64(index)))
            }
            writer.write(")")
        }
    }

    /// Writes the `FROM` and `WHERE` of a query about the rows.
    private func writeSource(where condition: SQLExpression, to writer: inout some SQLWriter) {
        writer.write("FROM ")
        switch link {
        case .foreignKey(let column):
            writeTable(to: &writer)
            writer.writeJoins()
            writer.write(" WHERE ")
            writer.write(row: element)
            writer.write(".")
            writer.write(name: column)
        case .joinTable(let name, let own, let other):
            writer.write(name: name)
            writer.write(" AS ")
            writer.write(row: linkRow(name))
            writer.write(" JOIN ")
            writeTable(to: &writer)
            writer.write(" ON ")
            writer.write(row: element)
            writer.write(".\"id$\" = ")
            writer.write(row: linkRow(name))
            writer.write(".")
            writer.write(name: other)
            writer.writeJoins()
            writer.write(" WHERE ")
            writer.write(row: linkRow(name))
            writer.write(".")
            writer.write(name: own)
        }
        writer.write(" = ")
        SQLExpression.column(owner.identifier).write(to: &writer)
        writeTerms(condition, after: " AND ", to: &writer)
    }

    /// Writes the condition that the owner has rows that a search in an R-tree finds. Unlike `EXISTS`, it may be NULL
    /// if it does not hold.
    private func writeOwners(
        where condition: SQLExpression, foundBy search: BoxSearch, to writer: inout some SQLWriter
    ) {
        SQLExpression.column(owner.identifier).write(to: &writer)
        writer.write(" IN (SELECT ")
        writer.subquery(level) { writer in
            switch link {
            case .foreignKey(let column):
                writer.write(row: element)
                writer.write(".")
                writer.write(name: column)
                writer.write(" FROM ")
                writeUnindexedTable(to: &writer)
            case .joinTable(let name, let own, let other):
                writer.write(row: linkRow(name))
                writer.write(".")
                writer.write(name: own)
                writer.write(" FROM ")
                writeUnindexedTable(to: &writer)
                writer.write(" CROSS JOIN ")
                writer.write(name: name)
                writer.write(" AS ")
                writer.write(row: linkRow(name))
                writer.write(" ON ")
                writer.write(row: linkRow(name))
                writer.write(".")
                writer.write(name: other)
                writer.write(" = ")
                writer.write(row: element)
                writer.write(".\"id$\"")
            }
            writer.writeJoins()
            let hasTerms = writeTerms(condition, after: " WHERE ", to: &writer)
            writer.write(hasTerms ? " AND " : " WHERE ")
            search.writeMembership(of: element, to: &writer)
        }
        writer.write(")")
    }

    private func writeTable(to writer: inout some SQLWriter) {
        writer.write(name: table)
        writer.write(" AS ")
        writer.write(row: element)
    }

    private func writeUnindexedTable(to writer: inout some SQLWriter) {
        writeTable(to: &writer)
        // The R-tree was found to be better than any other index.
        writer.write(" NOT INDEXED")
    }

    /// Writes the filter and a condition of a row. Returns whether it wrote anything.
    @discardableResult private func writeTerms(
        _ condition: SQLExpression, after beginning: String, to writer: inout some SQLWriter
    ) -> Bool {
        var beginning = beginning
        var hasTerms = false
        if let filter, !filter.isAlwaysTrue {
            writer.write(beginning)
            filter.write(to: &writer)
            beginning = " AND "
            hasTerms = true
        }
        if condition.isAlwaysTrue { return hasTerms }
        writer.write(beginning)
        condition.write(to: &writer)
        return true
    }

    /// Returns the row of a join table that leads to the row, in expressions.
    private func linkRow(_ joinTable: String) -> ColumnPath { ColumnPath(table: joinTable, level: level) }

    /// Writes the terms of the relationship's order.
    private func writeOrder(isDescending: Bool, to writer: inout some SQLWriter) {
        let suffix = isDescending ? " DESC" : ""
        writer.write(" ORDER BY ")
        if let order {
            if case .joinTable(let name, _, _) = link {
                writer.write(row: linkRow(name))
            } else {
                writer.write(row: element)
            }
            writer.write(".")
            writer.write(name: order)
            writer.write(suffix)
            writer.write(", ")
        }
        writer.write(row: element)
        writer.write(".\"id$\"")
        writer.write(suffix)
    }
}

extension SQLExpression {
    /// Whether the expression is the constant condition that always holds.
    fileprivate var isAlwaysTrue: Bool { if case .and(let terms) = self { terms.isEmpty } else { false } }
}

extension SQLExpression.Aggregate {
    /// Returns the name of SQLite's own function, if it never fails and does not depend on the order of the rows.
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
