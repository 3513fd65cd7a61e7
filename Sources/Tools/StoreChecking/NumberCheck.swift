import Ashlar
import AshlarSQLite
import RelationalSchema

/// Whether rows have numbers that they may have, and new ones get others.
struct NumberCheck: StoreCheckStep {
    let subject = "the numbers of rows"

    func run(_ store: CheckedStore) throws {
        let identifier = SQLText.identifier(ColumnName.identifier)
        for table in store.schema.tables {
            guard case .objects = table.content, store.usableTables.contains(table.name) else { continue }
            let name = SQLText.identifier(table.name)
            try store.find(
                StoreFinding(
                    kind: .wrongRowNumber, text: "A row has a number below 1, which no object can have.",
                    remedy: "Change the number, and all references to it.", table: table.name),
                "SELECT \(identifier) FROM \(name) WHERE \(identifier) < 1")
            try store.find(
                StoreFinding(
                    kind: .wrongRowNumber, text: "A row has a version below 1.", remedy: "Set version$ to 1.",
                    table: table.name),
                "SELECT \(identifier) FROM \(name) WHERE \(SQLText.identifier(ColumnName.version)) IS NULL OR "
                    + "typeof(\(SQLText.identifier(ColumnName.version))) <> 'integer' OR \(SQLText.identifier(ColumnName.version)) < 1"
            )
            let used = try store.connection.integer(
                "SELECT max(\"seq\") FROM \"sqlite_sequence\" WHERE \"name\" = ?1", [.text(table.name)])
            let greatest = try store.connection.integer("SELECT max(\(identifier)) FROM \(name)")
            // A replica's own numbers may be below those of its primary.
            if let greatest, used ?? 0 < greatest, !store.metadata.hasIdentifierRange {
                store.add(
                    StoreFinding(
                        kind: .usedRowNumber,
                        text: "The next row would get the number \((used ?? 0) + 1), and \(greatest) is in use.",
                        remedy: "The greatest number is noted.", table: table.name,
                        mending: .noteRowNumbers(table: table.name)))
            }
        }
        if try store.connection.integer("PRAGMA main.application_id") != 0x4173_686C {
            store.add(
                StoreFinding(
                    kind: .wrongMetadata, text: "The file's header does not say that it is a store of Ashlar's.",
                    remedy: "PRAGMA application_id = 1098082412 says so."))
        }
    }
}
