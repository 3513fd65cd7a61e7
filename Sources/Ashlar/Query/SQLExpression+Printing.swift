import Foundation

/// A statement's text and the values for its parameters.
struct SQLStatement: Hashable {
    var text = ""
    var values: [SQLiteValue] = []
    /// The joins that paths in conditions and orders need, each once, in the order of their first use.
    var joins: [String] = []
    private var joined: Set<String> = []

    mutating func parameter(_ value: SQLiteValue) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    mutating func join(_ reference: ColumnReference) {
        var source = reference.table
        var name = reference.table
        for step in reference.path {
            name += "." + step.relationship
            if joined.insert(name).inserted {
                joins.append(
                    " LEFT JOIN \(step.destinationTable.quotedIdentifier) AS \(name.quotedIdentifier)"
                        + " ON \(name.quotedIdentifier).\"id$\" = "
                        + "\(source.quotedIdentifier).\(step.columnName.quotedIdentifier)")
            }
            source = name
        }
    }
}

extension SQLExpression {
    /// The expression as SQL. Conditions are never NULL, so that `NOT` means what Swift's `!` means.
    func sql(_ statement: inout SQLStatement) -> String {
        switch self {
        case .value(let value): return statement.parameter(value)
        case .column(let reference):
            statement.join(reference)
            return reference.sql
        case .comparison(let left, let comparison, let right):
            return Self.sql(left, comparison, right, &statement)
        case .text(let expression, let comparison, let text):
            return Self.sql(expression, comparison, text, &statement)
        case .isIn(let expression, let values):
            return Self.sql(expression, isIn: values, &statement)
        case .and(let terms):
            if terms.isEmpty { return "1" }
            return "(" + terms.map { $0.sql(&statement) }.joined(separator: " AND ") + ")"
        case .or(let terms):
            if terms.isEmpty { return "0" }
            return "(" + terms.map { $0.sql(&statement) }.joined(separator: " OR ") + ")"
        case .not(let term):
            return "((\(term.sql(&statement))) IS NOT TRUE)"
        case .box(let index, let ranges):
            return Self.sql(index, ranges, &statement)
        }
    }

    private static func sql(
        _ left: SQLExpression, _ comparison: Comparison, _ right: SQLExpression, _ statement: inout SQLStatement
    ) -> String {
        let first = left.sql(&statement)
        if case .value(.null) = right, comparison == .equal || comparison == .notEqual {
            return "\(first) \(comparison.rawValue) NULL"
        }
        let second = right.sql(&statement)
        if comparison == .equal, right.isNeverNull || left.isNeverNull {
            // With a value that is not NULL both mean the same, and only this form can use a partial index.
            return "\(first) = \(second)"
        }
        return "\(first) \(comparison.rawValue) \(second)"
    }

    private var isNeverNull: Bool {
        if case .value(let value) = self { return !value.isNull }
        return false
    }

    private static func sql(
        _ expression: SQLExpression, _ comparison: TextComparison, _ text: String, _ statement: inout SQLStatement
    ) -> String {
        let column = expression.sql(&statement)
        switch comparison {
        case .contains:
            return "instr(\(column), \(statement.parameter(.text(text)))) > 0"
        case .hasSuffix:
            if text.isEmpty { return "\(column) IS NOT NULL" }
            // As bytes, because SQLite's functions take a NUL for the end of a text.
            let bytes = statement.parameter(.blob(Data(text.utf8)))
            return "substr(CAST(\(column) AS BLOB), \(-text.utf8.count)) = \(bytes)"
        case .hasPrefix:
            // A range, unlike a function, can use an index.
            let lower = "\(column) >= \(statement.parameter(.text(text)))"
            guard let end = PrefixRange.end(of: text) else { return lower }
            return "(\(lower) AND \(column) < \(statement.parameter(.text(end))))"
        }
    }

    private static func sql(
        _ expression: SQLExpression, isIn values: [SQLiteValue], _ statement: inout SQLStatement
    ) -> String {
        let known = values.filter { !$0.isNull }
        let column = expression.sql(&statement)
        let list =
            list(of: known, &statement)
            ?? known.map { statement.parameter($0) }.joined(separator: ", ")
        let condition = known.isEmpty ? "0" : "\(column) IN (\(list))"
        return known.count == values.count ? condition : "(\(condition) OR \(column) IS NULL)"
    }

    /// Many values as one parameter, as the number of parameters is limited; nil where they cannot be.
    private static func list(of values: [SQLiteValue], _ statement: inout SQLStatement) -> String? {
        if values.count < 500 { return nil }
        var texts: [String] = []
        for value in values {
            switch value {
            case .integer(let number): texts.append(String(number))
            case .text(let text) where !text.utf8.contains(0):
                guard let data = try? JSONEncoder().encode(text) else { return nil }
                texts.append(String(decoding: data, as: UTF8.self))
            default: return nil
            }
        }
        let parameter = statement.parameter(.text("[" + texts.joined(separator: ",") + "]"))
        return "SELECT \"value\" FROM json_each(\(parameter))"
    }

    private static func sql(
        _ index: RTreeReference, _ ranges: [ClosedRange<Double>], _ statement: inout SQLStatement
    ) -> String {
        var candidates: [String] = []
        var exact: [String] = []
        for (column, range) in zip(index.columns, ranges) {
            statement.join(column)
            let lower = statement.parameter(.real(range.lowerBound))
            let upper = statement.parameter(.real(range.upperBound))
            let minimum = (column.name + "$min").quotedIdentifier
            let maximum = (column.name + "$max").quotedIdentifier
            // What is beyond the tree's 32-bit floats is infinite in it.
            let farthest = Double(Float.greatestFiniteMagnitude)
            let least = range.lowerBound < -farthest ? statement.parameter(.real(-.infinity)) : lower
            let greatest = range.upperBound > farthest ? statement.parameter(.real(.infinity)) : upper
            candidates.append("\(maximum) >= \(least) AND \(minimum) <= \(greatest)")
            // The plus keeps the planner from choosing another index for this side.
            exact.append("+\(column.sql) BETWEEN \(lower) AND \(upper)")
        }
        guard let first = index.columns.first else { return "1" }
        let identifier = "\(first.alias.quotedIdentifier).\"id$\""
        return "(\(identifier) IN (SELECT \"id$\" FROM \(index.table.quotedIdentifier) WHERE "
            + candidates.joined(separator: " AND ") + ") AND " + exact.joined(separator: " AND ") + ")"
    }
}

/// The range of texts that begin with a prefix, in the order of their bytes.
enum PrefixRange {
    /// The least text after all that begin with the prefix; nil when there is none.
    static func end(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are no characters, so the step after D7FF leads to E000.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                return String(String.UnicodeScalarView(scalars))
            }
        }
        return nil
    }
}
