import AshlarSQLite
import SystemFoundation

/// Arithmetic with whole and floating-point numbers, with exactly SQLite's results.
enum NumberFunction {
    static func arithmetic(
        _ operation: ArithmeticOperation, _ left: SQLiteValue, _ right: SQLiteValue
    ) -> SQLiteValue {
        if case .integer(let first) = left, case .integer(let second) = right {
            if let whole = integers(operation, first, second) { return whole }
        }
        guard let first = left.number, let second = right.number else { return .null }
        switch operation {
        case .add: return SQLiteValue(first + second)
        case .subtract: return SQLiteValue(first - second)
        case .multiply: return SQLiteValue(first * second)
        case .divide: return second == 0 ? .null : SQLiteValue(first / second)
        }
    }

    /// Returns the result if it is a whole number or NULL; nil if it exceeds 64 bits.
    private static func integers(
        _ operation: ArithmeticOperation, _ first: Int64, _ second: Int64
    ) -> SQLiteValue? {
        let result: (partialValue: Int64, overflow: Bool)
        switch operation {
        case .add: result = first.addingReportingOverflow(second)
        case .subtract: result = first.subtractingReportingOverflow(second)
        case .multiply: result = first.multipliedReportingOverflow(by: second)
        case .divide:
            if second == 0 { return .null }
            result = first.dividedReportingOverflow(by: second)
        }
        return result.overflow ? nil : .integer(result.partialValue)
    }

    /// Returns the value of a function of numbers, which are not NULL; NULL if the function is undefined for them.
    static func value(_ function: ScalarFunction, _ arguments: [SQLiteValue]) -> SQLiteValue {
        switch function {
        case .absolute, .roundedUp, .roundedDown, .roundedTowardZero, .rounded, .roundedToEven:
            return rounded(function, arguments[0])
        case .squareRoot: return real(arguments[0]) { $0.squareRoot() }
        case .exponential: return real(arguments[0], exp)
        case .naturalLogarithm: return real(arguments[0]) { $0 > 0 ? log($0) : .nan }
        case .logarithm: return real(arguments[0]) { $0 > 0 ? log10($0) : .nan }
        case .power:
            guard let base = arguments[0].number, let exponent = arguments[1].number else { return .null }
            return SQLiteValue(pow(base, exponent))
        case .remainder: return remainder(arguments[0], arguments[1])
        case .minimum, .maximum: return extreme(arguments, function == .minimum)
        default: return bits(function, arguments)
        }
    }

    private static func real(_ value: SQLiteValue, _ function: (Double) -> Double) -> SQLiteValue {
        value.number.map { SQLiteValue(function($0)) } ?? .null
    }

    private static func rounded(_ function: ScalarFunction, _ value: SQLiteValue) -> SQLiteValue {
        switch value {
        case .integer(let number):
            guard function == .absolute, number < 0 else { return value }
            return number == .min ? .real(0x1p63) : .integer(-number)
        case .real(let number):
            switch function {
            case .absolute: return .real(abs(number))
            case .roundedUp: return .real(number.rounded(.up))
            case .roundedDown: return .real(number.rounded(.down))
            case .roundedTowardZero: return .real(number.rounded(.towardZero))
            case .roundedToEven: return .real(number.rounded(.toNearestOrEven))
            default: return .real(number.rounded())
            }
        case .text:
            guard let number = DecimalNumber.decimal(value) else { return .null }
            return DecimalNumber.text(rounded(function, number))
        case .null, .blob: return .null
        }
    }

    private static func rounded(_ function: ScalarFunction, _ number: Decimal) -> Decimal {
        let isNegative = number.sign == .minus
        switch function {
        case .absolute: return isNegative ? -number : number
        // Decimals are rounded by their magnitudes, because platforms differ in rounding negative ones down.
        case .roundedUp: return isNegative ? -truncated(-number) : -floor(-number)
        case .roundedDown: return isNegative ? floor(number) : truncated(number)
        case .roundedTowardZero: return isNegative ? -truncated(-number) : truncated(number)
        case .roundedToEven: return DecimalNumber.rounded(number, .bankers)
        default: return isNegative ? -truncated(-number + half) : truncated(number + half)
        }
    }

