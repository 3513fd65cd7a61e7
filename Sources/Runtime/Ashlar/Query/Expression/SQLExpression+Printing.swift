import AshlarSQLite

/// The only printer of expressions; see ``SQLWriter``.
extension SQLExpression {
    /// Writes the expression. A condition that does not hold may be NULL; see ``writeValue(to:)``.
    ///
    /// The output may depend on values too: a comparison with NULL differs from one with a number. Known statements are
    /// looked up by the output.
    borrowing func write(to writer: inout some SQLWriter) {
        if writer.isFinished { return }
        // Borrowed, because copying each part would cost more than the rest of finding a known statement.
        switch self {
        case .value(let value): writer.bind(copy value)
        case .identifier(let identifier, let root):
            writer.bind(.integer(identifier.rowID(of: root, in: writer.time.store)))
        case .now: writer.bind(.real(writer.time.seconds))
        case .column(let reference):
            if let cast = reference.path.cast {
                Self.writeCast(reference, cast, to: &writer)
            } else {
                writer.write(reference)
            }
        case .comparison(let left, let comparison, let right):
            if left.isCast || right.isCast, let apart = (copy self).takingCastsApart {
                return apart.write(to: &writer)
            }
            Self.write(left, comparison, right, to: &writer)
        case .text(let text, let comparison, let pattern, let options):
            if text.isCast || pattern.isCast, let apart = (copy self).takingCastsApart {
                return apart.write(to: &writer)
            }
            Self.write(text, comparison, pattern, options, to: &writer)
        case .isIn(let term, let values):
            if term.isCast, let apart = (copy self).takingCastsApart { return apart.write(to: &writer) }
            Self.write(term, isIn: values, to: &writer)
        case .isOneOf(let term, let identifiers, let root):
            if term.isCast, let apart = (copy self).takingCastsApart { return apart.write(to: &writer) }
            Self.write(term, isOneOf: identifiers, of: root, to: &writer)
        case .and(let terms): Self.write(terms, joinedBy: " AND ", orOf: "1", to: &writer)
        case .or(let terms): Self.write(terms, joinedBy: " OR ", orOf: "0", to: &writer)
        case .not(let term):
            writer.write("((")
            term.write(to: &writer)
            writer.write(") IS NOT TRUE)")
        case .arithmetic(let left, let operation, let right): Self.write(left, operation, right, to: &writer)
        case .function(let function, let arguments):
            let count = writer.collationCount
            function.write(arguments, to: &writer)
            Self.settle(copy self, count, &writer)
        case .conditional(let test, let first, let second):
            let count = writer.collationCount
            let (first, second) = Self.alike(first, second)
            writer.write("CASE WHEN ")
            test.write(to: &writer)
            writer.write(" THEN ")
            first.writeValue(to: &writer)
            writer.write(" ELSE ")
            second.writeValue(to: &writer)
            writer.write(" END")
            Self.settle(copy self, count, &writer)
        case .coalesce(let first, let second):
            let count = writer.collationCount
            let (first, second) = Self.alike(first, second)
            writer.write("coalesce(")
            first.writeValue(to: &writer)
            writer.write(", ")
            second.writeValue(to: &writer)
            writer.write(")")
            Self.settle(copy self, count, &writer)
        case .any(let rows, let condition): rows.writeAny(where: condition, to: &writer)
        case .aggregate(let aggregate, let rows, let value): rows.write(aggregate, of: value, to: &writer)
        case .groupAggregate(let aggregate, let value, let isDistinct):
            Self.write(aggregate, value, isDistinct, to: &writer)
        case .element(let rows, let position, let value): rows.write(value, at: position, to: &writer)
        case .isEntity(let path, let names): Self.write(path, isOf: names, to: &writer)
        case .box(let index, let ranges): Self.write(index, ranges, to: &writer)
        case .fullText(let reference): writer.fail(reference.unmatched)
        case .matches(let reference, let query): reference.writeMatch(query, to: &writer)
        case .fullTextValue(let reference, let query, let value): reference.write(value, of: query, to: &writer)
        case .unsupported(let error): writer.fail(error)
        }
    }

