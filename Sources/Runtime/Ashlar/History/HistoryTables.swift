/// The tables in which a store keeps its history. Their names begin with `ashlar$`, which excludes them from the
/// comparison with the model's schema.
///
/// A transaction owns the changes from its `first` to its `last` number. So a change needs no transaction number, and
/// the trigger that records it no information about the transaction.
package enum HistoryTables {
    /// The version of the layout.
    static let format: Int64 = 1

    package static let definitions = [
        """
        CREATE TABLE IF NOT EXISTS "ashlar$change" (
            "number" INTEGER PRIMARY KEY,
            "entity" INTEGER NOT NULL,
            "row" INTEGER NOT NULL,
            "kind" INTEGER NOT NULL,
            "detail" INTEGER
        ) STRICT
        """,
        """
        CREATE TABLE IF NOT EXISTS "ashlar$tombstone" (
            "change" INTEGER NOT NULL,
            "position" INTEGER NOT NULL,
            "value" ANY,
            PRIMARY KEY ("change", "position")
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS "ashlar$transaction" (
            "last" INTEGER PRIMARY KEY,
            "first" INTEGER NOT NULL,
            "timestamp" REAL NOT NULL,
            "author" TEXT,
            "context" TEXT,
            "bundle" TEXT,
            "process" TEXT
        ) STRICT
        """,
        """
        CREATE INDEX IF NOT EXISTS "ashlar$transaction$timestamp" ON "ashlar$transaction" ("timestamp")
        """,
        """
        CREATE TABLE IF NOT EXISTS "ashlar$historyEntity" (
            "number" INTEGER PRIMARY KEY,
            "table" TEXT NOT NULL,
            "entity" TEXT,
            "group" INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE IF NOT EXISTS "ashlar$historyColumn" (
            "table" TEXT NOT NULL,
            "position" INTEGER NOT NULL,
            "name" TEXT NOT NULL,
            PRIMARY KEY ("table", "position")
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS "ashlar$historyState" (
            "isTracked" INTEGER NOT NULL,
            "pausedEntity" INTEGER NOT NULL,
            "purged" INTEGER NOT NULL
        ) STRICT
        """,
        """
        INSERT INTO "ashlar$historyState" ("isTracked", "pausedEntity", "purged")
        SELECT 0, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM "ashlar$historyState")
        """,
    ]

    /// The prefix of the names of the triggers.
    static let triggerPrefix = "ashlar$history$"
}

/// The values of `kind` in a change.
package enum RecordedKind: Int64 {
    /// A row, or the rows from `row` to `detail` if `detail` is set; in a join table, a pair of `row` and `detail`.
    case insertion = 0
    /// A row, with the bits of its changed columns in `detail`; in a join table, the order of a pair.
    case update = 1
    /// A row; in a join table, a pair of `row` and `detail`.
    case deletion = 2

    /// The value of `kind` in a row that only reserves a number and represents no change.
    package static let none: Int64 = 3
}
