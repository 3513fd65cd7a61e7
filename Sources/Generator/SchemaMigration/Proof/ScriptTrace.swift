import AshlarSQLite
import DataModel

/// The places where the author's statements changed the schema, or left references that lead nowhere.
struct ScriptTrace {
    /// The latest statement that changed a table, or an index or trigger of it, by the table's name.
    private(set) var tables: [String: SourceLocation] = [:]
    /// The latest statement that left rows of a table which refer to missing rows of another.
    private(set) var references: [Reference: SourceLocation] = [:]

    /// References of one table to another.
    struct Reference: Hashable {
        var table: String
        var target: String
    }

    /// Records the changes that a statement makes while the closure runs it.
    mutating func follow<Result>(
        _ location: SourceLocation, _ database: ProofDatabase, _ body: () throws(ProofDatabase.Failure) -> Result
    ) throws(ProofDatabase.Failure) -> Result {
        let schema = try Self.schema(database)
        // References to a table that the author dropped temporarily cannot be checked.
        let broken = (try? Self.brokenReferences(database)) ?? [:]
        let result = try body()
        for object in schema.symmetricDifference(try Self.schema(database)) { tables[object.tableName] = location }
        for reference in ((try? Self.brokenReferences(database)) ?? [:]).keys where broken[reference] == nil {
            references[reference] = location
        }
        return result
    }

    private static func schema(
        _ database: ProofDatabase
    ) throws(ProofDatabase.Failure) -> Set<DatabaseSchema.Object> {
        Set(try database.withSchema { $0.objects })
    }

    /// The references that lead nowhere, with a row of each; nil for a row without a number.
    static func brokenReferences(
        _ database: ProofDatabase
    ) throws(ProofDatabase.Failure) -> [Reference: String?] {
        var result: [Reference: String?] = [:]
        for row in try database.foreignKeyViolations() {
            let reference = Reference(table: row.table, target: row.parent)
            if result[reference] == nil { result.updateValue(row.rowID.map(String.init), forKey: reference) }
        }
        return result
    }
}
