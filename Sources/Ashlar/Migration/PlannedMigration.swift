import AshlarSQLite

/// What opening a store would do to bring it up to date; see ``ModelContainer/plannedMigration(ofStoreAt:for:options:)``.
public struct PlannedMigration: Sendable, Hashable {
    /// What leads from one version to the next.
    public struct Step: Sendable, Hashable {
        /// The name of the version that the step begins with.
        public var source: String
        /// The name of the version that it leads to.
        public var destination: String
        /// The statements, in order. A query among them must give no row.
        public var statements: [String]
    }

    /// The version that the store is of.
    public internal(set) var storeVersion: String
    /// The version that the program has.
    public internal(set) var currentVersion: String
    /// The way from one to the other; empty when the store is of the current version.
    public internal(set) var steps: [Step] = []
    /// The tables, indexes, triggers and R-trees of a store of the current version that are dropped, made, or made anew.
    public internal(set) var schemaChanges: [String] = []
    /// The indexes, triggers and views that someone added by hand and that are kept.
    public internal(set) var addedObjects: [String] = []
    /// The number of rows that the statements are estimated to read or write; a row counts for each statement.
    public internal(set) var estimatedRows = 0
    /// How many bytes the migration is estimated to need beside the store, for a while, without those of a backup.
    public internal(set) var neededBytes: Int64 = 0
    /// Whether columns or tables that an earlier migration removed are still to be taken away.
    public internal(set) var hasPendingDeferredMigration = false

    /// Whether the store is of an older version.
    public var isMigration: Bool { !steps.isEmpty }
    /// Whether opening the store would change it.
    public var isNeeded: Bool { isMigration || !schemaChanges.isEmpty }
}

extension StoreMigrator {
    /// What ``bringUpToDate(_:_:)`` would do, or the error that it would throw.
    func plan(_ connection: Connection, _ metadata: StoreMetadata) throws -> PlannedMigration {
        let work = try prepare(connection, metadata)
        var plan = PlannedMigration(
            storeVersion: metadata.versionName, currentVersion: model.currentVersion?.name ?? "")
        if let rehearsal = work.rehearsal {
            let versions = model.versions
            plan.steps = versions.indices.dropFirst(rehearsal.chain.start + 1).map { index in
                PlannedMigration.Step(
                    source: versions[index - 1].name, destination: versions[index].name,
                    statements: rehearsal.chain.steps.filter { $0.version == index }.map(\.statement.sql))
            }
            plan.addedObjects = rehearsal.addedObjects.map(\.name).sorted()
        }
        if let comparison = work.comparison {
            let changes = [comparison.tablesToRebuild, comparison.objectsToDrop, comparison.objectsToCreate]
            plan.schemaChanges = Set(changes.joined()).sorted()
        }
        plan.estimatedRows = work.room.rows.reduce(0, +)
        plan.neededBytes = work.room.storeBytes + work.room.temporaryBytes
        plan.hasPendingDeferredMigration = try !DeferredRemoval.all(connection).isEmpty
        return plan
    }
}
