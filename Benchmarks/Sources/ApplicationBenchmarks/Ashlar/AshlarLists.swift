import Ashlar
import Foundation

/// A live list, which reports the date of its first object.
final class LiveList<Model: PersistentModel>: FetchedResultsControllerDelegate {
    private let controller: FetchedResultsController<Model, Never>
    private let date: (Model) -> Date
    private let report: (Double) -> Void

    init(
        _ descriptor: FetchDescriptor<Model>, in context: ModelContext, date: @escaping (Model) -> Date,
        report: @escaping (Double) -> Void
    ) throws {
        controller = FetchedResultsController(descriptor, in: context)
        (self.date, self.report) = (date, report)
        controller.delegate = self
        try controller.performFetch()
    }

    var objects: [Model] { controller.fetchedObjects }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Model, Never>) {
        report(objects.first.map { date($0).timeIntervalSinceReferenceDate } ?? 0)
    }
}

/// The lists of an app in the main context.
@MainActor
final class AshlarLists {
    private(set) var conversations: LiveList<Conversation>?
    private(set) var messages: LiveList<Message>?
    private(set) var unread: LiveList<Message>?

    init(_ container: ModelContainer, _ arrival: Arrival? = nil, withUnread: Bool = false) throws {
        let context = container.mainContext
        conversations = try LiveList(
            Conversation.order { $0.lastDate.descending }.limit(50), in: context, date: \.lastDate
        ) { arrival?.show(0, $0) }
        let name = ApplicationStores.opened
        let opened = try context.fetchFirst(Conversation.where { $0.identifier == name })
        messages = try LiveList(
            Message.where { $0.conversation == opened }.order { $0.date.descending }.limit(50), in: context,
            date: \.date
        ) { arrival?.show(1, $0) }
        if withUnread {
            unread = try LiveList(
                Message.where { $0.isRead == false }.order { $0.date.descending }.limit(50), in: context, date: \.date
            ) { _ in }
        }
    }

    /// Ends the lists, on the actor that has their context.
    func close() { (conversations, messages, unread) = (nil, nil, nil) }
}

/// The lists beside the main thread's, in a context that merges the saves of others.
///
/// `@unchecked Sendable`: the lists are made and ended inside of the context.
final class AshlarOtherLists: @unchecked Sendable {
    private let context: BackgroundContext
    private var lists: [LiveList<Message>] = []

    init(_ container: ModelContainer, _ arrival: Arrival) throws {
        context = container.newBackgroundContext()
        try context.performAndWait { context in
            context.automaticallyMergesChangesFromParent = true
            let newest = Message.order { $0.date.descending }.limit(50)
            for (index, descriptor) in [newest.where { $0.isRead == false }, newest].enumerated() {
                lists.append(
                    try LiveList(descriptor, in: context, date: \.date) { arrival.show(2 + index, $0) })
            }
        }
    }

    func close() throws { try context.performAndWait { _ in lists = [] } }
}

extension ModelContext {
    /// Writes one message with its sender and saves.
    func receive(_ message: IncomingMessage) throws {
        let (handle, name, identifier) = (message.sender, message.conversation, message.identifier)
        let date = Date(timeIntervalSinceReferenceDate: message.date)
        let sender: Person
        if let known = try fetchFirst(Person.where { $0.handle == handle }) {
            sender = known
        } else {
            sender = Person(handle: handle, name: message.senderName)
            insert(sender)
        }
        let conversation = try fetchFirst(Conversation.where { $0.identifier == name })
        if let known = try fetchFirst(Message.where { $0.identifier == identifier }) {
            known.update(message, conversation, sender)
        } else {
            insert(Message(message, conversation, sender))
        }
        conversation?.lastDate = date
        try save()
    }
}

extension Message {
    convenience init(_ message: IncomingMessage, _ conversation: Conversation?, _ sender: Person?) {
        self.init(
            date: Date(timeIntervalSinceReferenceDate: message.date), identifier: message.identifier,
            isRead: message.isRead, text: message.text, conversation: conversation, sender: sender)
    }

    func update(_ message: IncomingMessage, _ conversation: Conversation?, _ sender: Person?) {
        date = Date(timeIntervalSinceReferenceDate: message.date)
        isRead = message.isRead
        text = message.text
        self.conversation = conversation
        self.sender = sender
    }
}