    /// Writes the expression with a value that is never NULL for a condition, but 1 or 0.
    borrowing func writeValue(to writer: inout some SQLWriter) {
        switch self {
        case .value, .identifier, .now, .column, .not, .arithmetic, .function, .coalesce, .any, .aggregate,
            .groupAggregate, .element, .fullText, .fullTextValue, .unsupported:
            write(to: &writer)
        case .conditional:
            writer.write("(")
            write(to: &writer)
            writer.write(")")
        case .comparison, .text, .isIn, .isOneOf, .and, .or, .isEntity, .box, .matches:
            writer.write("((")
            write(to: &writer)
            writer.write(") IS TRUE)")
        }
    }

    /// Writes the expression for an `ORDER BY` clause.
    func writeOrder(to writer: inout some SQLWriter) {
        // SQLite would treat a parameter as the number of a column.
        switch self {
        case .value, .identifier:
            writer.write("(")
            write(to: &writer)
            writer.write(")")
            return
        default: break
        }
        writeValue(to: &writer)
        if isDecimal { Self.writeCollation(self, self, to: &writer) }
    }

    /// Writes a condition. Searches in R-trees that are terms of the conjunction are written as comparisons of columns.
    func writeComparingCoordinates(to writer: inout some SQLWriter) {
        if case .and(let terms) = self {
            Self.write(terms, joinedBy: " AND ", orOf: "1", comparesCoordinates: true, to: &writer)
        } else if case .box(let index, let ranges) = self {
            Self.comparisons(index, ranges).write(to: &writer)
        } else {
            write(to: &writer)
        }
    }

    /// Whether it is a constant that represents a number but is not one.
    var isNotANumber: Bool {
        switch self {
        case .value(let value): value.isNotANumber
        case .function(.toDecimal, let arguments): arguments.first?.isNotANumber == true
        default: false
        }
    }

    /// Writes a collation after a value if parts of it, written since a count, have any. Otherwise SQLite would compare
    /// a text with the collation of the decimal numbers that select the text.
    private static func settle(_ value: SQLExpression, _ count: Int, _ writer: inout some SQLWriter) {
        if writer.collationCount == count { return }
        writer.write(collation: value.isDecimal ? DecimalCollation.name : "BINARY")
    }

    // MARK: Terms

    /// The maximum number of terms in one list. SQLite parses a list as a tree of that depth, which is limited to 1000.
    private static let longestList = 400

    /// Writes terms, or a constant if there are none.
    private static func write(
        _ terms: [SQLExpression], joinedBy separator: String, orOf constant: String, comparesCoordinates: Bool = false,
        to writer: inout some SQLWriter
    ) {
        if terms.isEmpty { return writer.write(constant) }
        write(terms, 0, terms.count, separator, comparesCoordinates, &writer)
    }

    private static func write(
        _ terms: [SQLExpression], _ start: Int, _ end: Int, _ separator: String, _ comparesCoordinates: Bool,
        _ writer: inout some SQLWriter
    ) {
        writer.write("(")
        if end - start > longestList {
            let middle = start + (end - start) / 2
            write(terms, start, middle, separator, comparesCoordinates, &writer)
            writer.write(separator)
            write(terms, middle, end, separator, comparesCoordinates, &writer)
        } else {
            var index = start
            while index < end, !writer.isFinished {
                if index > start { writer.write(separator) }
                if comparesCoordinates {
                    terms[index].writeComparingCoordinates(to: &writer)
                } else {
                    terms[index].write(to: &writer)
                }
                index += 1
            }
        }
        writer.write(")")
    }

    // MARK: Comparisons

    private static func write(
        _ left: borrowing SQLExpression, _ comparison: Comparison, _ right: borrowing SQLExpression,
        to writer: inout some SQLWriter
    ) {
        // As in Swift, NaN equals nothing, and is neither less nor greater. SQLite would treat it as NULL.
        if left.isNotANumber || right.isNotANumber { return writer.write(comparison == .notEqual ? "1" : "0") }
        if left.isDecimal || right.isDecimal {
            let (left, right) = alike(left, right)
            writeSides(left, comparison, right, isDecimal: true, to: &writer)
        } else {
            writeSides(left, comparison, right, isDecimal: false, to: &writer)
        }
    }

