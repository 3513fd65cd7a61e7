import AshlarSQLite

/// The description of a full-text index at run time. Generated code creates it.
///
/// ``EntityDescription/fullTextIndexes`` lists them.
///
///     for index in Post.entity.fullTextIndexes { print(index.name, index.columnNames) }
public struct FullTextDescription: Sendable, Hashable {
    /// The index's name in the model.
    public var name: String
    /// The name of the virtual table.
    public var tableName: String
    /// The positions of the index's attributes among the columns of the entity, in the order of the virtual table.
    public var columns: [Int]
    /// The names of the virtual table's columns.
    public var columnNames: [String]
    /// The options of the virtual table besides its columns, in the words of FTS5.
    public var options: [String]
    /// The weight of a match in each column for the rank; empty if all have the same.
    public var weights: [Double]
    /// The names in `entity$` of the rows that the index covers; empty if it covers all rows.
    public var entityNames: [String]

    /// Creates a description, for generated code.
    @_spi(Generated) public init(
        _ name: String, tableName: String, columns: [Int], columnNames: [String], options: [String],
        weights: [Double] = [], entityNames: [String] = []
    ) {
        self.name = name
        self.tableName = tableName
        self.columns = columns
        self.columnNames = columnNames
        self.options = options
        self.weights = weights
        self.entityNames = entityNames
    }

    /// Whether the index contains trigrams, sequences of three characters, rather than words.
    var hasTrigrams: Bool { options.contains { $0.contains("trigram") } }

    /// Returns the definition of a virtual table with the same columns and options.
    func definition(named name: String) -> String {
        let columns = columnNames.map(\.quotedIdentifier)
        return "CREATE VIRTUAL TABLE \(name.quotedIdentifier) USING fts5("
            + (columns + options).joined(separator: ", ") + ")"
    }
}
