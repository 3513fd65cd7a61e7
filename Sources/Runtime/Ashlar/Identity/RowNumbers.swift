import AshlarSQLite

/// The numbers of a store's rows, which begin at 1. Negative numbers belong to objects that were never saved.
enum RowNumbers {
    /// Returns the problems of the row numbers, one sentence for each table.
    static func problems(_ connection: Connection, in schema: String) throws(SQLiteError) -> [String] {
        let found = try connection.schema(of: schema)
        var result: [String] = []
        for table in try found.tables().filter({ $0.kind == .table }).map(\.name)
        where try found.columns(of: table).contains(where: { $0.name == "id$" && $0.keyPosition == 1 }) {
            let name = "\(schema).\(table.quotedIdentifier)"
            let least = try connection.integer("SELECT min(\"id$\") FROM \(name)") ?? 1
            if least < 1 {
                result.append("Row \(least) of \(table) has a number that no row may have, and cannot be read.")
            }
            let used = try connection.integer(
                "SELECT \"seq\" FROM \(schema).\"sqlite_sequence\" WHERE \"name\" = ?1", [.text(table)])
            if let used, used > Int64.max - NextRowIDs.reserve {
                result.append("The numbers of rows of \(table) are used up: sqlite_sequence has \(used).")
            }
        }
        return result
    }
}
