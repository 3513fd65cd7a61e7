/// Aggregates of the rows of a group, or of all rows where there are no groups, for ``Projection``.
///
///     Post.group { $0.favorite }.select { ($0.favorite, .count, .sum($0.likes), .maximum($0.timestamp)) }
extension Column where Value == Int {
    /// The number of rows.
    public static var count: Column { Column(.groupAggregate(.count, nil, isDistinct: false), .int) }

    /// The number of rows in which a value is not nil; `distinct` counts equal values once.
    public static func count<Counted>(_ column: Column<Counted>, distinct: Bool = false) -> Column {
        Column(.groupAggregate(.count, column.expression, isDistinct: distinct), .int)
    }
}

extension Column {
    /// The sum of the values that are not nil; 0 without any. `distinct` adds equal values once.
    public static func sum<Number: ColumnNumber>(_ column: Column<Number>, distinct: Bool = false) -> Column
    where Value == Number._AshlarSum {
        Column(.groupAggregate(.sum, column.expression, isDistinct: distinct), Value.columnCoding)
    }

    /// The mean of the values that are not nil; nil without any. `distinct` takes equal values once.
    public static func average<Number: ColumnNumber>(_ column: Column<Number>, distinct: Bool = false) -> Column
    where Value == Number._AshlarAverage? {
        Column(
            .groupAggregate(.average, column.expression, isDistinct: distinct),
            Number._AshlarAverage.columnCoding.optional)
    }

    /// The least value; nil without any.
    public static func minimum<Compared>(_ column: Column<Compared>) -> Column where Value == Compared? {
        Column(.groupAggregate(.minimum, column.expression, isDistinct: false), column.coding.optional)
    }

    /// The least value that is not nil; nil without any.
    public static func minimum<Compared>(_ column: Column<Compared?>) -> Column where Value == Compared? {
        Column(.groupAggregate(.minimum, column.expression, isDistinct: false), column.coding)
    }

    /// The greatest value; nil without any.
    public static func maximum<Compared>(_ column: Column<Compared>) -> Column where Value == Compared? {
        Column(.groupAggregate(.maximum, column.expression, isDistinct: false), column.coding.optional)
    }

    /// The greatest value that is not nil; nil without any.
    public static func maximum<Compared>(_ column: Column<Compared?>) -> Column where Value == Compared? {
        Column(.groupAggregate(.maximum, column.expression, isDistinct: false), column.coding)
    }
}

extension ColumnOrder {
    /// Orders by a value, least first: `.ascending(.count)`.
    public static func ascending<Value>(_ column: Column<Value>) -> ColumnOrder { column.ascending }

    /// Orders by a value, greatest first: `.descending(.count)`.
    public static func descending<Value>(_ column: Column<Value>) -> ColumnOrder { column.descending }
}

extension Columns where Model: PersistentModel {
    /// The identity of the object, or of the one that the relationship leads to, to select it or group by it; nil where
    /// the relationship leads to none.
    public var persistentModelID: Column<PersistentIdentifier?> {
        let number = Model._ashlarEntity.number
        let coding = ColumnCoding<PersistentIdentifier?>(
            encode: { $0.map { .integer($0.rowID) } ?? .null },
            decode: { row, column throws(RowError) in try row.identifier(column, number) }, stored: nil,
            identify: { ColumnTree(.identifier($0, in: number.root)) })
        return Column(.column(_ashlarPath.identifier(of: Model._ashlarEntity)), coding)
    }
}
