import Ashlar
import BenchmarkHarness
import Foundation
import GRDB

/// Deletes the conversation that has half of all messages, until two lists on the main thread show it.
struct DeleteLongConversation<Way: DeletionWay>: Workload {
    static var name: String { Way.name }
    static var unit: String { "half of all rows" }
    static var usesMainThread: Bool { true }
    private static var proofs: [String] {
        [
            #"SELECT "identifier", "conversation", "sender" FROM "Message" ORDER BY "id$""#,
            #"SELECT "identifier" FROM "Conversation" ORDER BY "id$""#,
            #"SELECT count(*) FROM "fulltext$Message$search" WHERE "fulltext$Message$search" MATCH 'saw'"#,
        ]
    }

    private let stores: ApplicationStores
    private let template: URL
    /// The date of the newest conversation that stays.
    private let next: Double

    init(_ stores: ApplicationStores) throws {
        self.stores = stores
        template = try stores.messages()
        var next = 0.0
        let statement = try HandWrittenConnection(template).prepare(
            #"SELECT max("lastDate") FROM "Conversation" WHERE "identifier" <> ?1"#)
        try statement.each {
            $0.bind(ApplicationStores.opened, 1)
        } _: {
            next = $0.double(0)
        }
        self.next = next
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try stores.withCopy(of: template, round, Self.proofs) { url in
            let arrival = Arrival()
            // The list of the conversation's messages is empty afterwards.
            func expect() { arrival.expect([next, 0]) }
            switch contestant {
            case .swiftLoop:
                let writer = try PlainWriter(url)
                let delete = try writer.connection.prepare(#"DELETE FROM "Conversation" WHERE "id$" = ?1"#)
                let lists = try PlainLists(HandWrittenConnection(url))
                expect()
                try round.measure {
                    let conversation = try writer.conversation(ApplicationStores.opened) ?? 0
                    try writer.connection.transaction { try delete.run { $0.bind(conversation, 1) } }
                    try onMain { try lists.readMain(arrival) }
                    try arrival.wait()
                }
            case .grdbRecord:
                let pool = try DatabasePool.open(url)
                let lists = try onMain { try GRDBLists(pool, arrival) }
                expect()
                try round.measure {
                    _ = try pool.write { database in
                        try GRDBConversation.deleteOne(
                            database, key: database.conversation(ApplicationStores.opened) ?? 0)
                    }
                    try arrival.wait()
                }
                try onMain { lists.close() }
            default:
                let container = try stores.container(url)
                let lists = try onMain { try AshlarLists(container, arrival) }
                expect()
                try round.measure {
                    try Way.delete(ApplicationStores.opened, ModelContext(container))
                    try arrival.wait()
                }
                try onMain { lists.close() }
            }
        }
    }
}

/// A way to delete a conversation with Ashlar.
protocol DeletionWay: SendableMetatype {
    static var name: String { get }
    static func delete(_ identifier: String, _ context: ModelContext) throws
}

typealias DeleteConversation = DeleteLongConversation<ObjectDeletion>
typealias DeleteConversationAsBatch = DeleteLongConversation<BatchDeletion>

enum ObjectDeletion: DeletionWay {
    static let name = "delete a conversation"

    static func delete(_ identifier: String, _ context: ModelContext) throws {
        guard let conversation = try context.fetchFirst(Conversation.where { $0.identifier == identifier }) else {
            return
        }
        context.delete(conversation)
        try context.save()
    }
}

enum BatchDeletion: DeletionWay {
    static let name = "delete it as a batch"

    static func delete(_ identifier: String, _ context: ModelContext) throws {
        try context.batchDelete(Conversation.where { $0.identifier == identifier })
    }
}
