import Ashlar
import BenchmarkHarness
import CLoops
import Foundation
import GRDB
import Synchronization

/// Copies the store, while another thread writes twenty messages in each of fifty transactions, until both are done.
struct BackUpWhileWriting: Workload {
    static let name = "back up while writing"
    static let unit = "1 copy, 50 saves"
    private static let proofs = [
        #"SELECT "identifier", "text", "date", "isRead", "conversation", "sender" FROM "Message" ORDER BY "id$""#
    ]

    private let stores: ApplicationStores
    private let template: URL

    init(_ stores: ApplicationStores) throws {
        self.stores = stores
        template = try stores.messages()
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let rows = stores.rows
        try stores.withCopy(of: template, round, Self.proofs) { url in
            let copy = stores.folder.newFile()
            defer { stores.folder.remove(copy) }
            switch contestant {
            case .swiftLoop:
                let source = try HandWrittenConnection(url)
                try Self.both(round) {
                    let writer = try PlainWriter(url)
                    for save in 0..<50 {
                        try writer.connection.transaction {
                            for message in Self.messages(rows, save) { try writer.upsert(message, 1, 1) }
                        }
                    }
                } backUp: {
                    try Self.backUp(source, copy)
                }
            case .grdbRecord:
                let pool = try DatabasePool.open(url)
                try Self.both(round) {
                    for save in 0..<50 {
                        try pool.write { database in
                            for message in Self.messages(rows, save) {
                                try GRDBMessage(message, 1, 1).insert(database)
                            }
                        }
                    }
                } backUp: {
                    try pool.backup(to: DatabaseQueue(path: copy.path))
                }
            default:
                let container = try stores.container(url)
                try Self.both(round) {
                    let context = ModelContext(container)
                    let name = ApplicationStores.opened
                    let conversation = try context.fetchFirst(Conversation.where { $0.identifier == name })
                    let sender = try context.fetchFirst(Person.where { $0.handle == "person 1" })
                    for save in 0..<50 {
                        for message in Self.messages(rows, save) {
                            context.insert(Message(message, conversation, sender))
                        }
                        try context.save()
                    }
                } backUp: {
                    try container.backUp(to: copy)
                }
            }
            if round.isVerifying { try Self.check(copy, rows) }
        }
    }

    private static func messages(_ rows: Int, _ save: Int) -> [IncomingMessage] {
        (1...20).map { number in
            let place = save * 20 + number
            return IncomingMessage(
                conversation: "", date: ApplicationStores.date(rows + place), identifier: "written \(place)",
                isRead: true, sender: "", senderName: "",
                text: "Text number \(place), written while the store is copied.")
        }
    }

    /// Does both at the same time.
    private static func both(
        _ round: Round, _ write: @escaping @Sendable () throws -> Void, backUp: () throws -> Void
    ) throws {
        try round.measure {
            let failure = Failure()
            let done = DispatchSemaphore(value: 0)
            Thread {
                do { try write() } catch { failure.set(error) }
                done.signal()
            }.start()
            let copied = Result { try backUp() }
            done.wait()
            try copied.get()
            try failure.throwIfAny()
        }
    }

    /// The error of a thread.
    private final class Failure: Sendable {
        private let error = Mutex<(any Error)?>(nil)

        func set(_ error: any Error) { self.error.withLock { $0 = error } }
        func throwIfAny() throws { if let error = error.withLock({ $0 }) { throw error } }
    }

    private static func backUp(_ source: HandWrittenConnection, _ url: URL) throws {
        var target: OpaquePointer?
        defer { sqlite3_close(target) }
        guard sqlite3_open(url.path, &target) == SQLITE_OK,
            let backup = sqlite3_backup_init(target, "main", source.database, "main")
        else { throw LoopError(description: "cannot begin the copy") }
        sqlite3_backup_step(backup, -1)
        guard sqlite3_backup_finish(backup) == SQLITE_OK else {
            throw LoopError(description: "cannot copy the store")
        }
    }

    /// Checks that the copy has a state that the store had meanwhile, by the number of messages.
    private static func check(_ copy: URL, _ rows: Int) throws {
        var count: Int64 = 0
        try HandWrittenConnection(copy).prepare(#"SELECT count(*) FROM "Message""#).each { count = $0.integer(0) }
        guard (rows...rows + 1000).contains(Int(count)) else {
            throw LoopError(description: "the copy has \(count) messages")
        }
    }
}
