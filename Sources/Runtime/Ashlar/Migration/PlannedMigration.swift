import AshlarSQLite

/// The steps that opening a store would take to migrate it.
///
///     let planned = try ModelContainer.plannedMigration(ofStoreAt: url, for: PhotoFeedModel.self)
///     if planned.isMigration { print(planned.storeVersion, "to", planned.currentVersion) }
///
/// ``ModelContainer/plannedMigration(ofStoreAt:for:options:)`` returns it.
public struct PlannedMigration: Sendable, Hashable {
    /// The step from one version to the next.
    public struct Step: Sendable, Hashable {
        /// The name of the step's first version.
        public var source: String
        /// The name of the step's second version.
        public var destination: String
        /// The statements in their order. A query among them must return no row.
        public var statements: [String]
    }

    /// The store's version.
    public internal(set) var storeVersion: String
    /// The program's version.
    public internal(set) var currentVersion: String
    /// The steps from the store's version to the program's; empty if they are the same.
    public internal(set) var steps: [Step] = []
    /// The tables, indexes, triggers and R-trees of the current version that are dropped, created or recreated.
    public internal(set) var schemaChanges: [String] = []
    /// The indexes, triggers and views that were added by hand and are kept.
    public internal(set) var addedObjects: [String] = []
    /// The estimated number of rows that the statements read or write. A row counts once for each statement.
    public internal(set) var estimatedRows = 0
    /// The estimated number of bytes that the migration temporarily needs, without those of a backup.
    public internal(set) var neededBytes: Int64 = 0
    /// Whether columns or tables of an earlier deferred migration are still to be removed.
    public internal(set) var hasPendingDeferredMigration = false

    /// Whether the store has an older version.
    public var isMigration: Bool { !steps.isEmpty }
    /// Whether opening the store would change it.
    public var isNeeded: Bool { isMigration || !schemaChanges.isEmpty }
}

extension StoreMigrator {
    /// Returns the work that ``bringUpToDate(_:_:)`` would do, or throws its error.
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
