public import SystemFoundation

/// How far the migration of a store is. Core Data's `migrationProgress` of `NSMigrationManager`, with what it is about.
public struct MigrationProgress: Sendable, Hashable {
    /// What is being done.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Phase: Sendable, Hashable {
        /// Another process writes, or migrates.
        case waiting
        /// The copy is made that ``MigrationOptions/backup`` asks for.
        case backingUp
        /// The rows of a store that Core Data wrote are copied into a store of the version that it is of.
        case importing(version: String)
        /// The statements from one version to the next are run.
        case migrating(from: String, to: String)
        /// Indexes, triggers and tables are compared with what the model wants, and mended.
        case updatingSchema
        /// References are looked for that lead nowhere.
        case checking
    }

    /// The store's file. A container migrates several stores one after the other.
    public internal(set) var url: URL
    /// What is being done.
    public internal(set) var phase: Phase
    /// The number of statements that are done.
    public internal(set) var completedStatements = 0
    /// The number of statements of all versions together.
    public internal(set) var totalStatements = 0
    /// The number of rows that were read or written, by an estimate while a statement runs.
    public internal(set) var completedRows = 0
    /// The number of rows that all statements together are estimated to read or write, from the highest numbers in
    /// their tables. A row counts for each statement.
    public internal(set) var estimatedRows = 0

    /// The part that is done, from 0 to 1: a statement counts as much as a hundred rows.
    public var fractionCompleted: Double {
        let total = 100 * totalStatements + estimatedRows
        return total == 0 ? 0 : min(1, Double(100 * completedStatements + completedRows) / Double(total))
    }
}
