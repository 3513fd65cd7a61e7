import Ashlar
import BenchmarkHarness
import Foundation
import GRDB

/// Opens the store ten times, and each time shows a page of conversations, the number of unread messages of each, and
/// three live lists.
struct Launch: Workload {
    static let name = "launch"
    static let unit = "10 times"
    static let usesMainThread = true

    private let stores: ApplicationStores
    private let store: URL

    init(_ stores: ApplicationStores) throws {
        self.stores = stores
        store = try stores.folder.copy(of: stores.messages())
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let isVerifying = round.isVerifying
        let launch: @MainActor @Sendable () throws -> Checksum
        switch contestant {
        case .swiftLoop: launch = { [store] in try Self.launchPlain(store, isVerifying) }
        case .grdbRecord: launch = { [store] in try Self.launchGRDB(store, isVerifying) }
        default: launch = { [store] in try Self.launchAshlar(store, isVerifying) }
        }
        var checksum = Checksum()
        try round.measure {
            for _ in 0..<10 { checksum = try onMain(launch) }
        }
        round.verify(checksum)
    }

    @MainActor
    private static func launchPlain(_ store: URL, _ isVerifying: Bool) throws -> Checksum {
        let connection = try HandWrittenConnection(store)
        var page: [PlainConversation] = []
        try connection.prepare(
            #"""
            SELECT \#(PlainConversation.columns) FROM "Conversation" ORDER BY "lastDate" DESC, "id$" LIMIT 30
            """#
        ).each { page.append(PlainConversation($0)) }
        var counts: [Int64: Int] = [:]
        try connection.prepare(
            #"SELECT "conversation", count(*) FROM "Message" WHERE "isRead" = 0 GROUP BY "conversation""#
        ).each { counts[$0.integer(0)] = Int($0.integer(1)) }
        let lists = try PlainLists(connection)
        try lists.readMain()
        try lists.readUnread()
        return isVerifying
            ? checksum(
                page.map { ($0.title, counts[$0.id] ?? 0) }, lists.shownConversations.map(\.title),
                lists.shownMessages.map(\.text), lists.shownUnread.map(\.text)) : Checksum()
    }

    @MainActor
    private static func launchAshlar(_ store: URL, _ isVerifying: Bool) throws -> Checksum {
        let container = try ModelContainer(for: MessengerModel.self, at: store)
        let context = container.mainContext
        let page = try context.fetch(Conversation.order { $0.lastDate.descending }.limit(30))
        var counts: [PersistentIdentifier: Int] = [:]
        let unread = Message.where { $0.isRead == false }.group { $0.conversation.persistentModelID }
            .select { ($0.conversation.persistentModelID, .count) }
        for (conversation, count) in try context.fetch(unread) {
            if let conversation { counts[conversation] = count }
        }
        let lists = try AshlarLists(container, withUnread: true)
        return isVerifying
            ? checksum(
                page.map { ($0.title, counts[$0.persistentModelID] ?? 0) },
                (lists.conversations?.objects ?? []).map(\.title), (lists.messages?.objects ?? []).map(\.text),
                (lists.unread?.objects ?? []).map(\.text)) : Checksum()
    }

    @MainActor
    private static func launchGRDB(_ store: URL, _ isVerifying: Bool) throws -> Checksum {
        let pool = try DatabasePool.open(store)
        let (page, counts) = try pool.read { database in
            let page = try GRDBConversation.fetchAll(database, GRDBConversation.page.limit(30))
            return (page, try database.unreadCounts())
        }
        let lists = try GRDBLists(pool, withUnread: true)
        return isVerifying
            ? checksum(
                page.map { ($0.title, counts[$0.id] ?? 0) }, lists.conversations.map(\.title),
                lists.messages.map(\.text), lists.unread.map(\.text)) : Checksum()
    }

    private static func checksum(_ page: [(String, Int)], _ lists: [String]...) -> Checksum {
        var checksum = Checksum()
        checksum.add(page.map { "\($0) \($1)" })
        for list in lists { checksum.add(list) }
        return checksum
    }
}
