import AshlarSQLite

/// Conditions that a value is one of several, that a row belongs to one of several entities, or that a position is
/// within a box.
extension SQLExpression {
    static func write(_ term: SQLExpression, isIn values: [SQLiteValue], to writer: inout some SQLWriter) {
        let hasNull = values.contains { $0.isNull }
        let known =
            hasNull || values.contains { $0.isNotANumber } ? values.filter { !$0.isNull && !$0.isNotANumber } : values
        write(term, isAmong: known.count, orNull: hasNull, to: &writer) { known }
    }

    static func write(
        _ term: SQLExpression, isOneOf identifiers: [PersistentIdentifier?], of root: UInt16,
        to writer: inout some SQLWriter
    ) {
        let count = identifiers.count { $0 != nil }
        let store = writer.time.store
        write(term, isAmong: count, orNull: count < identifiers.count, to: &writer) {
            identifiers.compactMap { $0.map { .integer($0.rowID(of: root, in: store)) } }
        }
    }

    /// Writes whether a value is one of the values that a closure provides, or NULL.
    private static func write(
        _ term: SQLExpression, isAmong count: Int, orNull hasNull: Bool, to writer: inout some SQLWriter,
        _ values: () -> [SQLiteValue]
    ) {
        if count == 0 {
            guard hasNull else { return writer.write("0") }
            term.writeValue(to: &writer)
            return writer.write(" IS NULL")
        }
        if hasNull { writer.write("(") }
        let start = writer.position
        term.writeValue(to: &writer)
        if term.isDecimal { writeCollation(term, term, to: &writer) }
        let end = writer.position
        // The list may be long.
        if writer.isFinished { return }
        writer.write(" IN (")
        if count < ValueList.minimumCount {
            writer.bind(list: values())
        } else {
            ValueList.write(values(), to: &writer)
        }
        writer.write(")")
        if hasNull {
            writer.write(" OR ")
            writer.writeAgain(from: start, to: end)
            writer.write(" IS NULL)")
        }
    }

    static func write(_ path: ColumnPath, isOf names: [String?], to writer: inout some SQLWriter) {
        // An empty list stands for all entities of the table.
        if names.isEmpty {
            writer.write(row: path)
            return writer.write(".\"id$\" IS NOT NULL")
        }
        let known = names.compactMap { $0.map { SQLiteValue.text($0) } }
        let hasRoot = names.contains(nil)
        if hasRoot {
            writer.write(known.isEmpty ? "(" : "((")
            writer.write(row: path)
            writer.write(".\"entity$\" IS NULL AND ")
            writer.write(row: path)
            writer.write(".\"id$\" IS NOT NULL)")
            if known.isEmpty { return }
            writer.write(" OR ")
        }
        writer.write(row: path)
        writer.write(".\"entity$\" IN (")
        writer.bind(list: known)
        writer.write(hasRoot ? "))" : ")")
    }

    static func write(
        _ index: RTreeReference, _ ranges: [ClosedRange<Double>], to writer: inout some SQLWriter
    ) {
        guard let first = index.columns.first else { return writer.write("1") }
        if first.path.cast != nil {
            var plain = index
            for column in plain.columns.indices { plain.columns[column].path = first.path.withoutCast }
            return SQLExpression.and([first.path.exists, .box(plain, ranges)]).write(to: &writer)
        }
        // The owner finds the rows of a relationship. Otherwise SQLite would read all candidates for each row.
        writer.write(first.path.level > 0 ? "(+" : "(")
        writer.write(row: first.path)
        writer.write(".\"id$\" IN (SELECT \"id$\" FROM ")
        writer.write(name: index.table)
        // Values beyond the range of the tree's 32-bit floats are infinite in the tree.
        let farthest = Double(Float.greatestFiniteMagnitude)
        var separator = " WHERE "
        var numbers: [(lower: Int?, upper: Int?)] = []
        for (column, range) in zip(index.columns, ranges) {
            let (isFarBelow, isFarAbove) = (range.lowerBound < -farthest, range.upperBound > farthest)
            writer.write(separator)
            separator = " AND "
            writer.write(name: column.name + "$max")
            writer.write(" >= ")
            let lower = writer.bind(.real(isFarBelow ? -.infinity : range.lowerBound))
            writer.write(" AND ")
            writer.write(name: column.name + "$min")
            writer.write(" <= ")
            let upper = writer.bind(.real(isFarAbove ? .infinity : range.upperBound))
            numbers.append((isFarBelow ? nil : lower, isFarAbove ? nil : upper))
        }
        writer.write(")")
        for ((column, range), known) in zip(zip(index.columns, ranges), numbers) {
            // The plus prevents the planner from using another index for this side.
            writer.write(" AND +")
            writer.write(column)
            writer.write(" BETWEEN ")
            writer.write(parameter: known.lower, or: range.lowerBound)
            writer.write(" AND ")
            writer.write(parameter: known.upper, or: range.upperBound)
        }
        writer.write(")")
    }
}

extension SQLWriter {
    /// Writes a parameter that is already bound, or else a new one for a number.
    fileprivate mutating func write(parameter known: Int?, or number: Double) {
        if let known { write(parameter: known) } else { bind(.real(number)) }
    }
}
