import DataModel
import RelationalSchema

/// How values of one attribute type become values of another without loss.
///
/// Core Data infers no change of type; numbers that grow wider are what people expect all the same, and what the
/// documentation once promised.
enum AttributeConversion: Hashable {
    /// The stored value is the same.
    case none
    /// A whole number becomes a real one: lossless up to a magnitude, which is checked before anything is changed.
    case real(exactUpTo: Int64?)
    /// A whole number becomes a decimal one.
    case decimal

    /// The conversion; nil when values could be lost or could mean something else.
    init?(from old: AttributeType, to new: AttributeType) {
        switch (old, new) {
        case _ where old == new: self = .none
        case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): self = .none
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): self = .none
        case (.float, .double), (.string, .uri), (.uri, .string): self = .none
        case (.binary, .transformable), (.transformable, .binary), (.uuid, .binary): self = .none
        case (.boolean, .double), (.boolean, .float), (.integer16, .double), (.integer16, .float),
            (.integer32, .double):
            self = .real(exactUpTo: nil)
        case (.integer32, .float), (.integer64, .float): self = .real(exactUpTo: 1 << 24)
        case (.integer64, .double): self = .real(exactUpTo: 1 << 53)
        case (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal): self = .decimal
        default: return nil
        }
    }

    /// The value as an expression over the column with the old one.
    func expression(_ column: String) -> String {
        switch self {
        case .none: column
        case .real: "CAST(\(column) AS REAL)"
        case .decimal: "CAST(\(column) AS TEXT)"
        }
    }

    /// The condition that a value would be lost; nil when none can be.
    func lossCondition(_ column: String) -> String? {
        guard case .real(let limit?) = self else { return nil }
        return "\(column) NOT BETWEEN -\(limit) AND \(limit)"
    }
}
