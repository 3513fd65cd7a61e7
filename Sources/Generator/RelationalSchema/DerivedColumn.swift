import DataModel

/// The column of a derived attribute, with the triggers that maintain it.
public struct DerivedColumn: Sendable, Hashable {
    /// The entity that declares the attribute.
    public var entityName: String
    public var attributeName: String
    public var tableName: String
    public var columnName: String
    /// The value as SQL over the columns of a row, qualified with the table's name.
    public var value: String
    /// The triggers that maintain the value; empty for a generated column.
    public var triggers: [Trigger]
    /// Whether the value is the time at which the row was written, which cannot be computed from other values.
    public var isTime: Bool
    /// The table of the rows that the value depends on.
    public var sourceTableName: String
    /// The columns of those rows that the value depends on; empty for a count and for the time.
    public var sourceColumnNames: [String]
    /// The string functions whose tables the value uses.
    public var foldings: Set<Derivation.Folding>

    /// The condition of existing rows that lack their value.
    public var backfillCondition: String {
        let column = SQLText.identifier(columnName)
        return isTime ? "\(column) IS NULL" : "\(column) IS NOT \(value)"
    }
}
