import Ashlar
import BenchmarkHarness
import Foundation
import GRDB

/// Fifty messages. After each, it waits until two lists on the main thread and two beside it show the message. Every
/// fourth has a new sender.
struct ArrivingMessage: Workload {
    static let name = "a message arrives"
    static let unit = "50 messages"
    static let usesMainThread = true
    private static let proofs = [
        #"""
        SELECT m."identifier", m."text", m."date", m."isRead", p."handle", c."identifier", c."lastDate"
        FROM "Message" m JOIN "Person" p ON p."id$" = m."sender" JOIN "Conversation" c ON c."id$" = m."conversation"
        ORDER BY m."date" DESC LIMIT 100
        """#
    ]

    private let stores: ApplicationStores
    private let template: URL
    private let messages: [IncomingMessage]

    init(_ stores: ApplicationStores) throws {
        self.stores = stores
        template = try stores.messages()
        messages = (1...50).map { number in
            IncomingMessage(
                conversation: ApplicationStores.opened, date: ApplicationStores.date(stores.rows + number),
                identifier: "arriving \(number)", isRead: false,
                sender: number % 4 == 0 ? "new person \(number)" : "person \(number % 10 + 1)",
                senderName: "Somebody new", text: "This is message \(number), which came just now.")
        }
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        try stores.withCopy(of: template, round, Self.proofs) { url in
            let arrival = Arrival()
            switch contestant {
            case .swiftLoop:
                let writer = try PlainWriter(url)
                let main = try PlainLists(HandWrittenConnection(url))
                let others = try PlainLists(HandWrittenConnection(url))
                try measure(round, arrival) { message in
                    try writer.receive(message)
                    try onMain { try main.readMain(arrival) }
                    try others.readUnread(arrival)
                    try others.readNewest(arrival)
                }
            case .grdbRecord:
                let pool = try DatabasePool.open(url)
                let lists = try onMain { try GRDBLists(pool, arrival) }
                let others = GRDBOtherLists(pool, arrival)
                try measure(round, arrival) { message in try pool.write { try $0.receive(message) } }
                others.close()
                try onMain { lists.close() }
            default:
                let container = try stores.container(url)
                let lists = try onMain { try AshlarLists(container, arrival) }
                let others = try AshlarOtherLists(container, arrival)
                let context = ModelContext(container)
                try measure(round, arrival) { try context.receive($0) }
                try others.close()
                try onMain { lists.close() }
            }
        }
    }

    private func measure(_ round: Round, _ arrival: Arrival, _ receive: (IncomingMessage) throws -> Void) throws {
        try round.measure {
            for message in messages {
                arrival.expect([message.date, message.date, message.date, message.date])
                try receive(message)
                try arrival.wait()
            }
        }
    }
}
