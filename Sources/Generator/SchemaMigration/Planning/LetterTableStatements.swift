import DataModel
import RelationalSchema
import StoreDescription

/// The statements that give a store the tables of letters of another version.
struct LetterTableStatements: Sendable {
    var creations: [MigrationStatement] = []
    var removals: [MigrationStatement] = []

    static let none = LetterTableStatements()

    private init() {}

    /// Creates the difference between two versions.
    init(from old: Schema, to new: Schema) {
        for table in new.letterTables where !old.letterTables.contains(table) {
            creations += [
                MigrationStatement(.createTable(table.name, definition: table.definition)),
                MigrationStatement(.insertRows(into: table.name, reading: [], statement: table.filling)),
            ]
        }
        for table in old.letterTables where !new.letterTables.contains(table) {
            removals.append(MigrationStatement(.dropTable(table.name)))
        }
    }
}
