/// The meaning of a table's text, independent of its columns' order and white space, for comparisons.
package struct TableText: Hashable {
    /// The text after the name of each column.
    package private(set) var columns: [String: String] = [:]
    private let constraints: Set<String>
    private let ending: String

    /// Reads a `CREATE TABLE` statement; nil if it does not have Ashlar's form, or names a column twice.
    package init?(_ sql: String) {
        guard let definition = TableDefinition(SQLToken.all(in: sql)) else { return nil }
        for column in definition.columns {
            guard columns.updateValue(Self.text(column.rest), forKey: column.name) == nil else { return nil }
        }
        constraints = Set(definition.constraints.map(Self.text))
        ending = Self.text(definition.ending)
    }

    private static func text(_ tokens: [SQLToken]) -> String { tokens.map(\.text).joined(separator: " ") }

    /// The text without a column.
    package func without(_ column: String) -> TableText {
        var text = self
        text.columns[column] = nil
        return text
    }
}
