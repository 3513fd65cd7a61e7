import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// The bytes on the heap for each post: as a struct of the Swift loop, as Ashlar's values, and as an object that is
/// registered and has no changes.
///
///     AshlarBenchmarks objects [ROWS]
struct ObjectMemory {
    static func run(_ arguments: [String]) throws {
        let rows = try Options(["--rows", arguments.first ?? "100000"], AshlarBenchmarks.table.form).rows
        let stores = try Stores(rows: rows, withRTree: false)
        let connection = try HandWrittenConnection(stores.full)
        let statement = try connection.prepare(PostSQL.select)
        let container = try stores.container(at: stores.full)
        // Fills SQLite's caches.
        _ = try HandWrittenLoops.fetchValues(statement)
        _ = try ModelContext(container).fetchValues(Post.all)
        let structs = try bytes(rows) { try HandWrittenLoops.fetchValues(statement) }
        let values = try bytes(rows) { try ModelContext(container).fetchValues(Post.all) }
        let context = ModelContext(container)
        let objects = try bytes(rows) { try context.fetch(Post.all) }
        print(
            "bytes for each of \(rows) posts: struct by hand \(structs), values \(values), objects \(objects), "
                + String(format: "%.2f times the values", Double(objects) / Double(values)))
    }

    private static func bytes<Result>(_ rows: Int, _ make: () throws -> [Result]) throws -> Int {
        let before = CLoopsHeapBytes()
        let result = try make()
        return try withExtendedLifetime(result) {
            guard before > 0 else { throw LoopError(description: "this C library does not report allocated bytes") }
            return (CLoopsHeapBytes() - before) / max(result.count, 1)
        }
    }
}
