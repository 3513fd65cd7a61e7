import AshlarSQLite
import StoreDescription

extension ModelDescription {
    /// Creates a store in memory of a version, without objects.
    ///
    /// The current version is created from the model's schema. An older one is created from the schema of the first
    /// version and then changed by each migration up to it. Returns nil if the model does not contain the schema of the
    /// first version.
    ///
    /// - Parameter fillsOwnTables: Whether Ashlar's own tables get their rows, such as the letters, which only writers
    ///   of the store read.
    package func emptyStore(ofVersionAt position: Int, fillsOwnTables: Bool) throws(SQLiteError) -> Connection? {
        let isCurrent = position == versions.count - 1
        guard let statements = isCurrent ? schema : firstSchema else { return nil }
        let connection = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
        for statement in statements where fillsOwnTables || !statement.hasPrefix("INSERT ") {
            try connection.execute(statement)
        }
        if isCurrent { return connection }
        for version in versions.prefix(position + 1) {
            // Custom statements and stages change rows, and there are none.
            for statement in version.migration
            where statement.purpose == .change && (fillsOwnTables || !statement.operation.fillsOwnTable) {
                try connection.execute(
                    statement.sql, asReplacement: StatementWork(statement.operation).isReplacement)
            }
        }
        return connection
    }
}

extension MigrationOperation {
    /// Whether it fills one of Ashlar's own tables, such as the one of letters.
    var fillsOwnTable: Bool {
        if case .insertRows(let table, _, _) = self { table.hasPrefix("ashlar$") } else { false }
    }
}
