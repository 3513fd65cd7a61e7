import DataModel
import Foundation

extension AttributeCode {
    /// The value of a derived attribute until the first save: its default, nil, or a placeholder.
    var initialExpression: String {
        if let defaultExpression { return defaultExpression }
        switch attribute.type {
        case .string: return "\"\""
        case .boolean: return "false"
        case .binary: return "Data()"
        case .date: return "Date(timeIntervalSinceReferenceDate: 0)"
        default: return "0"
        }
    }

    /// The default of a parameter of the initialiser; nil if the caller must give a value.
    var defaultExpression: String? {
        guard let value = try? attribute.defaultValue() else { return attribute.isOptional ? "nil" : nil }
        let literal = Self.expression(value)
        switch conversion {
        case .none: return literal
        case .rawValue:
            // Only the user's type can decide whether a raw value is one of its cases.
            return attribute.isOptional
                ? "\(valueType)(rawValue: \(literal))"
                : "\(valueType)._ashlarDefault(rawValue: \(literal), of: \(SwiftName.literal(attribute.name)))"
        case .json: return "\(valueType)._ashlarDefault(json: \(literal), of: \(SwiftName.literal(attribute.name)))"
        case .transformer, .archive, .external: return attribute.isOptional ? "nil" : nil
        }
    }

    /// The argument that gives the runtime the default, which it checks when a container is opened; empty for none.
    var defaultArgument: String {
        guard let value = try? attribute.defaultValue() else { return "" }
        return ", default: \(Self.expression(value))"
    }

    private static func expression(_ value: DefaultValue) -> String {
        switch value {
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .boolean(let flag): String(flag)
        case .string(let text): SwiftName.literal(text)
        case .date(let seconds): "Date(timeIntervalSinceReferenceDate: \(seconds))"
        case .uuid(let uuid): "UUID(uuid: (\(bytes(of: uuid))))"
        case .uri(let text):
            "URL(string: \(SwiftName.literal(text))) ?? URL(fileURLWithPath: \(SwiftName.literal(text)))"
        case .decimal(let text): decimal(text)
        case .binary(let bytes): "Data([\(bytes.map { String($0) }.joined(separator: ", "))])"
        }
    }

    private static func bytes(of uuid: UUID) -> String {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            bytes.map { byte in "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined(separator: ", ")
        }
    }

    /// A decimal as digits and an exponent, because a literal would go through a binary fraction.
    private static func decimal(_ text: String) -> String {
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" || $0 == "+" }.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : ""
        let digits = (parts.first ?? "0") + fraction
        let sign = isNegative ? ".minus" : ".plus"
        guard let significand = UInt64(digits) else {
            return "Decimal(string: \(SwiftName.literal(text))) ?? .nan"
        }
        return "Decimal(sign: \(sign), exponent: \(-fraction.count), significand: Decimal(\(significand) as UInt64))"
    }
}
