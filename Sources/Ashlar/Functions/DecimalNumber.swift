import AshlarSQLite
import Foundation
import PredicateFormat

/// Computation with decimal numbers, which are kept as text.
enum DecimalNumber {
    /// A number of any kind as decimal text; NULL for what is no number.
    static func value(_ value: SQLiteValue) -> SQLiteValue {
        switch value {
        case .integer(let number): .text(String(number))
        case .real(let number): .text(PlainNumber.text(number))
        case .text(let text): Decimal(string: text, locale: DecimalText.locale) == nil ? .null : value
        case .null, .blob: .null
        }
    }

    /// The result of an operation on two numbers; NULL where one is none, or the result is too large or undefined.
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

    static func text(_ value: Decimal) -> SQLiteValue { value.isNaN ? .null : .text(DecimalText.text(value)) }

    static func decimal(_ value: SQLiteValue) -> Decimal? {
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

    static func rounded(_ value: Decimal, _ mode: NSDecimalNumber.RoundingMode) -> Decimal {
        var result = Decimal()
        var value = value
        NSDecimalRound(&result, &value, 0, mode)
        return result
    }
}
