import BenchmarkHarness
import Foundation

/// A conversation as an object.
final class PlainConversation {
    static let columns = #""id$", "version$", "identifier", "lastDate", "title""#

    let id: Int64
    let version: Int64
    var identifier: String
    var lastDate: Date
    var title: String

    init(_ row: OpaquePointer) {
        (id, version) = (row.integer(0), row.integer(1))
        (identifier, lastDate, title) = (row.text(2), row.date(3), row.text(4))
    }
}

/// A message as an object.
final class PlainMessage {
    static let columns =
        #"m."id$", m."version$", m."date", m."identifier", m."isRead", m."text", m."conversation", m."sender""#
    static let columnCount: Int32 = 8

    let id: Int64
    let version: Int64
    var date: Date
    var identifier: String
    var isRead: Bool
    var text: String
    var conversation: Int64
    var sender: Int64

    init(_ row: OpaquePointer) {
        (id, version, date) = (row.integer(0), row.integer(1), row.date(2))
        (identifier, isRead, text) = (row.text(3), row.integer(4) != 0, row.text(5))
        (conversation, sender) = (row.integer(6), row.integer(7))
    }
}

/// The lists of an app, which are read again after each change.
///
/// `@unchecked Sendable`: the writing thread makes the main thread read them, and waits meanwhile.
final class PlainLists: @unchecked Sendable {
    private let conversations: HandWrittenStatement
    private let messages: HandWrittenStatement
    private let unread: HandWrittenStatement
    private let newest: HandWrittenStatement
    private let opened: Int64
    private(set) var shownConversations: [PlainConversation] = []
    private(set) var shownMessages: [PlainMessage] = []
    private(set) var shownUnread: [PlainMessage] = []
    private(set) var shownNewest: [PlainMessage] = []

    init(_ connection: HandWrittenConnection) throws {
        conversations = try connection.prepare(
            #"SELECT \#(PlainConversation.columns) FROM "Conversation" ORDER BY "lastDate" DESC, "id$" LIMIT 50"#)
        let select = #"SELECT \#(PlainMessage.columns) FROM "Message" AS m"#
        let order = #"ORDER BY m."date" DESC, m."id$" LIMIT 50"#
        messages = try connection.prepare(#"\#(select) WHERE m."conversation" = ?1 \#(order)"#)
        unread = try connection.prepare(#"\#(select) WHERE m."isRead" = 0 \#(order)"#)
        newest = try connection.prepare("\(select) \(order)")
        let open = try connection.prepare(#"SELECT "id$" FROM "Conversation" WHERE "identifier" = ?1"#)
        opened = try open.number { $0.bind(ApplicationStores.opened, 1) } ?? 0
    }

    func readMain(_ arrival: Arrival? = nil) throws {
        shownConversations = []
        try conversations.each { shownConversations.append(PlainConversation($0)) }
        shownMessages = try Self.read(messages) { $0.bind(opened, 1) }
        arrival?.show(0, shownConversations.first?.lastDate.timeIntervalSinceReferenceDate ?? 0)
        arrival?.show(1, shownMessages.first?.date.timeIntervalSinceReferenceDate ?? 0)
    }

    func readUnread(_ arrival: Arrival? = nil) throws {
        shownUnread = try Self.read(unread)
        arrival?.show(2, shownUnread.first?.date.timeIntervalSinceReferenceDate ?? 0)
    }

    func readNewest(_ arrival: Arrival? = nil) throws {
        shownNewest = try Self.read(newest)
        arrival?.show(3, shownNewest.first?.date.timeIntervalSinceReferenceDate ?? 0)
    }

    private static func read(
        _ statement: HandWrittenStatement, _ bind: (OpaquePointer) -> Void = { _ in }
    ) throws -> [PlainMessage] {
        var result: [PlainMessage] = []
        try statement.each(bind) { result.append(PlainMessage($0)) }
        return result
    }
}
