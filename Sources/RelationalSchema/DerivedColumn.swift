import DataModel

/// The column of a derived attribute, with what keeps it.
public struct DerivedColumn: Sendable, Hashable {
    /// The entity that declares the attribute.
    public var entityName: String
    public var attributeName: String
    public var tableName: String
    public var columnName: String
    /// The value as SQL over the columns of a row, which are qualified with the table's name.
    public var value: String
    /// What keeps the value; empty for a generated column, which needs no keeping.
    public var triggers: [Trigger]
    /// Whether the value is the time at which the row was written, which no other value tells again.
    public var isTime: Bool
    /// The table of the rows that the value is made of.
    public var sourceTableName: String
    /// The columns of those rows that it is made of; empty for a count, and for the time.
    public var sourceColumnNames: [String]
    /// The functions of strings whose tables the value is made with.
    public var foldings: Set<Derivation.Folding>

    /// The condition of the rows that are there already and have not their value.
    public var backfillCondition: String {
        let column = SQLText.identifier(columnName)
        return isTime ? "\(column) IS NULL" : "\(column) IS NOT \(value)"
    }
}
