import AshlarSQLite
import SQLQuoting
import SystemFoundation

/// Arithmetic with decimal numbers, which are stored as text.
package enum DecimalNumber {
    /// Returns a number of any kind as decimal text; NULL for other values.
    package static func value(_ value: SQLiteValue) -> SQLiteValue {
        switch value {
        case .integer(let number): .text(String(number))
        case .real(let number): .text(PlainNumber.text(number))
        case .text(let text): Decimal(string: text, locale: DecimalText.locale) == nil ? .null : value
        case .null, .blob: .null
        }
    }

    /// Returns the result of an operation on two numbers; NULL if an operand is not a number, or the result is too
    /// large or undefined.
    static func compute(_ function: ScalarFunction, _ left: SQLiteValue, _ right: SQLiteValue) -> SQLiteValue {
        guard let first = decimal(left), let second = decimal(right) else { return .null }
        let result: Decimal
        switch function {
        case .addDecimals: result = first + second
        case .subtractDecimals: result = first - second
        case .multiplyDecimals: result = first * second
        case .divideDecimals:
            if second.isZero { return .null }
            result = first / second
        case .remainder:
            if second.isZero { return .null }
            result = first - rounded(first / second, first.sign == second.sign ? .down : .up) * second
        default: return .null
        }
        return text(result)
    }

    package static func text(_ value: Decimal) -> SQLiteValue { value.isNaN ? .null : .text(DecimalText.text(value)) }

    package static func decimal(_ value: SQLiteValue) -> Decimal? {
        switch value {
        case .text(let text):
            guard let number = Decimal(string: text, locale: DecimalText.locale), !number.isNaN else { return nil }
            return number
        case .integer(let number): return Decimal(number)
        case .real(let number):
            guard number.isFinite else { return nil }
            return Decimal(string: PlainNumber.text(number), locale: DecimalText.locale).flatMap { $0.isNaN ? nil : $0 }
        case .null, .blob: return nil
        }
    }

    #if FoundationEssentials
        /// The direction of rounding.
        enum RoundingMode {
            case down, up, bankers
        }

        static func rounded(_ value: Decimal, _ mode: RoundingMode) -> Decimal {
            if value.exponent >= 0 { return value }
            let digits = "\(value.significand)"
            let count = max(0, digits.utf8.count + value.exponent)
            // A number below one may have zeros before its first digit.
            let zeros = max(0, -value.exponent - digits.utf8.count)
            let fraction = String(repeating: "0", count: zeros) + digits.suffix(digits.utf8.count - count)
            let whole = Decimal(string: String(digits.prefix(count)), locale: DecimalText.locale) ?? 0
            let isNegative = value.sign == .minus
            let isAway: Bool
            switch mode {
            case .down: isAway = isNegative && fraction.contains { $0 != "0" }
            case .up: isAway = !isNegative && fraction.contains { $0 != "0" }
            case .bankers:
                let isHalf = fraction.first == "5" && fraction.dropFirst().allSatisfy { $0 == "0" }
                let isOdd = digits.prefix(count).last?.wholeNumberValue.map { $0 % 2 == 1 } ?? false
                isAway = isHalf ? isOdd : fraction.first.map { $0 >= "5" } ?? false
            }
            let magnitude = isAway ? whole + 1 : whole
            return isNegative ? -magnitude : magnitude
        }
    #else
        static func rounded(_ value: Decimal, _ mode: NSDecimalNumber.RoundingMode) -> Decimal {
            var result = Decimal()
            var value = value
            NSDecimalRound(&result, &value, 0, mode)
            return result
        }
    #endif
}
