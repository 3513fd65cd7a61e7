import BenchmarkHarness
import Foundation
import GRDB

/// The lists of an app as observations.
@MainActor
final class GRDBLists {
    private(set) var conversations: [GRDBConversation] = []
    private(set) var messages: [GRDBMessage] = []
    private(set) var unread: [GRDBMessage] = []
    private var observations: [AnyDatabaseCancellable] = []

    init(_ pool: DatabasePool, _ arrival: Arrival? = nil, withUnread: Bool = false) throws {
        let opened = try pool.read { try $0.conversation(ApplicationStores.opened) }
        observations.append(
            ValueObservation.tracking { try GRDBConversation.fetchAll($0, GRDBConversation.page) }.start(
                in: pool, scheduling: .immediate, onError: { _ in }
            ) { [weak self] in
                self?.conversations = $0
                arrival?.show(0, $0.first?.lastDate.timeIntervalSinceReferenceDate ?? 0)
            })
        let request = GRDBMessage.newest.filter(Column("conversation") == opened).limit(50)
        observations.append(
            ValueObservation.tracking { try GRDBMessage.fetchAll($0, request) }.start(
                in: pool, scheduling: .immediate, onError: { _ in }
            ) { [weak self] in
                self?.messages = $0
                arrival?.show(1, $0.first?.date.timeIntervalSinceReferenceDate ?? 0)
            })
        if !withUnread { return }
        observations.append(
            ValueObservation.tracking {
                try GRDBMessage.fetchAll($0, GRDBMessage.newest.filter(Column("isRead") == false).limit(50))
            }.start(in: pool, scheduling: .immediate, onError: { _ in }) { [weak self] in self?.unread = $0 })
    }

    func close() { observations = [] }
}

/// The lists beside the main thread's.
final class GRDBOtherLists: Sendable {
    private let observations: [AnyDatabaseCancellable]

    init(_ pool: DatabasePool, _ arrival: Arrival) {
        let queue = DispatchQueue(label: "lists")
        let unread = GRDBMessage.newest.filter(Column("isRead") == false).limit(50)
        let requests = [unread, GRDBMessage.newest.limit(50)]
        observations = requests.enumerated().map { index, request in
            ValueObservation.tracking { try GRDBMessage.fetchAll($0, request) }.start(
                in: pool, scheduling: .async(onQueue: queue), onError: { _ in }
            ) { arrival.show(2 + index, $0.first?.date.timeIntervalSinceReferenceDate ?? 0) }
        }
    }

    func close() { for observation in observations { observation.cancel() } }
}

/// GRDB's reads and writes with requests and records.
extension Database {
    func conversation(_ identifier: String) throws -> Int64? {
        try Int64.fetchOne(
            self, GRDBConversation.select(Column("id$")).filter(Column("identifier") == identifier))
    }

    func person(_ handle: String) throws -> Int64? {
        try Int64.fetchOne(self, GRDBPerson.select(Column("id$")).filter(Column("handle") == handle))
    }

    /// Writes one message with its sender.
    func receive(_ message: IncomingMessage) throws {
        if try person(message.sender) == nil {
            try GRDBPerson(handle: message.sender, name: message.senderName).insert(self)
        }
        guard let sender = try person(message.sender), let conversation = try conversation(message.conversation) else {
            throw LoopError(description: "there is no conversation \(message.conversation)")
        }
        try GRDBMessage(message, conversation, sender).upsert(self)
        try GRDBConversation.filter(Column("id$") == conversation)
            .updateAll(self, Column("lastDate").set(to: message.date))
    }

    /// Inserts or changes messages, and their senders.
    func upsert(_ messages: [IncomingMessage]) throws {
        var people: [String: Int64] = [:]
        var conversations: [String: Int64] = [:]
        for message in messages {
            if people[message.sender] == nil {
                try GRDBPerson(handle: message.sender, name: message.senderName).upsert(self)
                people[message.sender] = try person(message.sender)
            }
            if conversations[message.conversation] == nil {
                conversations[message.conversation] = try conversation(message.conversation)
            }
            guard let sender = people[message.sender], let conversation = conversations[message.conversation] else {
                throw LoopError(description: "there is no conversation \(message.conversation)")
            }
            try GRDBMessage(message, conversation, sender).upsert(self)
        }
    }
}
