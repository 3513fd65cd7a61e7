import BenchmarkHarness
import Foundation
import GRDB

/// GRDB's writes with records, each under the clock in one transaction.
extension GRDBReader {
    func insertPairs(_ round: Round, _ body: ((Int64, Int64) throws -> Void) throws -> Void) throws {
        try round.measure {
            try queue.write { database in
                try body { try GRDBPair(source: $0, target: $1).insert(database) }
                try Self.countUp(["Post", "Tag"], database)
            }
        }
    }

    func insertOrderedPairs(_ round: Round, _ body: ((Int64, Int64, Int64) throws -> Void) throws -> Void) throws {
        try round.measure {
            try queue.write { database in
                try body { try GRDBOrderedPair(source: $0, target: $1, order: $2).insert(database) }
                try Self.countUp(["Playlist", "Track"], database)
            }
        }
    }

    /// All rows of the tables are an end of a new pair.
    private static func countUp(_ tables: [String], _ database: Database) throws {
        for table in tables {
            try database.execute(sql: "UPDATE \"\(table)\" SET \"version$\" = \"version$\" + 1")
        }
    }

    func deleteAuthor(_ round: Round, _ rowID: Int64) throws {
        _ = try round.measure { try queue.write { try GRDBAuthor.deleteOne($0, key: rowID) } }
    }
}

/// A pair of an ordered relationship.
struct GRDBOrderedPair: PersistableRecord, Sendable {
    static let databaseTableName = "Playlist$tracks"

    var source: Int64
    var target: Int64
    var order: Int64

    func encode(to container: inout PersistenceContainer) {
        container["source$"] = source
        container["target$"] = target
        container["target$order"] = order
    }
}
