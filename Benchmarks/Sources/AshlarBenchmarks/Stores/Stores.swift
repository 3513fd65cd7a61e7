import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// The stores of a run, in a folder of their own: one with authors alone, one with all posts, and copies of them.
///
/// Ashlar's own container makes them, so that all work on the same schema with the same indexes and triggers.
final class Stores {
    let sample: SampleData
    let empty: URL
    let full: URL
    private let folder: StoreFolder
    private let withRTree: Bool

    init(
        rows: Int, withRTree: Bool, isInMemory: Bool = false,
        folder parent: URL = FileManager.default.temporaryDirectory
    ) throws {
        sample = SampleData(rows: rows)
        self.withRTree = withRTree
        folder = try StoreFolder("AshlarBenchmarks", in: parent, isInMemory: isInMemory)
        empty = folder.url.appending(path: "empty.store")
        full = folder.url.appending(path: "full.store")
        try folder.keep(empty)
        try makeEmptyStore()
        try folder.copy(empty, to: full)
        try fill()
    }

    /// Opens a store with Ashlar; without the R-trees in a run that is without them.
    func container(at store: URL, historyTracking: Bool? = nil) throws -> ModelContainer {
        let options = StoreOptions(historyTracking: historyTracking)
        let container = try ModelContainer(
            for: PhotoFeedModel.self, configurations: ModelConfiguration(url: store, options: options))
        if !withRTree { try dropRTrees(HandWrittenConnection(store)) }
        return container
    }

    /// A store of its own for one round of one contestant.
    func copy(of store: URL) throws -> URL { try folder.copy(of: store) }

    /// The path for another store.
    func newFile() -> URL { folder.newFile() }

    func remove(_ copy: URL) { folder.remove(copy) }

    /// The checksum of a store's posts.
    static func checksum(of store: URL) throws -> UInt64 {
        try withExtendedLifetime(HandWrittenConnection(store)) { CLoopsStoreChecksum($0.database) }
    }

    private func makeEmptyStore() throws {
        do {
            let context = ModelContext(try container(at: empty))
            for number in 1...SampleData.authorCount { context.insert(Author(name: "Author \(number)")) }
            try context.save()
        }
        let connection = try HandWrittenConnection(empty)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func dropRTrees(_ connection: HandWrittenConnection) throws {
        for (type, condition) in [("trigger", "name LIKE 'rtree$%'"), ("table", "sql LIKE '%USING rtree%'")] {
            let query = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = '\(type)' AND \(condition)")
            var names: [String] = []
            withExtendedLifetime(query) {
                while sqlite3_step(query.handle) == SQLITE_ROW {
                    names.append(String(cString: sqlite3_column_text(query.handle, 0)))
                }
                sqlite3_reset(query.handle)
            }
            for name in names { try connection.execute("DROP \(type) \"\(name)\"") }
        }
        // Ashlar would find the schema changed, and put the R-trees back with each opening.
        try connection.execute(
            "UPDATE \"ashlar$metadata\" SET value = (SELECT schema_version FROM pragma_schema_version) "
                + "WHERE key = 'schemaVersion'")
    }

    private func fill() throws {
        let connection = try HandWrittenConnection(full)
        // The posts come in no order of their indexes, whose pages must not be read again for each.
        try connection.execute("PRAGMA cache_size = -4000000")
        try connection.execute("BEGIN")
        try HandWrittenLoops.insert(sample.generatedPosts(), try connection.prepare(PostSQL.insert))
        try connection.execute("COMMIT")
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
