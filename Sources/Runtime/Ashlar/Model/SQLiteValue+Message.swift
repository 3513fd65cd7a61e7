import AshlarSQLite
import SystemFoundation

extension SQLiteValue {
    /// Returns the value as messages show it. Long texts are truncated, and bytes are counted.
    func shown(isDate: Bool = false) -> String {
        switch self {
        case .integer(let number): String(number)
        case .real(let number): isDate ? Date(timeIntervalSinceReferenceDate: number).description : String(number)
        case .text(let text): text.count > 100 ? "“\(text.prefix(100))…”" : "“\(text)”"
        case .blob(let bytes): "\(bytes.count) bytes"
        case .null: "nil"
        }
    }

    /// Returns properties with their values as messages show them: `name (“Ada”) and day (3)`. A property whose value
    /// is unknown or NULL is shown without it.
    static func shown(_ properties: [String], _ values: [SQLiteValue?]) -> String {
        properties.enumerated().map { position, property in
            guard values.indices.contains(position), let value = values[position], !value.isNull else {
                return property
            }
            return "\(property) (\(value.shown()))"
        }
        .joined(separator: " and ")
    }
}