    private static func writeSides(
        _ left: borrowing SQLExpression, _ comparison: Comparison, _ right: borrowing SQLExpression, isDecimal: Bool,
        to writer: inout some SQLWriter
    ) {
        left.writeValue(to: &writer)
        if right.isNull, comparison == .equal || comparison == .notEqual {
            return writer.write(comparison == .equal ? " IS NULL" : " IS NOT NULL")
        }
        if isDecimal { writeCollation(left, right, to: &writer) }
        // With a value that is not NULL, both forms mean the same, and only this one can use a partial index.
        let isPlain = comparison == .equal && (right.isNeverNull || left.isNeverNull)
        writer.write(isPlain ? " = " : comparison.operatorText)
        right.writeValue(to: &writer)
    }

    /// Returns both values as decimal numbers if one of them is.
    static func alike(_ left: SQLExpression, _ right: SQLExpression) -> (SQLExpression, SQLExpression) {
        left.isDecimal == right.isDecimal ? (left, right) : (left.asDecimal, right.asDecimal)
    }

    private var asDecimal: SQLExpression {
        if isDecimal { return self }
        if case .value(let value) = self { return .value(DecimalNumber.value(value)) }
        return .function(.toDecimal, [self])
    }

    /// Writes the collation after the first of two decimal numbers, unless a column has it already.
    static func writeCollation(
        _ left: borrowing SQLExpression, _ right: borrowing SQLExpression, to writer: inout some SQLWriter
    ) {
        if left.isColumn || left.isValue && right.isColumn { return }
        writer.write(collation: DecimalCollation.name)
    }

    /// Whether it is a stored column, not a computed value.
    var isColumn: Bool { if case .column = self { !isCast } else { false } }
    private var isValue: Bool { if case .value = self { true } else { false } }
    private var isNull: Bool { if case .value(let value) = self { value.isNull } else { false } }
    var isNeverNull: Bool {
        switch self {
        case .value(let value): !value.isNull
        case .identifier: true
        default: false
        }
    }

    // MARK: Numbers

    private static func write(
        _ left: SQLExpression, _ operation: Arithmetic, _ right: SQLExpression, to writer: inout some SQLWriter
    ) {
        if left.isDecimal || right.isDecimal {
            let count = writer.collationCount
            operation.decimalFunction.write([left, right], to: &writer)
            return settle(.arithmetic(left, operation, right), count, &writer)
        }
        writer.write("(")
        left.writeValue(to: &writer)
        writer.write(operation.operatorText)
        right.writeValue(to: &writer)
        writer.write(")")
    }

    private static func write(
        _ aggregate: Aggregate, _ value: SQLExpression?, _ isDistinct: Bool, to writer: inout some SQLWriter
    ) {
        guard let value else { return writer.write("count(*)") }
        writer.write(aggregate.sqlName(isDecimal: value.isDecimal))
        writer.write(isDistinct ? "(DISTINCT " : "(")
        value.writeValue(to: &writer)
        if value.isDecimal, aggregate == .minimum || aggregate == .maximum || isDistinct {
            writer.write(collation: DecimalCollation.name)
        }
        writer.write(")")
    }
}

extension SQLExpression.Comparison {
    fileprivate var operatorText: String {
        switch self {
        case .equal: " IS "
        case .notEqual: " IS NOT "
        case .less: " < "
        case .lessOrEqual: " <= "
        case .greater: " > "
        case .greaterOrEqual: " >= "
        }
    }
}

extension ScalarFunction {
    /// Writes a call of the function.
    func write(_ arguments: [SQLExpression], to writer: inout some SQLWriter) {
        writeName(to: &writer)
        for index in arguments.indices {
            writer.write(index == 0 ? "(" : ", ")
            arguments[index].writeValue(to: &writer)
        }
        writer.write(")")
    }

    /// Writes the name in two parts, because joining them would cost more than comparing them.
    func writeName(to writer: inout some SQLWriter) {
        writer.write(Self.prefix)
        writer.write(rawValue)
    }
}

extension SQLExpression.Arithmetic {
    fileprivate var operatorText: String {
        switch self {
        case .add: " + "
        case .subtract: " - "
        case .multiply: " * "
        case .divide: " / "
        }
    }

    var decimalFunction: ScalarFunction {
        switch self {
        case .add: .addDecimals
        case .subtract: .subtractDecimals
        case .multiply: .multiplyDecimals
        case .divide: .divideDecimals
        }
    }
}
