import Ashlar
import BenchmarkHarness
import Foundation
import GRDB

/// The newest twenty messages after each of ten keystrokes, by the beginnings of words or by parts of the text.
struct TypeInSearchField<Kind: SearchKind>: Workload {
    static var name: String { Kind.name }
    static var unit: String { "10 keystrokes" }

    /// `h`, `ha` and so on to `harbour li`.
    private let keystrokes = "harbour li".indices.map { String("harbour li"[...$0]) }
    private let statement: HandWrittenStatement
    private let container: ModelContainer
    private let pool: DatabasePool

    init(_ stores: ApplicationStores) throws {
        let store = try stores.folder.copy(of: stores.messages())
        statement = try HandWrittenConnection(store).prepare(Kind.sql)
        container = try stores.container(store)
        pool = try DatabasePool.open(store)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        switch contestant {
        case .swiftLoop:
            var found: [[PlainMessage]] = []
            try round.measure {
                found = try keystrokes.map { typed in
                    var messages: [PlainMessage] = []
                    try statement.each {
                        $0.bind(Kind.pattern(typed), 1)
                    } _: {
                        messages.append(PlainMessage($0))
                    }
                    return messages
                }
            }
            round.verify(checksum(found.map { $0.map(\.text) }))
        case .grdbRecord:
            var found: [[GRDBMessage]] = []
            try round.measure {
                found = try keystrokes.map { typed in try pool.read { try Kind.messages($0, typed) } }
            }
            round.verify(checksum(found.map { $0.map(\.text) }))
        default:
            var found: [[Message]] = []
            try round.measure {
                let context = ModelContext(container)
                found = try keystrokes.map { typed in
                    try context.fetch(Kind.descriptor(typed).order { $0.date.descending }.limit(20))
                }
            }
            round.verify(checksum(found.map { $0.map(\.text) }))
        }
    }

    private func checksum(_ lists: [[String]]) -> Checksum {
        var checksum = Checksum()
        for list in lists { checksum.add(list) }
        return checksum
    }
}

protocol SearchKind: SendableMetatype {
    static var name: String { get }
    static var sql: String { get }
    /// The parameter of the statement for a text that is typed.
    static func pattern(_ typed: String) -> String
    static func descriptor(_ typed: String) -> FetchDescriptor<Message>
    static func messages(_ database: Database, _ typed: String) throws -> [GRDBMessage]
}

typealias TypeWords = TypeInSearchField<Words>
typealias TypeParts = TypeInSearchField<Parts>

enum Words: SearchKind {
    static let name = "type words"
    static let sql = #"""
        SELECT \#(PlainMessage.columns)
        FROM "fulltext$Message$search" AS f JOIN "Message" AS m ON m."id$" = f."rowid"
        WHERE "fulltext$Message$search" MATCH ?1 ORDER BY m."date" DESC LIMIT 20
        """#

    static func pattern(_ typed: String) -> String {
        typed.split(separator: " ").map { "\"\($0)\"" }.joined(separator: " ") + "*"
    }

    static func descriptor(_ typed: String) -> FetchDescriptor<Message> {
        let query = FullTextQuery.prefix(typed)
        return Message.where { $0.search.matches(query) }
    }

    static func messages(_ database: Database, _ typed: String) throws -> [GRDBMessage] {
        guard let pattern = FTS5Pattern(matchingAllPrefixesIn: typed) else { return [] }
        return try database.messages(matching: pattern)
    }
}

enum Parts: SearchKind {
    static let name = "type parts of texts"
    static let sql = #"""
        SELECT \#(PlainMessage.columns) FROM "Message" AS m
        WHERE m."text" LIKE '%' || ?1 || '%' ORDER BY m."date" DESC LIMIT 20
        """#

    static func pattern(_ typed: String) -> String { typed }

    static func descriptor(_ typed: String) -> FetchDescriptor<Message> {
        Message.where { $0.text.localizedStandardContains(typed) }
    }

    static func messages(_ database: Database, _ typed: String) throws -> [GRDBMessage] {
        try database.messages(containing: typed)
    }
}
