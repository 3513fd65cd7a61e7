public import SystemFoundation

/// The progress of the migration of a store.
///
///     let container = try ModelContainer(for: PhotoFeedModel.self, configurations: configuration) { progress in
///         print(progress.url.lastPathComponent, progress.phase, progress.fractionCompleted)
///     }
///
/// Core Data's counterpart is `migrationProgress` of `NSMigrationManager`.
public struct MigrationProgress: Sendable, Hashable {
    /// The phase of a migration.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Phase: Sendable, Hashable {
        /// Another process writes or migrates the store.
        case waiting
        /// The copy of ``MigrationOptions/backup`` is made.
        case backingUp
        /// The rows of a store of Core Data are copied into a store of the same version.
        case importing(version: String)
        /// The statements from one version to the next are executed.
        case migrating(from: String, to: String)
        /// Indexes, triggers and tables are compared with the model, and updated.
        case updatingSchema
        /// References are checked.
        case checking
    }

    /// The store's file. A container migrates several stores one after the other.
    public package(set) var url: URL
    /// The current phase.
    public package(set) var phase: Phase
    /// The number of executed statements.
    public package(set) var completedStatements = 0
    /// The number of statements of all versions together.
    public package(set) var totalStatements = 0
    /// The number of rows that were read or written, estimated while a statement runs.
    public package(set) var completedRows = 0
    /// The estimated number of rows that all statements read or write.
    ///
    /// The estimate uses the highest numbers in the tables. A row counts once for each statement.
    public package(set) var estimatedRows = 0

    /// The completed fraction, from 0 to 1. A statement counts as much as a hundred rows.
    public var fractionCompleted: Double {
        let total = 100 * totalStatements + estimatedRows
        return total == 0 ? 0 : min(1, Double(100 * completedStatements + completedRows) / Double(total))
    }
}
