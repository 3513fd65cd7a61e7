import Ashlar
import CLoops
import Foundation
import Synchronization

/// The cost of a query beside SQLite's own work: making the descriptor and its statement, and the binding of values.
///
/// The store is empty, so that no rows are read. SQLite's own work is binding, running and resetting the same
/// statement. For a new shape, it also includes preparing and finalising it.
struct CostBenchmark {
    let rounds: Int
    /// The number of a query that is run alone and by Ashlar only, so that a profiler sees nothing else; nil measures
    /// all.
    var query: Int?

    private typealias Query = @Sendable (Int) -> FetchDescriptor<Post>

    private static let shapes: [(name: String, query: Query)] = [
        ("one comparison", { number in Post.where { $0.likes > Int64(number) } }),
        (
            "three terms, order, limit",
            { number in
                Post.where { $0.likes > Int64(number) && $0.favorite == true && $0.title == "title" }
                    .order { $0.timestamp.descending }.limit(20)
            }
        ),
        (
            "over a relationship",
            { number in
                Post.where {
                    $0.author.name == "name" && $0.timestamp > Date(timeIntervalSinceReferenceDate: Double(number))
                }
                .order { $0.author.name.ascending }
            }
        ),
        (
            "over many rows",
            { number in Post.where { $0.comments.contains { $0.text == "text" } && $0.comments.count > number } }
        ),
        ("a list", { number in Post.where { $0.likes.isIn([1, 2, 3, Int64(number)]) } }),
        ("a prefix, order", { _ in Post.where { $0.title.hasPrefix("title") }.order { $0.title.ascending } }),
    ]

    func run() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "QueryBenchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "empty.store")
        if let query { return try profile(query, url) }
        print(
            "\n| query, of a shape seen before | built anew µs | kept µs | SQLite µs | on top, built anew | on top, kept |"
        )
        print("| --- | --- | --- | --- | --- | --- |")
        for shape in Self.shapes { try seen(shape.name, shape.query, url) }
        print("\n| queries, of shapes not seen before | Ashlar µs | SQLite µs | on top |\n| --- | --- | --- | --- |")
        try unseen(url)
    }

    /// Runs a query two thousand times, built anew each time; for numbers after the last query, runs queries of new
    /// shapes. Run it with `valgrind --tool=callgrind --collect-atstart=no --toggle-collect=CLoopsMeasured`.
    private func profile(_ number: Int, _ url: URL) throws {
        let context = ModelContext(try ModelContainer(for: PhotoFeedModel.self, at: url))
        guard Self.shapes.indices.contains(number - 1) else {
            _ = try context.fetchValues(Post.all)
            let queries = (0..<400).map(Self.shape)
            return try Measured.run { for query in queries { _ = try context.fetchValues(query()) } }
        }
        let query = Self.shapes[number - 1].query
        for _ in 0..<10 { _ = try context.fetchValues(query(1)) }
        try Measured.run { for _ in 0..<2000 { _ = try context.fetchValues(query(1)) } }
    }

    private func seen(_ name: String, _ query: @escaping Query, _ url: URL) throws {
        let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
        let context = ModelContext(container)
        let sql = try statements { try $0.fetchValues(query(1)).count }(container)
        let connection = try Connection(url)
        let statement = try connection.statement(sql[0])
        let same = query(1)
        var own = Double.infinity
        var kept = Double.infinity
        var raw = Double.infinity
        for _ in 0..<(rounds * 3) {
            own = min(own, try ProcessorTime.milliseconds(runs: 2000) { _ = try context.fetchValues(query(1)) })
            kept = min(kept, try ProcessorTime.milliseconds(runs: 2000) { _ = try context.fetchValues(same) })
            raw = min(raw, ProcessorTime.milliseconds(runs: 2000) { Self.run(statement) })
        }
        report(name, [own, kept, raw, own - raw, kept - raw].map { $0 * 1000 })
    }

    private func unseen(_ url: URL) throws {
        let count = 400
        var own = Double.infinity
        var raw = Double.infinity
        for round in 0..<rounds {
            let container = try ModelContainer(for: PhotoFeedModel.self, at: url)
            let context = ModelContext(container)
            _ = try context.fetchValues(Post.all)
            let queries = (0..<count).map { Self.shape($0 + round * count) }
            own = min(
                own, try ProcessorTime.milliseconds { for query in queries { _ = try context.fetchValues(query()) } })
            let texts = try statements { context in
                for query in queries { _ = try context.fetchValues(query()) }
                return 0
            }(try ModelContainer(for: PhotoFeedModel.self, at: url))
            guard Set(texts).count == count else { throw ConnectionError(description: "shapes that are alike") }
            let connection = try Connection(url)
            _ = try connection.statement(texts[0])
            raw = min(
                raw,
                try ProcessorTime.milliseconds {
                    for text in texts {
                        let statement = try connection.prepare(text)
                        Self.run(statement)
                        sqlite3_finalize(statement)
                    }
                })
        }
        report("\(count) shapes", [own, raw, own - raw].map { $0 * 1000 / Double(count) })
    }

    /// A query of a shape of its own: the number's digits choose its terms.
    private static func shape(_ number: Int) -> () -> FetchDescriptor<Post> {
        {
            var query = Post.where { $0.likes > 1 }
            var digits = number
            while digits > 0 {
                switch digits % 6 {
                case 0: query = query.where { $0.likes < 5 }
                case 1: query = query.where { $0.title == "title" }
                case 2: query = query.where { $0.author.name == "name" }
                case 3: query = query.where { $0.favorite == true }
                case 4: query = query.where { $0.timestamp >= Date(timeIntervalSinceReferenceDate: 0) }
                default: query = query.where { $0.text != "text" }
                }
                digits /= 6
            }
            return query.order { $0.timestamp.descending }
        }
    }

    /// Binds a number to each parameter, and runs a statement without a row.
    private static func run(_ statement: OpaquePointer) {
        for position in 1...max(1, sqlite3_bind_parameter_count(statement)) {
            sqlite3_bind_int64(statement, position, 1)
        }
        while sqlite3_step(statement) == SQLITE_ROW {}
        sqlite3_reset(statement)
    }

    /// The statements that a closure runs.
    private func statements(_ body: @escaping (ModelContext) throws -> Int) -> (ModelContainer) throws -> [String] {
        { container in
            let texts = Texts()
            let context = ModelContext(container)
            context.statementObserver = StatementObserver { event in texts.add(event.sql) }
            _ = try body(context)
            return texts.all
        }
    }

    private func report(_ name: String, _ times: [Double]) {
        print("| \(name) | \(times.map { String(format: "%.2f", $0) }.joined(separator: " | ")) |")
        fflush(nil)
    }
}

/// The texts of the statements that an observer received.
private final class Texts: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}
