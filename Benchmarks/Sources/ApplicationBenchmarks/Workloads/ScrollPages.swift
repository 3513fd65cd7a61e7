import Ashlar
import BenchmarkHarness
import CLoops
import Foundation
import GRDB

/// A hundred pages of fifty messages with their senders' names, from the newest on, and back.
struct ScrollPages: Workload {
    static let name = "scroll forth and back"
    static let unit = "2 × 100 pages"

    private let pages: Int
    private let connection: HandWrittenConnection
    private let container: ModelContainer
    private let pool: DatabasePool

    init(_ stores: ApplicationStores) throws {
        pages = max(1, min(100, stores.longest / 50))
        let store = try stores.folder.copy(of: stores.messages())
        connection = try HandWrittenConnection(store)
        container = try stores.container(store)
        pool = try DatabasePool.open(store)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        var lines: [[String]] = []
        let isVerifying = round.isVerifying
        func show(_ page: @autoclosure () -> [String]) { if isVerifying { lines.append(page()) } }
        try round.measure {
            switch contestant {
            case .swiftLoop: try scrollPlain { page in show(page.map { $0.message.text + $0.sender }) }
            case .grdbRecord: try scrollGRDB { page in show(page.map { $0.message.text + ($0.sender?.name ?? "") }) }
            default: try scrollAshlar { page in show(page.map { $0.text + ($0.sender?.name ?? "") }) }
            }
        }
        var checksum = Checksum()
        for page in lines { checksum.add(page) }
        round.verify(checksum)
    }

    private func scrollPlain(_ show: ([(message: PlainMessage, sender: String)]) -> Void) throws {
        let opened = try connection.prepare(#"SELECT "id$" FROM "Conversation" WHERE "identifier" = ?1"#)
        let conversation = try opened.number { $0.bind(ApplicationStores.opened, 1) } ?? 0
        // In the order of the index: the date descending and the identifier ascending, or the reverse.
        func statement(isForth: Bool) throws -> HandWrittenStatement {
            let (before, after) = isForth ? ("<", ">") : (">", "<")
            return try connection.prepare(
                #"""
                SELECT \#(PlainMessage.columns), p."name" FROM "Message" AS m LEFT JOIN "Person" AS p ON p."id$" = m."sender"
                WHERE m."conversation" = ?1 AND m."date" \#(before)= ?2
                    AND (m."date" \#(before) ?2 OR m."id$" \#(after) ?3)
                ORDER BY m."date" \#(isForth ? "DESC" : "ASC"), m."id$" \#(isForth ? "ASC" : "DESC") LIMIT 50
                """#)
        }
        var (date, id) = (Double.infinity, Int64(0))
        for statement in [try statement(isForth: true), try statement(isForth: false)] {
            for _ in 0..<pages {
                var page: [(message: PlainMessage, sender: String)] = []
                try statement.each {
                    $0.bind(conversation, 1)
                    $0.bind(date, 2)
                    $0.bind(id, 3)
                } _: {
                    page.append((PlainMessage($0), $0.text(PlainMessage.columnCount)))
                }
                show(page)
                guard let last = page.last?.message else { break }
                (date, id) = (last.date.timeIntervalSinceReferenceDate, last.id)
            }
        }
    }

    private func scrollAshlar(_ show: ([Message]) -> Void) throws {
        let context = ModelContext(container)
        let name = ApplicationStores.opened
        let conversation = try context.fetchFirst(Conversation.where { $0.identifier == name })
        let messages = Message.where { $0.conversation == conversation }.limit(50).prefetch { $0.sender }
        var last: Message?
        for descriptor in [messages.order { $0.date.descending }, messages.order { $0.date.ascending }] {
            for _ in 0..<pages {
                let page = try context.fetch(descriptor.page(after: last))
                show(page)
                last = page.last ?? last
            }
        }
    }

    private func scrollGRDB(_ show: ([GRDBMessageWithSender]) -> Void) throws {
        let conversation = try pool.read { try $0.conversation(ApplicationStores.opened) } ?? 0
        var last: GRDBMessage?
        for isForth in [true, false] {
            for _ in 0..<pages {
                let page = try pool.read { [last] in
                    try $0.page(of: conversation, after: last, isForth: isForth)
                }
                show(page)
                last = page.last?.message ?? last
            }
        }
    }
}
