import AshlarSQLite
import SystemFoundation

/// Copies a store as it is at one moment, with its large values, while others may write it.
struct StoreCopier {
    /// The purpose of the copy.
    enum Purpose {
        /// The copy stands beside the source. No file may be in its place, and it has all large values.
        case backup
        /// The copy replaces another store, and has all large values.
        case replacement
        /// The copy replaces another store, even if the source lacks large values.
        case incompleteReplacement
        /// The source is removed afterwards.
        case move

        var isReplacement: Bool { self == .replacement || self == .incompleteReplacement }
        /// Whether missing large values are an error. Otherwise they are a warning.
        var needsLargeValues: Bool { self == .backup || self == .replacement }
    }

    /// The number of pages that a step copies. The task can be cancelled between steps.
    static let pagesPerStep: Int32 = 256

    private let source: StoreFile
    private let target: StoreFile
    private let purpose: Purpose
    /// The name of the source on the connection.
    private let schemaName: String

    init(source: StoreFile, target: StoreFile, _ purpose: Purpose, schemaName: String = "main") {
        (self.source, self.purpose, self.schemaName) = (source, purpose, schemaName)
        // A link stays. The file that it leads to is replaced, because large values are beside that file.
        self.target = target.resolved
    }

    /// Copies into a file beside the target and gives it the target's name when it is whole, so that the target is never
    /// a part of a store. Throws `CancellationError` when the task was cancelled.
    func copy(_ connection: Connection, _ progress: ((StoreProgress) -> Void)?) throws {
        UnfinishedCopy.removeAll(besideStoreAt: target.path)
        let copy = try UnfinishedCopy(of: target)
        let folder = ExternalDataFolder(of: connection.database, schemaName: schemaName)
        let files = ExternalDataCopier(
            from: folder ?? ExternalDataFolder(storePath: source.path),
            to: ExternalDataFolder(storePath: target.path), isMoving: purpose == .move, identifier: copy.identifier)
        var problems: [String] = []
        do {
            // Because of the transaction, all pages show one state, even if others write meanwhile. Until it ends, no
            // process deletes a file that a row of that state refers to.
            try reading(connection) {
                var references: Set<TaggedBlob.Reference> = []
                if let pages = copy.connection {
                    try copyPages(connection, to: pages, progress)
                    if folder != nil {
                        try pages.forEachExternalReference(in: "main") { references.insert($0.reference) }
                    }
                }
                problems = try files.copy(references)
                if purpose.needsLargeValues, !problems.isEmpty {
                    throw StoreError.incompleteExternalData(source.url, problems: problems)
                }
            }
            if !purpose.isReplacement, FileManager.default.fileExists(atPath: target.url.path) {
                throw StoreError.fileExists(target.url)
            }
            try removeCompanions()
            try copy.finish(as: target)
        } catch {
            // Nothing uses the copy. The original error matters more than one from removing it.
            files.undo()
            copy.remove()
            throw error
        }
        try FileSystem.synchronize(target.url.deletingLastPathComponent())
        files.finish()
        if problems.isEmpty { return }
        // The rows are worth having without these values.
        RuntimeWarning.report(
            "The store \(target.path) lacks large values, because \(source.path) lacks them: "
                + "\(StoreError.listed(problems)). integrityProblems() names their rows.")
    }

    /// Removes the files beside the target, which SQLite would treat as the copy's.
    ///
    /// A readable store has none by now: the caller that replaces it has already copied its log into its file.
    private func removeCompanions() throws {
        let found = target.companions.filter { FileSystem.exists($0.path) }
        if found.isEmpty { return }
        for url in found { try FileSystem.remove(url) }
        try FileSystem.synchronize(target.url.deletingLastPathComponent())
    }

    private func reading(_ source: Connection, _ body: () throws -> Void) throws {
        let hasTransaction = !source.isInAutocommit
        if !hasTransaction { try source.execute("BEGIN") }
        defer { if !hasTransaction { try? source.execute("COMMIT") } }
        try source.beginReading(schemaName)
        try body()
    }

    private func copyPages(
        _ source: Connection, to copy: Connection, _ progress: ((StoreProgress) -> Void)?
    ) throws {
        // A copy that is already cancelled does not begin.
        try Task.checkCancellation()
        let isWhole = try source.copy(schemaName, to: copy, pages: Self.pagesPerStep) { remaining, total in
            progress?(StoreProgress(completedPages: total - remaining, totalPages: total))
            return !Task.isCancelled && !source.ending.hasBegun
        }
        if !isWhole {
            if source.ending.hasBegun { throw StoreError.suspended(self.source.url) }
            throw CancellationError()
        }
        // The pages require a log, but no file may be beside the copy.
        _ = try copy.rows("PRAGMA journal_mode = OFF")
        // SQLite counts the copy as a change of the schema.
        if var metadata = try StoreMetadata(copy), metadata.schemaVersion != nil {
            try copy.transaction { try metadata.writeSchemaVersion(to: copy) }
        }
    }
}

/// The progress of a copy of a store.
///
///     try container.backUp(to: url) { progress in print(progress.fractionCompleted) }
public struct StoreProgress: Sendable, Hashable {
    /// The number of copied pages.
    public var completedPages: Int
    /// The number of pages that the copy will have.
    public var totalPages: Int

    /// The completed fraction, from 0 to 1.
    public var fractionCompleted: Double { totalPages == 0 ? 1 : Double(completedPages) / Double(totalPages) }
}
