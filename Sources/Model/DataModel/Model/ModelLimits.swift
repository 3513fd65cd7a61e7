/// The greatest sizes that a model may have. Beyond them a build would take too long, or SQLite would refuse the store.
public enum ModelLimits {
    /// The number of entities in a chain of parents.
    public static let inheritanceDepth = 100
    /// The number of bytes of an attribute's default.
    public static let defaultLength = 1_000_000
    /// The number of columns of SQLite's tables. An entity and all entities below it share one table.
    public static let columnCount = 2000
}

extension Model {
    /// Whether a table may have more columns than SQLite allows. It is certain only after the tables are laid out.
    package var mayHaveTooManyColumns: Bool {
        // A to-one relationship may have a second column, for its order, and each table has three more.
        let count = entities.reduce(3) { $0 + $1.attributes.count + 2 * $1.relationships.count }
        return !composites.isEmpty || count > ModelLimits.columnCount
    }
}
