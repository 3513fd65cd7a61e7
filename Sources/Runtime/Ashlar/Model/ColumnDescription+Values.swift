import AshlarSQLite
import SystemFoundation

/// The types of attributes, for those who write rows without objects. SQLite itself refuses values of another storage class.
extension ColumnDescription {
    /// Returns a description of the values that the column takes if a value is none of them; nil if it is one.
    ///
    /// Values of the program's own types are not examined.
    package func expectation(unmetBy value: SQLiteValue) -> String? {
        switch (type, value) {
        case (.integer16?, .integer(let number)): Self.expectation(Int16.self, number)
        case (.integer32?, .integer(let number)): Self.expectation(Int32.self, number)
        case (.decimal?, .text(let text)):
            Decimal(string: text, locale: DecimalText.locale) == nil ? "a decimal number" : nil
        case (.uuid?, .blob(let bytes)): bytes.count == 16 ? nil : "a UUID"
        case (.uri?, .text(let text)): URL(string: text) == nil ? "a URL" : nil
        default: nil
        }
    }

    private static func expectation<Number: FixedWidthInteger>(_ type: Number.Type, _ number: Int64) -> String? {
        Number(exactly: number) == nil ? "an integer from \(Number.min) to \(Number.max)" : nil
    }

    /// Returns the nearest number that the column takes; other values as they are.
    package func bounded(_ value: SQLiteValue) -> SQLiteValue {
        switch (type, value) {
        case (.integer16?, .integer(let number)): .integer(Int64(Int16(clamping: number)))
        case (.integer32?, .integer(let number)): .integer(Int64(Int32(clamping: number)))
        default: value
        }
    }
}

extension ModelDescription {
    /// The columns that take fewer values than SQLite lets them have, by tables and names.
    package var narrowColumns: [String: [String: ColumnDescription]] {
        let types: Set<AttributeType> = [.integer16, .integer32, .decimal, .uuid, .uri]
        var columns: [String: [String: ColumnDescription]] = [:]
        for entity in entitySchemas {
            for column in entity.columns where column.type.map(types.contains) ?? false {
                columns[entity.tableName, default: [:]][column.name] = column
            }
        }
        return columns
    }
}
