import AshlarSQLite

/// The expression of a column, for code that is inlined into programs. Programs use this type instead of the
/// expression, which is only for generated code. Because it is not generic, no type has to be looked up at run time.
@usableFromInline
struct ColumnTree: Sendable {
    let expression: SQLExpression

    init(_ expression: SQLExpression) { self.expression = expression }

    /// Creates the expression of a value from the program.
    @usableFromInline
    init(value: SQLiteValue) { expression = .value(value) }

    @usableFromInline
    func isEqual(_ other: ColumnTree) -> Condition { compare(.equal, other) }

    @usableFromInline
    func isNotEqual(_ other: ColumnTree) -> Condition { compare(.notEqual, other) }

    @usableFromInline
    func isLess(_ other: ColumnTree) -> Condition { compare(.less, other) }

    @usableFromInline
    func isLessOrEqual(_ other: ColumnTree) -> Condition { compare(.lessOrEqual, other) }

    @usableFromInline
    func isGreater(_ other: ColumnTree) -> Condition { compare(.greater, other) }

    @usableFromInline
    func isGreaterOrEqual(_ other: ColumnTree) -> Condition { compare(.greaterOrEqual, other) }

    @usableFromInline
    func isIn(_ values: [SQLiteValue]) -> Condition { Condition(.isIn(expression, values)) }

    /// Returns the condition that the row is one of those of identifiers.
    @usableFromInline
    func isIn(_ identifiers: [ColumnTree]) -> Condition {
        Condition(._ashlarIsIn(expression, identifiers.map(\.expression)))
    }

    private func compare(_ comparison: SQLExpression.Comparison, _ other: ColumnTree) -> Condition {
        Condition(.comparison(expression, comparison, other.expression))
    }
}
