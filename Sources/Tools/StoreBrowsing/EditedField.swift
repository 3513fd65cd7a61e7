import Ashlar
import AshlarSQLite
import DataModel
import SQLQuoting
import StoreDescription

/// The field of a form that edits an attribute.
@_spi(Studio) public struct EditedField: Hashable, Sendable {
    public enum Kind: Sendable {
        case boolean, integer, decimal, real, date, text, uuid, address
    }

    public var kind: Kind
    /// The values that the field accepts, such as "a whole number from 0 to 3000".
    public var expected: String
    /// Whether the values are raw values of a Swift type.
    public var isEnumeration = false
    /// The raw values of the Swift type's cases, those that objects of the store have, and the model's default.
    public var rawValues: [String] = []
    /// The names of the cases in the package's Swift sources, by their raw values.
    public var caseNames: [String: String] = [:]

    init(_ attribute: StoredEntity.Attribute, _ modelled: Attribute?) {
        let bounds = Self.bounds(modelled)
        switch attribute.type {
        case .boolean: (kind, expected) = (.boolean, "true or false")
        case .integer16, .integer32, .integer64:
            let sizes = [Int64(Int16.min), Int64(Int32.min), Int64.min]
            let least = attribute.type == .integer16 ? sizes[0] : attribute.type == .integer32 ? sizes[1] : sizes[2]
            (kind, expected) = (.integer, "a whole number" + (bounds ?? " from \(least) to \(-(least + 1))"))
        case .decimal: (kind, expected) = (.decimal, "a decimal number such as 12.50" + (bounds ?? ""))
        case .double, .float: (kind, expected) = (.real, "a number such as 0.5" + (bounds ?? ""))
        case .date: (kind, expected) = (.date, "a date and time in UTC such as 2026-03-01 09:30:00")
        case .uuid: (kind, expected) = (.uuid, "a UUID such as 6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
        case .uri: (kind, expected) = (.address, "an address such as https://example.org/page")
        case .string, .binary, .transformable, nil: (kind, expected) = (.text, "a text" + Self.length(modelled))
        }
        isEnumeration = modelled?.holdsRawValue == true && kind != .boolean
    }

    private static func bounds(_ attribute: Attribute?) -> String? {
        switch (attribute?.minimumValue, attribute?.maximumValue) {
        case (let least?, let greatest?): " from \(least) to \(greatest)"
        case (let least?, nil): " of at least \(least)"
        case (nil, let greatest?): " of at most \(greatest)"
        case (nil, nil): nil
        }
    }

    private static func length(_ attribute: Attribute?) -> String {
        let length =
            switch (attribute?.minimumValue, attribute?.maximumValue) {
            case (let least?, let greatest?): " of \(least) to \(greatest) characters"
            case (let least?, nil): " of at least \(least) characters"
            case (nil, let greatest?): " of at most \(greatest) characters"
            case (nil, nil): ""
            }
        return length + (attribute?.regularExpression.map { " that matches \($0)" } ?? "")
    }

    /// The number of rows in which raw values are looked for, and of raw values.
    private static let (rowLimit, valueLimit) = (10_000, 50)

    /// Adds the raw values that the first rows of the store have.
    mutating func readRawValues(
        _ attribute: StoredEntity.Attribute, of entity: String, _ version: BrowsedVersion, _ connection: Connection
    ) throws {
        guard isEnumeration else { return }
        let column = SQLQuotation.identifier(attribute.column)
        let rows = try connection.rows(
            "SELECT DISTINCT \"value\" FROM (SELECT \(column) AS \"value\" FROM "
                + "main.\(SQLQuotation.identifier(version.table(of: entity))) LIMIT \(Self.rowLimit)) "
                + "WHERE \"value\" IS NOT NULL ORDER BY \"value\" LIMIT \(Self.valueLimit)")
        let modelled = version.modelled(attribute, of: entity)
        let cases = modelled?.userInfo[UserInfo.swiftTypeKey].map { version.enumerations.cases(of: $0) } ?? []
        caseNames = Dictionary(cases.map { ($0.rawValue, $0.name) }) { first, _ in first }
        let stored = rows.compactMap { EditedValue(attribute, $0[0], isWhole: true).text }
        var values = cases.map(\.rawValue)
        for text in stored + [modelled?.defaultValueString].compactMap(\.self) where !values.contains(text) {
            values.append(text)
        }
        rawValues = values
    }
}
