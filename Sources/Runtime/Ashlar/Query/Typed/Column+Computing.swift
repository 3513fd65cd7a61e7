import AshlarSQLite
public import SystemFoundation

/// Whole numbers are computed with 64 bits, and become floating-point numbers beyond them. Their division truncates the
/// fraction. Division by zero results in nil, as NULL, even if the type is not optional. Decimal numbers are computed
/// exactly.
extension Column where Value: ColumnNumber {
    private func computing(_ operation: SQLExpression.Arithmetic, _ other: SQLExpression) -> Column {
        Column(.arithmetic(expression.bounded, operation, other.bounded), coding)
    }

    /// Returns the sum of the column and a number.
    ///
    ///     let posts = Post.where { $0.likes + 1 > 10 }
    public static func + (column: Column, value: Value) -> Column { column.computing(.add, column.constant(value)) }
    /// Returns the difference of the column and a number.
    ///
    ///     let posts = Post.where { $0.likes - 1 > 10 }
    public static func - (column: Column, value: Value) -> Column {
        column.computing(.subtract, column.constant(value))
    }
    /// Returns the product of the column and a number.
    ///
    ///     let posts = Post.where { $0.likes * 2 > 10 }
    public static func * (column: Column, value: Value) -> Column {
        column.computing(.multiply, column.constant(value))
    }
    /// Returns the quotient of the column and a number.
    ///
    ///     let posts = Post.where { $0.latitude / 2 > 10 }
    public static func / (column: Column, value: Value) -> Column { column.computing(.divide, column.constant(value)) }
    /// Returns the remainder of a division of the column by a number.
    ///
    ///     let posts = Post.where { $0.likes % 2 == 0 }
    public static func % (column: Column, value: Value) -> Column {
        Column(.function(.remainder, [column.expression, column.constant(value)]), column.coding)
    }

    /// Returns the sum of two columns.
    ///
    ///     let posts = Post.where { $0.latitude + $0.longitude > 90 }
    public static func + (column: Column, other: Column) -> Column { column.computing(.add, other.expression) }
    /// Returns the difference of two columns.
    ///
    ///     let posts = Post.where { $0.latitude - $0.longitude > 10 }
    public static func - (column: Column, other: Column) -> Column { column.computing(.subtract, other.expression) }
    /// Returns the product of two columns.
    ///
    ///     let posts = Post.where { $0.latitude * $0.longitude > 10 }
    public static func * (column: Column, other: Column) -> Column { column.computing(.multiply, other.expression) }
    /// Returns the quotient of two columns.
    ///
    ///     let posts = Post.where { $0.latitude / $0.longitude > 10 }
    public static func / (column: Column, other: Column) -> Column { column.computing(.divide, other.expression) }

    /// Returns the sum of a number and the column.
    ///
    ///     let posts = Post.where { 1 + $0.likes > 10 }
    public static func + (value: Value, column: Column) -> Column { column + value }
    /// Returns the difference of a number and the column.
    ///
    ///     let posts = Post.where { 90 - $0.latitude > 10 }
    public static func - (value: Value, column: Column) -> Column {
        Column(column.constant(value), column.coding) - column
    }
    /// Returns the product of a number and the column.
    ///
    ///     let posts = Post.where { 2 * $0.likes > 10 }
    public static func * (value: Value, column: Column) -> Column { column * value }
    /// Returns the quotient of a number and the column.
    ///
    ///     let posts = Post.where { 90 / $0.latitude > 10 }
    public static func / (value: Value, column: Column) -> Column {
        Column(column.constant(value), column.coding) / column
    }

    /// Returns the number with the opposite sign.
    public static prefix func - (column: Column) -> Column {
        let zero = SQLiteValue.integer(0)
        let first = column.expression.isDecimal ? DecimalNumber.value(zero) : zero
        return Column(.arithmetic(.value(first), .subtract, column.expression), column.coding)
    }

    /// The absolute value of the number.
    ///
    ///     let posts = Post.where { $0.latitude.magnitude > 60 }
    public var magnitude: Column { Column(.function(.absolute, [expression]), coding) }

    /// The number as a `Double`, to compute with a column of another type.
    ///
    ///     let posts = Post.where { $0.likes.asDouble > $0.latitude }
    public var asDouble: Column<Double> { Column<Double>(.function(.toReal, [expression]), .double) }

