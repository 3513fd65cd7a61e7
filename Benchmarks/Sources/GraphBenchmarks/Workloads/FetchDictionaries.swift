import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// Reads the ten attributes of all posts as dictionaries.
struct FetchDictionaries: Workload {
    static let name = "fetch dictionaries"
    static let unit = "all rows"
    static let contestants: [Contestant] = [.swiftLoop, .ashlar, .grdbRecord]

    private static let names = [
        "category", "favorite", "latitude", "likes", "longitude", "rating", "summary", "text", "timestamp", "title",
    ]
    private let readers: Readers
    private let statement: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        statement = try readers.connection.prepare(#"SELECT \#(PostValues.columns) FROM "Post""#)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .grdbRecord {
            return try round.read {
                try readers.queue.dictionaries()
            } _: { rows in
                Checksum(rows) { digest, row in
                    digest.add(GRDBReader.text(row, "title"))
                    digest.add(GRDBReader.number(row, "likes") ?? 0)
                    digest.add(GRDBReader.text(row, "summary"))
                }
            }
        }
        try round.read { () -> [[String: Any]] in
            guard contestant == .swiftLoop else {
                return try ModelContext(readers.container).fetchDictionaries(
                    Post.all, properties: Self.names.map { .property($0) })
            }
            var rows: [[String: Any]] = []
            try statement.each { row in
                var values = [String: Any](minimumCapacity: 10)
                values["category"] = row.text(0)
                values["favorite"] = row.integer(1) != 0
                values["latitude"] = row.double(2)
                values["likes"] = row.integer(3)
                values["longitude"] = row.double(4)
                values["rating"] = row.integer(5)
                if let summary = row.optionalText(6) { values["summary"] = summary }
                values["text"] = row.text(7)
                values["timestamp"] = row.date(8)
                values["title"] = row.text(9)
                rows.append(values)
            }
            return rows
        } _: { rows in
            Checksum(rows) { digest, row in
                digest.add(row["title"] as? String)
                digest.add(row["likes"] as? Int64 ?? 0)
                digest.add(row["summary"] as? String)
            }
        }
    }
}
