import Ashlar
import BenchmarkHarness
import CLoops

/// Ten searches for two words in the full-text index, the twenty best hits of each as objects.
struct SearchText: Workload {
    static let name = "search texts"
    static let unit = "10 searches"

    private static let searches = [
        "harbour bridge", "market stone", "forest river", "castle garden", "station island", "tower harbour",
        "bridge market", "river castle", "garden station", "island tower",
    ]
    private let readers: Readers
    private let statement: HandWrittenStatement

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.notes(), stores)
        statement = try readers.connection.prepare(
            #"""
            SELECT n."id$", n."version$", n."text", n."title"
            FROM "fulltext$Note$search" AS f JOIN "Note" AS n ON n."id$" = f."rowid"
            WHERE "fulltext$Note$search" MATCH ?1 ORDER BY f."rank", n."id$" LIMIT 20
            """#)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .swiftLoop {
            try round.read {
                var hits: [LoopMember] = []
                for search in Self.searches {
                    try statement.each {
                        $0.bind(search, 1)
                    } _: {
                        hits.append(LoopMember(id: $0.integer(0), title: $0.text(2) + $0.text(3), key: $0.integer(1)))
                    }
                }
                return hits
            } _: {
                Checksum($0) { $0.add($1.id) }
            }
        } else {
            try round.read {
                let context = ModelContext(readers.container)
                var hits: [Note] = []
                for search in Self.searches {
                    let query = FullTextQuery(search)
                    hits += try context.fetch(
                        Note.where { $0.search.matches(query) }.order { $0.search.rank(of: query).ascending }.limit(20))
                }
                return hits
            } _: {
                Checksum($0) { $0.add($1.persistentModelID.rowID) }
            }
        }
    }
}