    /// Returns the number rounded to a whole one.
    ///
    ///     let posts = Post.order { $0.latitude.rounded().ascending }
    ///
    /// - Parameter rule: The rounding rule. It defaults to the nearest whole number, and away from zero in the middle.
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

    /// Returns the square root of the number, or nil if it is negative.
    ///
    ///     let posts = Post.order { $0.latitude.squareRoot().ascending }
    public func squareRoot() -> Column<Double?> {
        Column<Double?>(.function(.squareRoot, [expression]), ColumnCoding<Double>.double.optional)
    }
}

/// Returns the lesser of two columns, or nil if one is nil.
///
///     let posts = Post.order { min($0.latitude, $0.longitude).ascending }
public func min<Value: ColumnNumber>(_ first: Column<Value>, _ second: Column<Value>) -> Column<Value> {
    Column(.function(.minimum, [first.expression, second.expression]), first.coding)
}

/// Returns the greater of two columns, or nil if one is nil.
///
///     let posts = Post.order { max($0.latitude, $0.longitude).ascending }
public func max<Value: ColumnNumber>(_ first: Column<Value>, _ second: Column<Value>) -> Column<Value> {
    Column(.function(.maximum, [first.expression, second.expression]), first.coding)
}

/// Returns the absolute value of a column.
///
///     let posts = Post.where { abs($0.latitude) > 60 }
public func abs<Value: ColumnNumber>(_ column: Column<Value>) -> Column<Value> { column.magnitude }

/// A date or an optional date, as the value of a column.
///
/// Columns of such values have the methods for computing with dates.
public protocol ColumnDate: Sendable {
    /// `Double`, or an optional one for an optional date.
    associatedtype _AshlarInterval: ColumnNumber
}

extension Date: ColumnDate {
    public typealias _AshlarInterval = Double
}

extension Optional: ColumnDate where Wrapped == Date {
    public typealias _AshlarInterval = Double?
}

extension Column where Value: ColumnDate {
    /// Returns the date with a number of seconds added.
    ///
    ///     let events = Event.where { $0.start.addingTimeInterval(3600) > $0.end }
    ///
    /// - Parameter seconds: The seconds to add.
    public func addingTimeInterval(_ seconds: TimeInterval) -> Column {
        Column(.arithmetic(expression, .add, .value(SQLiteValue(seconds))), coding)
    }

    /// Returns the number of seconds from a date to the column's date.
    ///
    ///     let posts = Post.where { $0.timestamp.timeIntervalSince(start) > 3600 }
    ///
    /// - Parameter date: The date to begin at.
    public func timeIntervalSince(_ date: Date) -> Column<Value._AshlarInterval> {
        Column<Value._AshlarInterval>(
            .arithmetic(expression, .subtract, .value(SQLiteValue(date))), Value._AshlarInterval.columnCoding)
    }

    /// Returns the number of seconds from another column's date to this one, or nil if either is nil.
    ///
    ///     let events = Event.where { $0.end.timeIntervalSince($0.start) > 3600 }
    ///
    /// - Parameter other: The column of the date to begin at.
    public func timeIntervalSince(_ other: Column<Value>) -> Column<Value._AshlarInterval> {
        Column<Value._AshlarInterval>(
            .arithmetic(expression, .subtract, other.expression), Value._AshlarInterval.columnCoding)
    }

    /// Returns the start of the calendar's day, week, month or other period that contains the date; nil for nil.
    ///
    /// If you group by it, rows are counted for each day in the calendar's time zone, with 23, 24 or 25 hours:
    ///
    /// ```swift
    /// Post.group { $0.created.start(of: .day, in: calendar) }
    ///     .select { ($0.created.start(of: .day, in: calendar), .count) }
    /// ```
    ///
    /// SQLite calls the calendar for each row, and no index serves it. To find the objects of one period, compare the
    /// date with the bounds of `calendar.dateInterval(of:for:)`. A date more than 3,000 years from 2001 stays as it is.
    ///
    /// - Parameters:
    ///   - component: `.year`, `.quarter`, `.month`, `.weekOfYear`, `.weekOfMonth`, `.yearForWeekOfYear`, `.day`, `.hour`,
    ///     `.minute` or `.second`. With another one, the fetch throws ``FetchError``.
    ///   - calendar: The calendar with its time zone.
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
