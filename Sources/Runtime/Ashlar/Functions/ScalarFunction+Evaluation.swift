import AshlarSQLite
import SystemFoundation

extension ScalarFunction {
    /// Returns the function's value; NULL if an argument is NULL or has an unsuitable type.
    ///
    /// - Throws: ``ScalarFunctionError`` if a pattern is not a regular expression.
    func value(_ arguments: [SQLiteValue]) throws(ScalarFunctionError) -> SQLiteValue {
        guard let first = arguments.first, !arguments.contains(.null) else { return .null }
        switch self {
        case .uppercase, .lowercase, .fold, .canonical, .characterCount, .length, .localizedOrder,
            .localizedStandardOrder:
            return Self.text(self, first, arguments)
        case .hasPrefix, .hasSuffix, .contains, .like, .matches:
            return try Self.comparison(self, arguments)
        case .addDecimals, .subtractDecimals, .multiplyDecimals, .divideDecimals:
            return arguments.count > 1 ? DecimalNumber.compute(self, first, arguments[1]) : .null
        case .toText, .toReal, .toInteger, .toDecimal, .uuidText, .listed:
            return Self.conversion(self, first)
        case .periodStart: return arguments.count > 1 ? CalendarPeriod.start(first, arguments[1]) : .null
        case .power, .remainder:
            return arguments.count > 1 ? NumberFunction.value(self, arguments) : .null
        default: return NumberFunction.value(self, arguments)
        }
    }

    private static func text(
        _ function: ScalarFunction, _ value: SQLiteValue, _ arguments: [SQLiteValue]
    ) -> SQLiteValue {
        guard case .text(let text) = value else { return .null }
        switch function {
        case .uppercase: return .text(text.uppercased())
        case .lowercase: return .text(text.lowercased())
        case .characterCount: return .integer(Int64(text.count))
        case .length: return .integer(Int64(text.utf16.count))
        case .canonical: return .text(DerivedText.canonical(text))
        case .fold: return .text(TextFolding.folded(text, options(arguments, 1)))
        default:
            guard arguments.count > 1, case .text(let other) = arguments[1] else { return .null }
            if function == .localizedStandardOrder {
                return .integer(Int64(TextCollation.localizedStandard.compare(text, other)))
            }
            let options = options(arguments, 2)
            let order = TextCollation.localized.compare(
                TextFolding.folded(text, options), TextFolding.folded(other, options))
            return .integer(Int64(order))
        }
    }

    private static func options(_ arguments: [SQLiteValue], _ position: Int) -> TextOptions {
        guard arguments.count > position, case .integer(let bits) = arguments[position] else { return [] }
        return TextOptions(rawValue: Int(truncatingIfNeeded: bits))
    }

    private static func comparison(
        _ function: ScalarFunction, _ arguments: [SQLiteValue]
    ) throws(ScalarFunctionError) -> SQLiteValue {
        guard arguments.count > 1, case .text(let text) = arguments[0], case .text(let pattern) = arguments[1],
            let comparison = TextComparison(rawValue: function.rawValue)
        else { return .null }
        return .integer(try TextMatching.holds(comparison, text, pattern, options(arguments, 2)) ? 1 : 0)
    }

    private static func conversion(_ function: ScalarFunction, _ value: SQLiteValue) -> SQLiteValue {
        switch function {
        case .toDecimal: return DecimalNumber.value(value)
        case .toText:
            switch value {
            case .integer(let number): return .text(String(number))
            case .real(let number): return .text(number.description)
            case .text: return value
            case .null, .blob: return .null
            }
        case .toReal:
            if case .text(let text) = value { return SQLiteValue(Double(text)) }
            return SQLiteValue(value.number)
        case .toInteger:
            switch value {
            case .text(let text): return Int64(text).map { .integer($0) } ?? whole(Double(text))
            case .real(let number): return whole(number)
            default: return value
            }
        case .listed:
            guard case .text(let item) = value else { return .null }
            return ListedItem.value(of: item)
        default:
            guard case .blob(let data) = value, data.count == 16 else { return .null }
            let bytes = data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
            return .text(UUID(uuid: bytes).uuidString)
        }
    }

    /// Returns the integral part of a number; NULL beyond 64 bits.
    private static func whole(_ number: Double?) -> SQLiteValue {
        guard let number, number > -0x1p63, number < 0x1p63 else { return .null }
        return .integer(Int64(number))
    }
}
