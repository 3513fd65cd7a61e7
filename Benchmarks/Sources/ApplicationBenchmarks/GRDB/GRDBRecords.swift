import BenchmarkHarness
import Foundation
import GRDB

/// A pool with the settings that Ashlar's connections have.
extension DatabasePool {
    static func open(_ store: URL) throws -> DatabasePool {
        var configuration = Configuration()
        // The pool of the last launch may be closing on another thread.
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { database in
            // Other connections of the pool only read, and cannot set the journal mode, which the store has already.
            for setting in StoreSettings.statements
            where !setting.contains("journal_mode") || !database.configuration.readonly {
                try database.execute(sql: setting)
            }
        }
        return try DatabasePool(path: store.path, configuration: configuration)
    }
}

/// Records that are coded by position.
struct GRDBConversation: FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "Conversation"
    static let page = order(Column("lastDate").desc, Column("id$")).limit(50)

    var id: Int64
    var version: Int64
    var identifier: String
    var lastDate: Date
    var title: String

    init(row: Row) {
        (id, version, identifier) = (row[0], row[1], row[2])
        lastDate = Date(timeIntervalSinceReferenceDate: row[3])
        title = row[4]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id$"] = id
        container["version$"] = version
        container["identifier"] = identifier
        container["lastDate"] = lastDate.timeIntervalSinceReferenceDate
        container["title"] = title
    }
}

struct GRDBPerson: FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "Person"

    var id: Int64?
    var handle: String
    var name: String

    init(handle: String, name: String) { (self.handle, self.name) = (handle, name) }

    init(row: Row) {
        id = row["id$"]
        (handle, name) = (row["handle"], row["name"])
    }

    func encode(to container: inout PersistenceContainer) {
        if let id { container["id$"] = id }
        container["handle"] = handle
        container["name"] = name
    }
}

struct GRDBMessage: FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "Message"
    static let sender = belongsTo(GRDBPerson.self, using: ForeignKey(["sender"])).forKey("senderRow")
    static let newest = order(Column("date").desc, Column("id$"))

    var id: Int64?
    var version: Int64
    var date: Date
    var identifier: String
    var isRead: Bool
    var text: String
    var conversation: Int64?
    var sender: Int64?

    init(_ message: IncomingMessage, _ conversation: Int64, _ sender: Int64) {
        version = 1
        (date, identifier) = (Date(timeIntervalSinceReferenceDate: message.date), message.identifier)
        (isRead, text) = (message.isRead, message.text)
        (self.conversation, self.sender) = (conversation, sender)
    }

    init(row: Row) {
        (id, version) = (row[0], row[1])
        date = Date(timeIntervalSinceReferenceDate: row[2])
        (identifier, isRead, text) = (row[3], row[4], row[5])
        (conversation, sender) = (row[6], row[7])
    }

    func encode(to container: inout PersistenceContainer) {
        if let id { container["id$"] = id }
        container["date"] = date.timeIntervalSinceReferenceDate
        container["identifier"] = identifier
        container["isRead"] = isRead
        container["text"] = text
        container["conversation"] = conversation
        container["sender"] = sender
    }
}

/// A message with its sender.
struct GRDBMessageWithSender: FetchableRecord, Sendable {
    var message: GRDBMessage
    var sender: GRDBPerson?

    init(row: Row) {
        message = GRDBMessage(row: row)
        sender = row["senderRow"]
    }
}
