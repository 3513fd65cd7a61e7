import SystemFoundation

/// The conversion of values that are set by a property's name and have another type than the property.
enum ConvertedValue {
    /// Returns the value converted to a type; nil if no value of the type is equal to it.
    static func convert(_ value: Any, to type: Any.Type) -> Any? {
        if let optional = type as? any OptionalValue.Type { return convert(value, to: optional.wrappedType) }
        if let type = type as? any RawRepresentable.Type { return rawRepresentable(value, type) }
        return number(value)?.converted(to: type)
    }

    private static func rawRepresentable<Value: RawRepresentable>(_ value: Any, _ type: Value.Type) -> Any? {
        let rawValue = value as? Value.RawValue ?? convert(value, to: Value.RawValue.self) as? Value.RawValue
        return rawValue.flatMap { Value(rawValue: $0) }
    }

    private static func number(_ value: Any) -> Number? {
        switch value {
        case let value as Bool: .integer(value ? 1 : 0)
        case let value as any BinaryInteger: Int64(exactly: value).map { .integer($0) }
        case let value as Float: .real(Double(value))
        case let value as Double: .real(value)
        case let value as Decimal: .decimal(value)
        default: bridgedNumber(value)
        }
    }

    /// Returns an Objective-C number.
    private static func bridgedNumber(_ value: Any) -> Number? {
        #if !FoundationEssentials
            if let value = value as? NSDecimalNumber { return .decimal(value.decimalValue) }
            if let value = value as? NSNumber {
                return Int64(exactly: value).map { .integer($0) } ?? .real(value.doubleValue)
            }
        #endif
        return nil
    }

    private enum Number {
        case integer(Int64)
        case real(Double)
        case decimal(Decimal)

        func converted(to type: Any.Type) -> Any? {
            switch type {
            case is Bool.Type: integer.flatMap { $0 == 0 ? false : $0 == 1 ? true : nil }
            case is Int16.Type: integer.flatMap { Int16(exactly: $0) }
            case is Int32.Type: integer.flatMap { Int32(exactly: $0) }
            case is Int64.Type: integer
            case is Int.Type: integer.flatMap { Int(exactly: $0) }
            case is Double.Type: real
            case is Float.Type: real.map { Float($0) }
            case is Decimal.Type: decimalNumber
            default: nil
            }
        }

        private var integer: Int64? {
            switch self {
            case .integer(let value): value
            case .real(let value): Int64(exactly: value)
            case .decimal(let value): Int64("\(value)")
            }
        }

        private var real: Double? {
            switch self {
            case .integer(let value): Double(value)
            case .real(let value): value
            case .decimal(let value): double(nearest: value)
            }
        }

        private var decimalNumber: Decimal? {
            switch self {
            case .integer(let value): Decimal(value)
            // The shortest text of a number is the literal that it was written as, if it came from one.
            case .real(let value): value.isFinite ? Decimal(string: "\(value)") : nil
            case .decimal(let value): value
            }
        }
    }
}