    private static let half = Decimal(sign: .plus, exponent: -1, significand: 5)

    /// Returns the integral part of a nonnegative number.
    private static func truncated(_ number: Decimal) -> Decimal { DecimalNumber.rounded(number, .down) }

    private static func floor(_ number: Decimal) -> Decimal {
        let magnitude = number.sign == .minus ? -number : number
        let whole = truncated(magnitude)
        if number.sign == .plus { return whole }
        return whole == magnitude ? -whole : -(whole + 1)
    }

    private static func remainder(_ left: SQLiteValue, _ right: SQLiteValue) -> SQLiteValue {
        if case .integer(let first) = left, case .integer(let second) = right {
            if second == 0 { return .null }
            // The only quotient that overflows has no remainder.
            return .integer(second == -1 ? 0 : first % second)
        }
        if case .text = left { return DecimalNumber.compute(.remainder, left, right) }
        if case .text = right { return DecimalNumber.compute(.remainder, left, right) }
        guard let first = left.number, let second = right.number, second != 0 else { return .null }
        return SQLiteValue(first.truncatingRemainder(dividingBy: second))
    }

    private static func extreme(_ arguments: [SQLiteValue], _ isMinimum: Bool) -> SQLiteValue {
        // Texts are decimal numbers here.
        let isDecimal = arguments.contains { if case .text = $0 { true } else { false } }
        var result = arguments[0]
        for argument in arguments.dropFirst() {
            let order =
                isDecimal
                ? SQLiteValue.order(DecimalNumber.value(argument), DecimalNumber.value(result), true)
                : SQLiteValue.compare(argument, result)
            if isMinimum ? order < 0 : order > 0 { result = argument }
        }
        return isDecimal ? DecimalNumber.value(result) : result
    }

    private static func bits(_ function: ScalarFunction, _ arguments: [SQLiteValue]) -> SQLiteValue {
        guard case .integer(let first) = arguments[0] else { return .null }
        if function == .complement { return .integer(~first) }
        guard arguments.count > 1, case .integer(let second) = arguments[1] else { return .null }
        switch function {
        case .bitwiseAnd: return .integer(first & second)
        case .bitwiseOr: return .integer(first | second)
        case .bitwiseXor: return .integer(first ^ second)
        // Swift's smart shifts are defined for every distance.
        case .leftShift: return .integer(first << second)
        case .rightShift: return .integer(first >> second)
        default: return .null
        }
    }

    // MARK: Many numbers

    /// Returns the sum of numbers; 0 if there are none. It does not depend on their order.
    static func sum(_ values: [SQLiteValue], isDecimal: Bool) -> SQLiteValue {
        if isDecimal {
            return DecimalNumber.text(values.compactMap(DecimalNumber.decimal).sorted().reduce(0, +))
        }
        // Wide enough for any count of 64-bit integers, so that no order of them overflows.
        var whole: Int128 = 0
        var reals: [Double] = []
        for value in values {
            switch value {
            case .integer(let number): whole += Int128(number)
            case .real(let number): reals.append(number)
            default: continue
            }
        }
        if reals.isEmpty { return Int64(exactly: whole).map { .integer($0) } ?? SQLiteValue(Double(whole)) }
        // Sorted, because floating-point addition depends on the order.
        return SQLiteValue((reals + [Double(whole)]).sorted().reduce(0, +))
    }

    /// Returns the mean of numbers; NULL if there are none.
    static func average(_ values: [SQLiteValue], isDecimal: Bool) -> SQLiteValue {
        let values = values.filter { !$0.isNull }
        if values.isEmpty { return .null }
        let count = SQLiteValue.integer(Int64(values.count))
        let sum = sum(values, isDecimal: isDecimal)
        if isDecimal { return DecimalNumber.compute(.divideDecimals, sum, count) }
        guard let total = sum.number else { return .null }
        return SQLiteValue(total / Double(values.count))
    }
}

extension SQLiteValue {
    /// The number; nil for text, blobs and NULL.
    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }
}
