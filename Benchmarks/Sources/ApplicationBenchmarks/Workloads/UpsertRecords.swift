import Ashlar
import BenchmarkHarness
import Foundation
import GRDB

/// 5,000 records as JSON, with links to their conversations and senders. Half of them are in the store already.
struct UpsertRecords<Way: UpsertWay>: Workload {
    static var name: String { Way.name }
    static var unit: String { "5,000 records" }
    private static var proofs: [String] {
        [
            #"""
            SELECT m."identifier", m."text", m."date", m."isRead", p."handle", c."identifier"
            FROM "Message" m JOIN "Person" p ON p."id$" = m."sender" JOIN "Conversation" c ON c."id$" = m."conversation"
            ORDER BY m."identifier"
            """#, #"SELECT "handle", "name" FROM "Person" ORDER BY "handle""#,
        ]
    }

    private let stores: ApplicationStores
    private let template: URL
    private let data: Data

    init(_ stores: ApplicationStores) throws {
        self.stores = stores
        template = try stores.messages()
        let records = (1...5000).map { number in
            // Every other record is in the store already.
            let identifier = number % 2 == 0 ? number * 7 % stores.rows + 1 : stores.rows + number
            return IncomingMessage(
                conversation: "conversation \(number * 13 % stores.conversationCount + 1)",
                date: ApplicationStores.date(stores.rows + number), identifier: "message \(identifier)",
                isRead: number % 3 == 0, sender: "person \(number * 11 % (stores.personCount + 100) + 1)",
                senderName: "Renamed person", text: "Record \(number) came from the server with the others.")
        }
        data = try JSONEncoder().encode(records)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try stores.withCopy(of: template, round, Self.proofs) { url in
            switch contestant {
            case .swiftLoop:
                let writer = try PlainWriter(url)
                try round.measure { try Self.upsert(decoded(), writer) }
            case .grdbRecord:
                let pool = try DatabasePool.open(url)
                try round.measure {
                    let records = try decoded()
                    try pool.write { try $0.upsert(records) }
                }
            default:
                let container = try stores.container(url)
                try round.measure { try Way.upsert(decoded(), ModelContext(container)) }
            }
        }
    }

    private func decoded() throws -> [IncomingMessage] { try JSONDecoder().decode([IncomingMessage].self, from: data) }

    private static func upsert(_ messages: [IncomingMessage], _ writer: PlainWriter) throws {
        var people: [String: Int64] = [:]
        var conversations: [String: Int64] = [:]
        try writer.connection.transaction {
            for message in messages {
                if people[message.sender] == nil {
                    try writer.upsertPerson(message.sender, message.senderName)
                    people[message.sender] = try writer.person(message.sender)
                }
                if conversations[message.conversation] == nil {
                    conversations[message.conversation] = try writer.conversation(message.conversation)
                }
                guard let sender = people[message.sender], let conversation = conversations[message.conversation]
                else { throw LoopError(description: "there is no conversation \(message.conversation)") }
                try writer.upsert(message, conversation, sender)
            }
        }
    }
}

/// A way to store records with Ashlar.
protocol UpsertWay: SendableMetatype {
    static var name: String { get }
    static func upsert(_ records: [IncomingMessage], _ context: ModelContext) throws
}

typealias UpsertAsBatch = UpsertRecords<BatchUpsert>
typealias UpsertAsObjects = UpsertRecords<ObjectUpsert>

/// Two batches, with queries between them for the destinations of the links.
enum BatchUpsert: UpsertWay {
    static let name = "5,000 records"

    static func upsert(_ records: [IncomingMessage], _ context: ModelContext) throws {
        let names = Dictionary(records.map { ($0.sender, $0.senderName) }, uniquingKeysWith: { first, _ in first })
        try context.transaction {
            try context.batchInsert(
                contentsOf: names.map { Person.Values(handle: $0.key, name: $0.value) },
                onConflict: .update(uniqueBy: ["handle"]))
            let people = try identifiers(context, Person.all.select { ($0.handle, $0.persistentModelID) })
            let conversations = try identifiers(
                context, Conversation.all.select { ($0.identifier, $0.persistentModelID) })
            try context.batchInsert(
                contentsOf: records.lazy.map { record in
                    Message.Values(
                        date: Date(timeIntervalSinceReferenceDate: record.date), identifier: record.identifier,
                        isRead: record.isRead, text: record.text, conversation: conversations[record.conversation],
                        sender: people[record.sender])
                }, onConflict: .update(uniqueBy: ["identifier"]))
        }
    }

    private static func identifiers(
        _ context: ModelContext, _ pairs: Projection<some PersistentModel, (String, PersistentIdentifier?)>
    ) throws -> [String: PersistentIdentifier] {
        var result: [String: PersistentIdentifier] = [:]
        for (name, identifier) in try context.fetch(pairs) { result[name] = identifier }
        return result
    }
}

/// Objects, which are fetched and changed, or made.
enum ObjectUpsert: UpsertWay {
    static let name = "5,000 records, objects"

    static func upsert(_ records: [IncomingMessage], _ context: ModelContext) throws {
        let handles = Set(records.map(\.sender))
        let conversationNames = Set(records.map(\.conversation))
        let identifiers = records.map(\.identifier)
        var people = dictionary(try context.fetch(Person.where { $0.handle.isIn(handles) }), by: \.handle)
        let conversations = dictionary(
            try context.fetch(Conversation.where { $0.identifier.isIn(conversationNames) }), by: \.identifier)
        let messages = dictionary(
            try context.fetch(Message.where { $0.identifier.isIn(identifiers) }), by: \.identifier)
        for record in records {
            let sender: Person
            if let known = people[record.sender] {
                sender = known
                if known.name != record.senderName { known.name = record.senderName }
            } else {
                sender = Person(handle: record.sender, name: record.senderName)
                context.insert(sender)
                people[record.sender] = sender
            }
            if let known = messages[record.identifier] {
                known.update(record, conversations[record.conversation], sender)
            } else {
                context.insert(Message(record, conversations[record.conversation], sender))
            }
        }
        try context.save()
    }

    private static func dictionary<Model>(_ objects: [Model], by key: (Model) -> String) -> [String: Model] {
        Dictionary(objects.map { (key($0), $0) }, uniquingKeysWith: { first, _ in first })
    }
}
