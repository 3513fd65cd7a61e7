import AshlarSQLite
import SystemFoundation

/// Copies a store as it is at one moment, with its large values, while others may write it.
struct StoreCopier {
    /// The purpose of the copy.
    enum Purpose {
        /// It is beside the source, where there must be no file, and has all that belongs to it.
        case backup
        /// It takes the place of another store, with all that belongs to it.
        case replacement
        /// It takes the place of another store, even if the source lacks large values.
        case incompleteReplacement
        /// The source goes afterwards.
        case move

        var isReplacement: Bool { self == .replacement || self == .incompleteReplacement }
        /// Whether missing large values are an error. Otherwise they are a warning.
        var needsLargeValues: Bool { self == .backup || self == .replacement }
    }

    /// How many pages a step copies, between which the task can be cancelled.
    static let pagesPerStep: Int32 = 256

    private let source: StoreFile
    private let target: StoreFile
    private let purpose: Purpose
    /// The name by which the connection knows the source.
    private let schemaName: String

    init(source: StoreFile, target: StoreFile, _ purpose: Purpose, schemaName: String = "main") {
        (self.source, self.purpose, self.schemaName) = (source, purpose, schemaName)
        // A link stays, and what it leads to is replaced, as large values are beside that.
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
            // The transaction is what makes all pages those of one moment, whoever writes meanwhile. Nobody deletes a file
            // that a row of that moment refers to before it ends.
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
            // The copy is nobody's; that it cannot be removed is less than what went wrong.
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

    /// Removes what stands beside the target, which SQLite would take for the copy's and write into it.
    ///
    /// A store that can be read has nothing there by now: who replaces it has copied its log into its file.
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
        // What was cancelled before it began is not begun.
        try Task.checkCancellation()
        let isWhole = try source.copy(schemaName, to: copy, pages: Self.pagesPerStep) { remaining, total in
            progress?(StoreProgress(completedPages: total - remaining, totalPages: total))
            return !Task.isCancelled && !source.ending.hasBegun
        }
        if !isWhole {
            if source.ending.hasBegun { throw StoreError.suspended(self.source.url) }
            throw CancellationError()
        }
        // The pages say that there is a log, and there shall be nothing beside the copy.
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
