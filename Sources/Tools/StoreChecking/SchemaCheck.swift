import Ashlar
import AshlarSQLite
import RelationalSchema

/// Whether tables, indexes, triggers and virtual tables are those of the version.
struct SchemaCheck: StoreCheckStep {
    let subject = "the schema"

    func run(_ store: CheckedStore) throws {
        let differences = try store.connection.differences(from: store.statements)
        let tables = try store.connection.schema().objects(.table).map(\.name)
        store.usableTables = Set(tables)
        store.usableVirtualTables = Set(tables)
        for difference in differences {
            switch difference.kind {
            case .altered:
                store.add(
                    StoreFinding(
                        kind: .alteredTable, text: difference.text,
                        remedy: "Restore a backup, or change the table back."))
            case .otherRules where isOutdated(store), .missing where isOutdated(store), .other where isOutdated(store),
                .left where isOutdated(store):
                store.note("Opening the store makes its indexes and triggers those of the model, which are newer.")
            case .otherRules:
                store.add(
                    StoreFinding(
                        kind: .otherTableRules, text: difference.text,
                        remedy: "Opening the store with the program repairs it.", table: difference.table))
            case .missing: add(difference, .missingObject, store)
            case .other: add(difference, .otherObject, store)
            case .left: add(difference, .leftObject, store)
            }
            if difference.kind != .otherRules, let object = difference.object {
                store.usableVirtualTables.remove(object)
                store.usableIndexes.remove(object)
            }
        }
        try removeAltered(store)
    }

    /// Returns whether indexes and triggers of the store are those of an earlier release of the same version.
    private func isOutdated(_ store: CheckedStore) -> Bool { store.metadata.schemaHash != store.model.schemaHash }

    private func add(_ difference: SchemaDifference, _ kind: StoreFinding.Kind, _ store: CheckedStore) {
        store.add(
            StoreFinding(
                kind: kind, text: difference.text, remedy: "It is made as the model has it.", table: difference.table,
                mending: .makeObjects))
    }

    /// Removes tables that lack a column, which are not checked.
    private func removeAltered(_ store: CheckedStore) throws {
        let schema = try store.connection.schema()
        for table in store.schema.tables where store.usableTables.contains(table.name) {
            let found = try schema.columns(of: table.name).map(\.name)
            if !Set(table.columns.map(\.name)).isSubset(of: found) { store.usableTables.remove(table.name) }
        }
    }
}
