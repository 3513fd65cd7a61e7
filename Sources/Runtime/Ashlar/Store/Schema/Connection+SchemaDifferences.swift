import AshlarSQLite

extension Connection {
    /// Returns the differences of the tables, indexes, triggers and virtual tables from those that a schema's
    /// statements create, one sentence each; empty if there are none.
    package func schemaDifferences(from schema: [String]) throws(SQLiteError) -> [String] {
        let found = try SchemaCatalogue(self)
        let expected = try SchemaCatalogue(of: schema)
        let comparison = SchemaComparison(found: found, expected: expected)
        var result = comparison.alterations
        for (name, table) in found.tables where !name.hasPrefix("ashlar$") {
            guard let other = expected.tables[name] else {
                result.append("The table \(name) is left.")
                continue
            }
            for column in table.columns.keys where other.columns[column] == nil {
                result.append("The column \(name).\(column) is left.")
            }
        }
        result += comparison.tablesToRebuild.map { "The table \($0) has other defaults or foreign keys." }
        for (name, object) in expected.objects where found.objects[name] != object {
            result.append("The \(object.kind) \(name) \(found.objects[name] == nil ? "is missing" : "differs").")
        }
        for (name, object) in found.objects where expected.objects[name] == nil && !name.hasPrefix("ashlar$") {
            result.append("The \(object.kind) \(name) is left.")
        }
        return result.sorted()
    }
}
