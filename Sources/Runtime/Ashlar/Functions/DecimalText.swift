import SystemFoundation

/// Decimal numbers as text, in the same form on every machine.
enum DecimalText {
    static let locale = Locale(identifier: "en_US_POSIX")

    static func text(_ value: Decimal) -> String { value.description }
}
