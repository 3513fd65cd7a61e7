import AshlarSQLite
public import SystemFoundation

/// Whole numbers are computed with 64 bits and become floating-point numbers beyond them; dividing them cuts off the
/// fraction. Division by zero gives nil, as NULL, whatever the type says. Decimal numbers are computed exactly.
extension Column where Value: ColumnNumber {
    private func computing(_ operation: SQLExpression.Arithmetic, _ other: SQLExpression) -> Column {
        Column(.arithmetic(expression.bounded, operation, other.bounded), coding)
    }

    /// The sum of the column and a number.
    public static func + (column: Column, value: Value) -> Column { column.computing(.add, column.constant(value)) }
    /// The column less a number.
    public static func - (column: Column, value: Value) -> Column {
        column.computing(.subtract, column.constant(value))
    }
    /// The product of the column and a number.
    public static func * (column: Column, value: Value) -> Column {
        column.computing(.multiply, column.constant(value))
    }
    /// The quotient of the column and a number.
    public static func / (column: Column, value: Value) -> Column { column.computing(.divide, column.constant(value)) }
    /// The remainder of a division by a number.
    public static func % (column: Column, value: Value) -> Column {
        Column(.function(.remainder, [column.expression, column.constant(value)]), column.coding)
    }

    /// The sum of two columns.
    public static func + (column: Column, other: Column) -> Column { column.computing(.add, other.expression) }
    /// The difference of two columns.
    public static func - (column: Column, other: Column) -> Column { column.computing(.subtract, other.expression) }
    /// The product of two columns.
    public static func * (column: Column, other: Column) -> Column { column.computing(.multiply, other.expression) }
    /// The quotient of two columns.
    public static func / (column: Column, other: Column) -> Column { column.computing(.divide, other.expression) }

    /// The sum of a number and the column.
    public static func + (value: Value, column: Column) -> Column { column + value }
    /// A number less the column.
    public static func - (value: Value, column: Column) -> Column {
        Column(column.constant(value), column.coding) - column
    }
    /// The product of a number and the column.
    public static func * (value: Value, column: Column) -> Column { column * value }
    /// The quotient of a number and the column.
    public static func / (value: Value, column: Column) -> Column {
        Column(column.constant(value), column.coding) / column
    }

    /// The number with the other sign.
    public static prefix func - (column: Column) -> Column {
        let zero = SQLiteValue.integer(0)
        let first = column.expression.isDecimal ? DecimalNumber.value(zero) : zero
        return Column(.arithmetic(.value(first), .subtract, column.expression), column.coding)
    }

    /// The number without its sign.
    public var magnitude: Column { Column(.function(.absolute, [expression]), coding) }

    /// The number as a floating-point one, to compute with a column of another type.
    public var asDouble: Column<Double> { Column<Double>(.function(.toReal, [expression]), .double) }

    /// The number without a fraction; without a rule, to the nearest and from the middle away from zero.
    public func rounded(_ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> Column {
        let function: ScalarFunction =
            switch rule {
            case .up: .roundedUp
            case .down: .roundedDown
            case .towardZero: .roundedTowardZero
            case .toNearestOrEven: .roundedToEven
            default: .rounded
            }
        return Column(.function(function, [expression]), coding)
    }

    /// The square root; nil of a negative number.
    public func squareRoot() -> Column<Double?> {
        Column<Double?>(.function(.squareRoot, [expression]), ColumnCoding<Double>.double.optional)
    }
}

/// The lesser of two columns; nil where one is.
public func min<Value: ColumnNumber>(_ first: Column<Value>, _ second: Column<Value>) -> Column<Value> {
    Column(.function(.minimum, [first.expression, second.expression]), first.coding)
}

/// The greater of two columns; nil where one is.
public func max<Value: ColumnNumber>(_ first: Column<Value>, _ second: Column<Value>) -> Column<Value> {
    Column(.function(.maximum, [first.expression, second.expression]), first.coding)
}

/// The number without its sign.
public func abs<Value: ColumnNumber>(_ column: Column<Value>) -> Column<Value> { column.magnitude }

/// A column of dates, or of optional ones.
public protocol ColumnDate: Sendable {
    /// `Double`, optional where the date is.
    associatedtype _AshlarInterval: ColumnNumber
}

extension Date: ColumnDate {
    public typealias _AshlarInterval = Double
}

extension Optional: ColumnDate where Wrapped == Date {
    public typealias _AshlarInterval = Double?
}

extension Column where Value: ColumnDate {
    /// The date so many seconds later.
    public func addingTimeInterval(_ seconds: TimeInterval) -> Column {
        Column(.arithmetic(expression, .add, .value(SQLiteValue(seconds))), coding)
    }

    /// The seconds from another date to this one.
    public func timeIntervalSince(_ date: Date) -> Column<Value._AshlarInterval> {
        Column<Value._AshlarInterval>(
            .arithmetic(expression, .subtract, .value(SQLiteValue(date))), Value._AshlarInterval.columnCoding)
    }

    /// The seconds from another column's date to this one; nil where either is.
    public func timeIntervalSince(_ other: Column<Value>) -> Column<Value._AshlarInterval> {
        Column<Value._AshlarInterval>(
            .arithmetic(expression, .subtract, other.expression), Value._AshlarInterval.columnCoding)
    }

    /// The start of the calendar's day, week, month or other period in which the date lies; nil for nil.
    ///
    /// Grouped by it, rows are counted for each day as the calendar's time zone has it, with 23, 24 or 25 hours:
    ///
    /// ```swift
    /// Post.group { $0.created.start(of: .day, in: calendar) }
    ///     .select { ($0.created.start(of: .day, in: calendar), .count) }
    /// ```
    ///
    /// SQLite calls the calendar for each row, and no index serves it. To find the objects of one period, compare the
    /// date with the bounds of `calendar.dateInterval(of:for:)`. A date more than 3,000 years from 2001 stays as it is.
    ///
    /// - Parameter component: `.year`, `.quarter`, `.month`, `.weekOfYear`, `.weekOfMonth`, `.yearForWeekOfYear`, `.day`,
    ///   `.hour`, `.minute` or `.second`. With another one the fetch throws ``FetchError``.
    public func start(of component: Calendar.Component, in calendar: Calendar) -> Column {
        guard let period = CalendarPeriod.text(component, calendar) else {
            return Column(
                .unsupported(
                    FetchError.unsupportedPredicate(
                        entity: "", construct: "start(of: .\(component))",
                        reason: "a calendar has no periods of this component", hint: "write .day, .month or .year")),
                coding)
        }
        return Column(.function(.periodStart, [expression, .value(.text(period))]), coding)
    }
}
