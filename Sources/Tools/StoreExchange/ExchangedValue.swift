import AshlarSQLite
import Foundation
import StoreDescription

/// A value between a store and a text.
package enum ExchangedValue {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// A number with more digits than a floating-point number has: its text, and the nearest floating-point number.
    case number(String, Double)
    case text(String)
    case list([ExchangedValue])
    /// Keys with their values, in their order.
    case object([(String, ExchangedValue)])

    // MARK: Out of a store

    /// Creates the value of a column with a type; a value of another type stays as it is.
    init(_ value: SQLiteValue, _ type: ColumnLine.AttributeType?) {
        switch value {
        case .null: self = .null
        case .integer(let number):
            // Every number except 0 is read as true.
            self = type == .boolean ? .boolean(number != 0) : .integer(number)
        case .real(let number):
            if type == .date, let text = ExchangedDate.text(number) { self = .text(text) } else { self = .real(number) }
        case .text(let text): self = .text(text)
        case .blob(let bytes):
            self =
                if type == .uuid, let uuid = Self.uuid(bytes) { .text(uuid.uuidString) } else {
                    .text(bytes.base64EncodedString())
                }
        }
    }

    private static func uuid(_ bytes: Data) -> UUID? {
        guard bytes.count == 16 else { return nil }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    // MARK: Into a store

    /// The value of a column of a type; nil if it is not a value of that type.
    package func stored(as type: ColumnLine.AttributeType?) -> SQLiteValue? {
        if self == .null { return .null }
        switch type {
        case .integer16: return integer(in: Int64(Int16.min)...Int64(Int16.max))
        case .integer32: return integer(in: Int64(Int32.min)...Int64(Int32.max))
        case .integer64: return integer(in: .min ... .max)
        // The flag that shows whether a composite is present.
        case nil: return integer(in: 0...1) ?? boolean
        case .boolean: return boolean ?? integer(in: 0...1)
        case .double: return real.map { .real($0) }
        case .float: return real.flatMap { $0.isInfinite || Float($0).isFinite ? .real($0) : nil }
        case .date:
            if case .text(let text) = self, let seconds = ExchangedDate.seconds(text) { return .real(seconds) }
            return real.map { .real($0) }
        case .decimal:
            let text =
                switch self {
                case .text(let text), .number(let text, _): text
                case .integer(let number): "\(number)"
                case .real(let number): "\(number)"
                default: ""
                }
            guard Self.isNumber(text), Self.digitCount(text) <= Self.greatestDigitCount,
                let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")),
                !number.isNaN
            else { return nil }
            // A plain number keeps its text: equal ones are compared as numbers.
            return .text(text.utf8.contains { [0x2B, 0x45, 0x65].contains($0) } ? number.description : text)
        case .string: if case .text(let text) = self { return .text(text) } else { return nil }
        case .uri:
            if case .text(let text) = self, URL(string: text) != nil { return .text(text) } else { return nil }
        case .uuid:
            guard case .text(let text) = self, let uuid = UUID(uuidString: text) else { return nil }
            return .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .binary, .transformable:
            guard case .text(let text) = self, let bytes = Data(base64Encoded: text) else { return nil }
            return .blob(bytes)
        }
    }

    /// Returns whether all of a text is a number: a sign, digits with or without a point, and an exponent.
    private static func isNumber(_ text: String) -> Bool {
        var bytes = Substring(text).utf8
        func skip(_ letters: UInt8...) -> Bool {
            guard let first = bytes.first, letters.contains(first) else { return false }
            bytes.removeFirst()
            return true
        }
        func skipDigits() -> Bool {
            let count = bytes.count
            while let first = bytes.first, (0x30...0x39).contains(first) { bytes.removeFirst() }
            return bytes.count < count
        }
        _ = skip(0x2B, 0x2D)
        let hasWhole = skipDigits()
        if skip(0x2E) { guard skipDigits() || hasWhole else { return false } } else if !hasWhole { return false }
        if skip(0x65, 0x45) {
            _ = skip(0x2B, 0x2D)
            if !skipDigits() { return false }
        }
        return bytes.isEmpty
    }

    /// As many as a `Decimal` has.
    private static let greatestDigitCount = 38

    /// The number of digits from the first that is not 0 to the last that is not, without the exponent.
    private static func digitCount(_ text: String) -> Int {
        let digits = text.utf8.prefix { $0 != 0x65 && $0 != 0x45 }.filter { (0x30...0x39).contains($0) }
        let first = digits.firstIndex { $0 != 0x30 } ?? digits.endIndex
        let last = digits.lastIndex { $0 != 0x30 } ?? first
        return first == digits.endIndex ? 0 : last - first + 1
    }

    private func integer(in range: ClosedRange<Int64>) -> SQLiteValue? {
        switch self {
        case .integer(let number): range.contains(number) ? .integer(number) : nil
        case .text(let text): Int64(text).flatMap { range.contains($0) ? .integer($0) : nil }
        default: nil
        }
    }

    private var boolean: SQLiteValue? {
        switch self {
        case .boolean(let value): .integer(value ? 1 : 0)
        case .text("true"): .integer(1)
        case .text("false"): .integer(0)
        default: nil
        }
    }

    private var real: Double? {
        switch self {
        case .real(let number): number.isNaN ? nil : number
        case .number(_, let number): number.isFinite ? number : nil
        case .integer(let number): Double(number)
        // A dump writes infinity so, as JSON has no number for it.
        case .text(let text): Double(text).flatMap { $0.isNaN ? nil : $0 }
        default: nil
        }
    }
}

extension ExchangedValue: Equatable {
    package static func == (left: ExchangedValue, right: ExchangedValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let first), .boolean(let second)): first == second
        case (.integer(let first), .integer(let second)): first == second
        case (.real(let first), .real(let second)): first == second
        case (.number(let first, _), .number(let second, _)): first == second
        case (.text(let first), .text(let second)): first == second
        case (.list(let first), .list(let second)): first == second
        case (.object(let first), .object(let second)):
            first.count == second.count && zip(first, second).allSatisfy { $0.0 == $1.0 && $0.1 == $1.1 }
        default: false
        }
    }
}

extension ExchangedValue {
    /// Creates the value of a column of a table that no model describes.
    package init(_ value: SQLiteValue, isBoolean: Bool) { self.init(value, isBoolean ? .boolean : nil) }
}
