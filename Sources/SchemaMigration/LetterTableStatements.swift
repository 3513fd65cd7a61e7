import DataModel
import RelationalSchema

/// The statements by which a store gets the tables of letters of another version.
struct LetterTableStatements: Sendable {
    var creations: [MigrationStatement] = []
    var removals: [MigrationStatement] = []

    static let none = LetterTableStatements()

    private init() {}

    /// What tells two versions apart.
    init(from old: Schema, to new: Schema) {
        for table in new.letterTables where !old.letterTables.contains(table) {
            creations += [MigrationStatement(table.definition), MigrationStatement(table.filling)]
        }
        for table in old.letterTables where !new.letterTables.contains(table) {
            removals.append(MigrationStatement("DROP TABLE \(SQLText.identifier(table.name))"))
        }
    }
}
