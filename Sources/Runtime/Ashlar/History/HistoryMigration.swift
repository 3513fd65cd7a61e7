import AshlarSQLite
import StoreDescription

/// Preserves a store's history across a migration. Changes of the migration are not recorded. Earlier changes keep
/// their meaning under the new names.
///
/// The names are derived from the statements of the migration. If a table or a subentity is gone afterwards, or cannot
/// be traced, earlier changes may have lost their meaning, or lack deleted objects. The history then begins anew, and
/// older tokens are expired.
struct HistoryMigration {
    private let tracker: HistoryTracker
    private let connection: Connection
    private var catalogue: HistoryCatalogue
    /// The columns of tables that were filled from others, with the source column of each, if it has one.
    private var copies: [String: (source: String, columns: [String: String?])] = [:]
    private var isLost = false

    /// Begins within the migration's transaction; nil if the store's history is off.
    init?(_ model: ModelDescription, _ connection: Connection) throws(SQLiteError) {
        guard try HistoryTracker.isTracked(connection) else { return nil }
        tracker = HistoryTracker(model: model, connection: connection)
        self.connection = connection
        catalogue = try HistoryCatalogue.ifExists(connection)
        try tracker.suspend()
        // Following a log uses these triggers to keep earlier rows. They are created again when the store continues to
        // follow.
        try connection.dropTriggers(named: "ashlar$sync$")
    }

    /// Updates the names after a statement of the migration.
    mutating func follow(_ operation: MigrationOperation) {
        switch operation {
        case .renameTable(let table, let newName): rename(table, to: newName)
        case .replaceTable(let table): rename(MigrationOperation.replacementName(of: table), to: table)
        case .renameColumn(let column, let table, let newName):
            catalogue.renameColumns(of: table, [column: newName])
        case .copyRows(let copy):
            let columns = copy.sources.map { ($0.column, $0.source) }
            copies[copy.table] = (copy.source, Dictionary(columns, uniquingKeysWith: { first, _ in first }))
        default: return
        }
    }

    /// Ends after the store has the schema of the model.
    func finish() throws(SQLiteError) {
        let tables = TrackedTable.tables(of: tracker.model)
        let isKnown = catalogue.entries.allSatisfy { entry in
            tables.contains { table in
                guard table.name == entry.table else { return false }
                guard case .objects(let entities) = table.content else { return true }
                return entities.contains { $0.discriminator == entry.discriminator }
            }
        }
        if isLost || !isKnown { try tracker.expire() }
        try catalogue.write(to: connection)
        try tracker.update()
    }

    private mutating func rename(_ table: String, to newName: String) {
        if catalogue.has(table) { return catalogue.renameTable(table, to: newName) }
        // A copy replaces a table that was dropped.
        guard catalogue.has(newName) else { return }
        guard let copy = copies[table], copy.source == newName else {
            isLost = true
            return
        }
        let names = catalogue.columns[newName] ?? []
        var newNames: [String: String] = [:]
        for case (let column, let value?) in copy.columns where names.contains(value) && column != value {
            newNames[value] = column
        }
        // If two columns have the values of one, the column of the same name keeps its position.
        for name in copy.columns.keys where copy.columns[name] == name { newNames[name] = nil }
        let kept = ["id$", "source$", "target$"].filter(copy.columns.keys.contains)
        if kept.contains(where: { copy.columns[$0] != $0 }) { isLost = true }
        catalogue.renameColumns(of: newName, newNames)
    }
}
