import AshlarSQLite
import Foundation
import StoreDescription
import StoreExchange

/// A value of a store as a page shows it.
@_spi(Studio) public enum BrowsedValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A whole or decimal number, or one of floating point.
    case number(String)
    /// A text, or its beginning, with the number of characters of the whole where it is longer.
    case text(String, length: Int?)
    /// A date of the calendar in UTC; a date too far away is given in seconds.
    case date(String)
    case uuid(String)
    /// The beginning of some bytes as hexadecimal digits, and how many bytes there are.
    case bytes(String, count: Int)
    /// A reference to an object.
    case reference(BrowsedReference)
    /// A value that the type of its attribute does not allow.
    case unexpected(String)

    /// The value as a line of text.
    public var text: String {
        switch self {
        case .null: ""
        case .boolean(let value): value ? "true" : "false"
        case .number(let text), .date(let text), .uuid(let text), .unexpected(let text): text
        case .text(let text, let length): length == nil ? text : text + "…"
        case .bytes(let text, let count): count == 1 ? "\(text) (1 byte)" : "\(text) (\(count) bytes)"
        case .reference(let reference): reference.text
        }
    }

    /// The length of a text or of bytes that a list shows.
    static let shownLength = 160
    /// The length of a text or of bytes that the page of an object shows.
    static let wholeLength = 100_000

    /// A value as it is stored, with its length where it was cut.
    init(_ value: SQLiteValue, length: Int?, type: ColumnLine.AttributeType?, isModelled: Bool = true) {
        switch value {
        case .null: self = .null
        case .integer(let number):
            switch type {
            case .boolean where (0...1).contains(number): self = .boolean(number == 1)
            case nil where isModelled && (0...1).contains(number): self = .boolean(number == 1)
            case .date: self = Self.date(Double(number))
            case .string, .uuid, .uri, .binary, .transformable: self = .unexpected("\(number)")
            default: self = .number("\(number)")
            }
        case .real(let number):
            switch type {
            case .date: self = Self.date(number)
            case .double, .float: self = .number("\(number)")
            default: self = isModelled && type != nil ? .unexpected("\(number)") : .number("\(number)")
            }
        case .text(let text):
            switch type {
            case .decimal: self = .number(text)
            case .string, .uri: self = .text(text, length: length)
            default: self = isModelled ? .unexpected(text) : .text(text, length: length)
            }
        case .blob(let bytes):
            if type == .uuid, let uuid = Self.uuid(bytes) {
                self = .uuid(uuid.uuidString)
            } else {
                let digits = bytes.prefix(Self.shownLength / 4).map { Self.hexadecimal($0) }.joined()
                self = .bytes(digits, count: length ?? bytes.count)
            }
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }

    private static func uuid(_ bytes: Data) -> UUID? {
        guard bytes.count == 16 else { return nil }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private static func date(_ seconds: Double) -> BrowsedValue {
        .date(ExchangedDate.text(seconds) ?? ExchangedDate.text(seconds.rounded(.down)) ?? "\(seconds) s")
    }
}

/// An object that another one refers to.
@_spi(Studio) public struct BrowsedReference: Hashable, Sendable {
    /// The entity that the relationship leads to; the object may be of one below it.
    public var entity: String
    public var number: Int64
    /// The name by which people know the object; nil if it has none.
    public var label: String?

    /// The label, or the entity with the number.
    public var text: String { label ?? "\(entity) \(number)" }
}
