import AshlarSQLite
import StoreDescription

extension ModelDescription {
    /// A store in memory of a version, without objects. That of the current version is as the model says; an older one is made as the
    /// first version's was, and then changed by each migration up to the one that is wanted. Nil where the model does not say how the
    /// first version's was made.
    ///
    /// - Parameter fillsOwnTables: Whether tables of Ashlar's own have their rows: letters, say, which only who writes to the
    ///   store asks for.
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
            // What the author wrote, and stages, are about rows, of which there are none.
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
    /// Whether it fills a table of Ashlar's own, with letters say.
    var fillsOwnTable: Bool {
        if case .insertRows(let table, _, _) = self { table.hasPrefix("ashlar$") } else { false }
    }
}
