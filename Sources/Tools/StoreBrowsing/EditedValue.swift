import AshlarSQLite
import Foundation
import StoreDescription
import StoreExchange

/// The value of an attribute as text in a form.
struct EditedValue {
    /// Whether the attribute can be changed.
    let isPossible: Bool
    /// The text that stands for the stored value; nil for NULL, and for values without a text.
    let text: String?

    init(_ attribute: StoredEntity.Attribute, _ value: SQLiteValue, isWhole: Bool) {
        guard Self.canEdit(attribute), isWhole else {
            (isPossible, text) = (false, nil)
            return
        }
        let text = Self.text(value, attribute.type)
        // If a text did not give back the stored value, a form would change the value without an edit. A date may be
        // finer than its text; a form with an unchanged text does not change it.
        isPossible =
            value.isNull
            || text.map {
                guard let found = Self.value($0, attribute.type), Self.isKept($0) else { return false }
                return found == value || attribute.type == .date
            } == true
        self.text = text
    }

    /// Returns whether a form can edit an attribute: values of its type are written as text, and it is neither derived,
    /// nor stored externally, nor a part of a composite.
    static func canEdit(_ attribute: StoredEntity.Attribute) -> Bool {
        if attribute.isDerived || attribute.isExternal || attribute.path.count > 1 { return false }
        switch attribute.type {
        case .binary, .transformable, nil: return false
        default: return true
        }
    }

    /// Returns whether a form returns a text unchanged. Forms replace other line breaks, and cannot contain other
    /// control characters.
    private static func isKept(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x9, 0xA: true
            case 0...0x1F, 0x7F...0x9F, 0xFFFD...0xFFFF: false
            default: true
            }
        }
    }

    private static func text(_ value: SQLiteValue, _ type: ColumnLine.AttributeType?) -> String? {
        switch value {
        case .null: return nil
        case .integer(let number): return type == .boolean ? (number == 1 ? "true" : "false") : "\(number)"
        case .real(let number): return type == .date ? date(number) : "\(number)"
        case .text(let text): return text
        case .blob:
            if case .uuid(let text) = BrowsedValue(value, length: nil, type: .uuid) { return text }
            return nil
        }
    }

    /// A date to the microsecond, or in seconds where the calendar does not reach.
    private static func date(_ seconds: Double) -> String {
        if let text = ExchangedDate.text(seconds) { return text }
        let whole = seconds.rounded(.down)
        return ExchangedDate.text(whole + ((seconds - whole) * 1e6).rounded() / 1e6) ?? "\(seconds)"
    }

    /// The seconds of a date with or without its time, as forms and people write it, in UTC.
    private static func seconds(_ text: String) -> Double? {
        if let seconds = ExchangedDate.seconds(text) ?? Double(text) { return seconds }
        guard let match = text.wholeMatch(of: /(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,6})?)?Z?)?/) else {
            return nil
        }
        return ExchangedDate.seconds("\(match.1)T\(match.2 ?? "00:00")\(match.3 ?? ":00")Z")
    }

    /// Returns the stored form of a text as a value of a type; nil if it is not one.
    static func value(_ text: String, _ type: ColumnLine.AttributeType?) -> SQLiteValue? {
        switch type {
        case .integer16: return Int16(text).map { .integer(Int64($0)) }
        case .integer32: return Int32(text).map { .integer(Int64($0)) }
        case .integer64: return Int64(text).map { .integer($0) }
        case .boolean: return text == "true" ? .integer(1) : text == "false" ? .integer(0) : nil
        case .double: return Double(text).flatMap { $0.isNaN ? nil : .real($0) }
        case .float: return Float(text).flatMap { $0.isNaN ? nil : .real(Double($0)) }
        case .date: return seconds(text).flatMap { $0.isFinite ? .real($0) : nil }
        case .string: return .text(text)
        case .uri: return URL(string: text).map { .text($0.absoluteString) }
        case .uuid: return UUID(uuidString: text).map { uuid in .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) }) }
        case .decimal:
            guard let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), !number.isNaN,
                text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) })
            else { return nil }
            return SQLiteValue(number)
        case .binary, .transformable, nil: return nil
        }
    }
}
