import Ashlar
import AshlarSQLite

/// Whether the tables of the history fit together.
struct StoredHistoryCheck: StoreCheckStep {
    let subject = "the history"

    func run(_ store: CheckedStore) throws {
        let tables = [
            "ashlar$change", "ashlar$tombstone", "ashlar$transaction", "ashlar$historyEntity", "ashlar$historyState",
        ]
        let found = tables.filter(store.usableTables.contains)
        if found.isEmpty { return }
        let purge = "Delete the history: the objects are not touched by it."
        if found.count < tables.count {
            store.add(
                StoreFinding(
                    kind: .wrongHistory, text: "Of the history's tables some are missing.",
                    remedy: "Turn the history off and on again."))
            return
        }
        func find(_ kind: StoreFinding.Kind, _ text: String, _ table: String, _ sql: String) throws(SQLiteError) {
            try store.find(StoreFinding(kind: kind, text: text, remedy: purge, table: table), sql)
        }
        try find(
            .unknownHistoryEntity, "A change refers to an entity that the history does not list.", "ashlar$change",
            """
            SELECT "number" FROM "ashlar$change" AS c WHERE "kind" <> 3
                AND NOT EXISTS (SELECT 1 FROM "ashlar$historyEntity" AS e WHERE e."number" = c."entity")
            """)
        try find(
            .wrongHistory, "A change has an unknown kind.", "ashlar$change",
            "SELECT \"number\" FROM \"ashlar$change\" WHERE \"kind\" NOT BETWEEN 0 AND 3")
        try find(
            .wrongHistory, "A value of a deleted object belongs to no deletion.", "ashlar$tombstone",
            """
            SELECT "change" FROM "ashlar$tombstone" AS t
            WHERE NOT EXISTS (SELECT 1 FROM "ashlar$change" AS c WHERE c."number" = t."change" AND c."kind" = 2)
            """)
        try find(
            .wrongHistory, "A transaction ends before it begins, or begins within the one before.",
            "ashlar$transaction",
            """
            SELECT "last" FROM (
                SELECT "last", "first", lag("last") OVER (ORDER BY "last") AS "before" FROM "ashlar$transaction")
            WHERE "first" > "last" OR "first" <= "before"
            """)
        try find(
            .wrongHistory, "A transaction refers to changes that were never made.", "ashlar$transaction",
            "SELECT \"last\" FROM \"ashlar$transaction\" WHERE \"last\" > (SELECT coalesce(max(\"number\"), 0) FROM \"ashlar$change\")"
        )
        if try store.connection.integer("SELECT count(*) FROM \"ashlar$historyState\"") != 1 {
            store.add(
                StoreFinding(
                    kind: .wrongHistory, text: "The history does not say once whether it is on.",
                    remedy: "Turn the history off and on again.", table: "ashlar$historyState"))
        }
        guard store.metadata.schemaHash == store.model.schemaHash else { return }
        if try HistoryCheck(store.model.description, store.connection).isOutdated() {
            store.add(
                StoreFinding(
                    kind: .outdatedHistoryTriggers,
                    text: "The triggers that record changes are not those of the model.",
                    remedy: "They are made anew. Changes since they were lost are not in the history.",
                    mending: .makeHistoryTriggers))
        }
    }
}
