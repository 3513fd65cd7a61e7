import BenchmarkHarness
import Foundation

/// Writes messages with statements that are prepared once.
final class PlainWriter {
    let connection: HandWrittenConnection
    private let findPerson: HandWrittenStatement
    private let upsertPerson: HandWrittenStatement
    private let findConversation: HandWrittenStatement
    private let upsertMessage: HandWrittenStatement
    private let updateConversation: HandWrittenStatement

    init(_ store: URL) throws {
        connection = try HandWrittenConnection(store)
        findPerson = try connection.prepare(#"SELECT "id$" FROM "Person" WHERE "handle" = ?1"#)
        upsertPerson = try connection.prepare(
            #"""
            INSERT INTO "Person" ("handle", "name") VALUES (?1, ?2)
            ON CONFLICT ("handle") DO UPDATE SET "name" = excluded."name", "version$" = "version$" + 1
            """#)
        findConversation = try connection.prepare(#"SELECT "id$" FROM "Conversation" WHERE "identifier" = ?1"#)
        upsertMessage = try connection.prepare(
            #"""
            INSERT INTO "Message" ("date", "identifier", "isRead", "text", "conversation", "sender")
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT ("identifier") DO UPDATE SET "version$" = "version$" + 1, "date" = excluded."date",
                "isRead" = excluded."isRead", "text" = excluded."text", "conversation" = excluded."conversation",
                "sender" = excluded."sender"
            """#)
        updateConversation = try connection.prepare(
            #"UPDATE "Conversation" SET "lastDate" = ?1, "version$" = "version$" + 1 WHERE "id$" = ?2"#)
    }

    func person(_ handle: String) throws -> Int64? { try findPerson.number { $0.bind(handle, 1) } }
    func conversation(_ identifier: String) throws -> Int64? { try findConversation.number { $0.bind(identifier, 1) } }

    /// Inserts a person, or changes the name of the one with the handle.
    func upsertPerson(_ handle: String, _ name: String) throws {
        try upsertPerson.run {
            $0.bind(handle, 1)
            $0.bind(name, 2)
        }
    }

    func upsert(_ message: IncomingMessage, _ conversation: Int64, _ sender: Int64) throws {
        try upsertMessage.run {
            $0.bind(message.date, 1)
            $0.bind(message.identifier, 2)
            $0.bind(message.isRead ? Int64(1) : 0, 3)
            $0.bind(message.text, 4)
            $0.bind(conversation, 5)
            $0.bind(sender, 6)
        }
    }

    func setLastDate(_ date: Double, of conversation: Int64) throws {
        try updateConversation.run {
            $0.bind(date, 1)
            $0.bind(conversation, 2)
        }
    }

    /// Writes one message with its sender in one transaction.
    func receive(_ message: IncomingMessage) throws {
        try connection.transaction {
            if try person(message.sender) == nil { try upsertPerson(message.sender, message.senderName) }
            guard let sender = try person(message.sender), let conversation = try conversation(message.conversation)
            else { throw LoopError(description: "there is no conversation \(message.conversation)") }
            try upsert(message, conversation, sender)
            try setLastDate(message.date, of: conversation)
        }
    }
}

/// A message as a server sends it.
struct IncomingMessage: Codable, Sendable {
    var conversation: String
    var date: Double
    var identifier: String
    var isRead: Bool
    var sender: String
    var senderName: String
    var text: String
}
