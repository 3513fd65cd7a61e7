import AshlarSQLite

/// The tree of a column, for what is inlined into programs. These see this type and not the tree itself, which is for
/// generated code alone; and as it is not generic, nothing has to be looked up for it as a program runs.
@usableFromInline
struct ColumnTree: Sendable {
    let expression: SQLExpression

    init(_ expression: SQLExpression) { self.expression = expression }

    /// The tree of a value that the program has.
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

    /// Whether the row is one of those of identifiers.
    @usableFromInline
    func isIn(_ identifiers: [ColumnTree]) -> Condition {
        Condition(._ashlarIsIn(expression, identifiers.map(\.expression)))
    }

    private func compare(_ comparison: SQLExpression.Comparison, _ other: ColumnTree) -> Condition {
        Condition(.comparison(expression, comparison, other.expression))
    }
}
