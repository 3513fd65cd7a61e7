import DataModel
import RelationalSchema

/// The lossless conversion of values of one attribute type to another.
///
/// Core Data infers no change of type. Widening numbers is nevertheless expected, and its documentation once promised
/// it.
enum AttributeConversion: Hashable {
    /// The stored value is the same.
    case none
    /// A whole number becomes a real one: lossless up to a magnitude, which is checked before anything is changed.
    case real(exactUpTo: Int64?)
    /// A whole number becomes its text; decimal numbers are stored as text.
    case text
    /// The bytes of a UUID become its text, as Foundation writes it.
    case uuidText
    /// A whole number stays one, if it lies within bounds.
    case narrow(ClosedRange<Int64>)
    /// A real number, or the text of a number, becomes a whole number, if it is one and lies within bounds.
    case whole(isText: Bool, ClosedRange<Int64>)

    /// The conversion of an attribute's values; nil when they could be lost or could mean something else.
    ///
    /// If the author requests a check, some conversions that could lose values are allowed too.
    init?(from old: Attribute, to new: Attribute) {
        self.init(from: old.type, to: new.type, isChecked: new.userInfo.asksForLosslessCheck)
    }

    /// The conversion between two types; nil when values could be lost or could mean something else.
    ///
    /// - Parameter isChecked: whether one that is refused by some values will do.
    init?(from old: AttributeType, to new: AttributeType, isChecked: Bool) {
        switch (old, new) {
        case _ where old == new: self = .none
        case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): self = .none
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): self = .none
        case (.float, .double), (.string, .uri), (.uri, .string), (.decimal, .string): self = .none
        case (.binary, .transformable), (.transformable, .binary), (.uuid, .binary): self = .none
        case (.boolean, .double), (.boolean, .float), (.integer16, .double), (.integer16, .float),
            (.integer32, .double):
            self = .real(exactUpTo: nil)
        case (.integer32, .float), (.integer64, .float): self = .real(exactUpTo: 1 << 24)
        case (.integer64, .double): self = .real(exactUpTo: 1 << 53)
        case (_, .decimal) where old.range != nil && old != .boolean: self = .text
        case (_, .string) where old.range != nil && old != .boolean: self = .text
        case (.uuid, .string): self = .uuidText
        default:
            guard isChecked, let range = new.range else { return nil }
            switch old {
            case .integer16, .integer32, .integer64: self = .narrow(range)
            case .float, .double: self = .whole(isText: false, range)
            case .string, .decimal: self = .whole(isText: true, range)
            default: return nil
            }
        }
    }

    /// The value as an expression over the column with the old one.
    func expression(_ column: String) -> String {
        switch self {
        case .none, .narrow: column
        case .real: "CAST(\(column) AS REAL)"
        case .text: "CAST(\(column) AS TEXT)"
        case .whole: "CAST(\(column) AS INTEGER)"
        case .uuidText:
            // hex(NULL) is an empty text, not NULL.
            "CASE WHEN \(column) IS NOT NULL THEN substr(hex(\(column)), 1, 8) || '-' || "
                + "substr(hex(\(column)), 9, 4) || '-' || substr(hex(\(column)), 13, 4) || '-' || "
                + "substr(hex(\(column)), 17, 4) || '-' || substr(hex(\(column)), 21) END"
        }
    }

    /// Whether the conversion leaves the stored value unchanged.
    var keepsValue: Bool {
        switch self {
        case .none, .narrow: true
        default: false
        }
    }

    /// The condition that a value would be lost; nil when none can be.
    func lossCondition(_ column: String) -> String? {
        func outside(_ range: ClosedRange<Int64>, _ value: String) -> String {
            // The least number of 64 bits cannot be written with a sign before it.
            "\(value) NOT BETWEEN \(literal(range.lowerBound)) AND \(range.upperBound)"
        }
        switch self {
        case .none, .text, .uuidText, .real(nil): return nil
        case .real(let limit?): return outside(-limit...limit, column)
        case .narrow(let range): return outside(range, column)
        case .whole(let isText, let range):
            let whole = expression(column)
            let differs = isText ? "CAST(\(whole) AS TEXT) <> \(column)" : "\(whole) <> \(column)"
            return "(\(differs) OR \(outside(range, whole)))"
        }
    }

    private func literal(_ number: Int64) -> String {
        number == .min ? "(-\(Int64.max) - 1)" : "\(number)"
    }
}

extension AttributeType {
    /// The whole numbers that a type can store; nil for a type of other values.
    fileprivate var range: ClosedRange<Int64>? {
        switch self {
        case .boolean: 0...1
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        case .integer64: Int64.min...Int64.max
        default: nil
        }
    }
}
