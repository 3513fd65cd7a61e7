/// Aggregates of the rows of a group, or of all rows without groups, for ``Projection``.
///
///     Post.group { $0.favorite }.select { ($0.favorite, .count, .sum($0.likes), .maximum($0.timestamp)) }
extension Column where Value == Int {
    /// The number of rows, as an aggregate.
    ///
    ///     let rows: [(String?, Int)] = try context.fetch(
    ///         Post.group { $0.author.name }.select { ($0.author.name.optional, .count) })
    public static var count: Column { Column(.groupAggregate(.count, nil, isDistinct: false), .int) }

    /// Returns the number of rows in which a value is not nil, as an aggregate.
    ///
    /// - Parameters:
    ///   - column: The value.
    ///   - distinct: Whether equal values are counted once.
    public static func count<Counted>(_ column: Column<Counted>, distinct: Bool = false) -> Column {
        Column(.groupAggregate(.count, column.expression, isDistinct: distinct), .int)
    }
}

extension Column {
    /// Returns the sum of the values that are not nil, as an aggregate. It is 0 without any.
    ///
    ///     let rows: [(String?, Int64)] = try context.fetch(
    ///         Post.group { $0.author.name }.select { ($0.author.name.optional, .sum($0.likes)) })
    ///
    /// - Parameters:
    ///   - column: The value.
    ///   - distinct: Whether equal values are added once.
    public static func sum<Number: ColumnNumber>(_ column: Column<Number>, distinct: Bool = false) -> Column
    where Value == Number._AshlarSum {
        Column(.groupAggregate(.sum, column.expression, isDistinct: distinct), Value.columnCoding)
    }

    /// Returns the mean of the values that are not nil, as an aggregate. It is nil without any.
    ///
    ///     let rows: [(String?, Double?)] = try context.fetch(
    ///         Post.group { $0.author.name }.select { ($0.author.name.optional, .average($0.latitude)) })
    ///
    /// - Parameters:
    ///   - column: The value.
    ///   - distinct: Whether equal values are taken once.
    public static func average<Number: ColumnNumber>(_ column: Column<Number>, distinct: Bool = false) -> Column
    where Value == Number._AshlarAverage? {
        Column(
            .groupAggregate(.average, column.expression, isDistinct: distinct),
            Number._AshlarAverage.columnCoding.optional)
    }

    /// Returns the least value, as an aggregate. It is nil without any rows.
    ///
    ///     let rows: [(String?, Date?)] = try context.fetch(
    ///         Post.group { $0.author.name }.select { ($0.author.name.optional, .minimum($0.timestamp)) })
    ///
    /// - Parameter column: The value.
    public static func minimum<Compared>(_ column: Column<Compared>) -> Column where Value == Compared? {
        Column(.groupAggregate(.minimum, column.expression, isDistinct: false), column.coding.optional)
    }

    /// Returns the least value that is not nil, as an aggregate. It is nil without any.
    ///
    /// - Parameter column: The optional value.
    public static func minimum<Compared>(_ column: Column<Compared?>) -> Column where Value == Compared? {
        Column(.groupAggregate(.minimum, column.expression, isDistinct: false), column.coding)
    }

    /// Returns the greatest value, as an aggregate. It is nil without any rows.
    ///
    ///     let rows: [(String?, Date?)] = try context.fetch(
    ///         Post.group { $0.author.name }.select { ($0.author.name.optional, .maximum($0.timestamp)) })
    ///
    /// - Parameter column: The value.
    public static func maximum<Compared>(_ column: Column<Compared>) -> Column where Value == Compared? {
        Column(.groupAggregate(.maximum, column.expression, isDistinct: false), column.coding.optional)
    }

    /// Returns the greatest value that is not nil, as an aggregate. It is nil without any.
    ///
    /// - Parameter column: The optional value.
    public static func maximum<Compared>(_ column: Column<Compared?>) -> Column where Value == Compared? {
        Column(.groupAggregate(.maximum, column.expression, isDistinct: false), column.coding)
    }
}

extension ColumnOrder {
    /// Returns an order by a value, least first, such as an aggregate.
    ///
    ///     let groups = Post.group { $0.author.name }.order { _ in .ascending(.count) }
    ///
    /// - Parameter column: The value to order by.
    public static func ascending<Value>(_ column: Column<Value>) -> ColumnOrder { column.ascending }

    /// Returns an order by a value, greatest first, such as an aggregate.
    ///
    ///     let groups = Post.group { $0.author.name }.order { _ in .descending(.count) }
    ///
    /// - Parameter column: The value to order by.
    public static func descending<Value>(_ column: Column<Value>) -> ColumnOrder { column.descending }
}

extension Columns where Model: PersistentModel {
    /// The identity of the object, or of the relationship's destination, to select it or group by it.
    ///
    /// It is nil if the relationship is nil.
    ///
    ///     let rows: [(PersistentIdentifier?, String)] = try context.fetch(
    ///         Post.all.select { ($0.persistentModelID, $0.title) })
    public var persistentModelID: Column<PersistentIdentifier?> {
        let number = Model._ashlarEntity.number
        let coding = ColumnCoding<PersistentIdentifier?>(
            encode: { $0.map { .integer($0.rowID) } ?? .null },
            decode: { row, column throws(RowError) in try row.identifier(column, number) }, stored: nil,
            identify: { ColumnTree(.identifier($0, in: number.root)) })
        return Column(.column(_ashlarPath.identifier(of: Model._ashlarEntity)), coding)
    }
}
