import Ashlar
import Testing

/// Ordered relationships that are set to what they hold.
@Suite struct OrderedTests {
    let container: ModelContainer
    let context: ModelContext
    let queue: Queue
    let tickets: [Ticket]

    init() throws {
        container = try ModelContainer(
            for: BankModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        queue = Queue(name: "q")
        tickets = (0..<3).map { Ticket(number: $0) }
        context.insert(queue)
        queue.tickets = ToMany(tickets)
        try context.save()
        context.undoManager = ModelUndoManager()
    }

    private var storedNumbers: [Int64] {
        get throws {
            let other = ModelContext(container)
            return try other.fetch(Queue.all).flatMap { $0.tickets.map(\.number) }
        }
    }

    @Test func anAssignmentOfTheSameMembersIsNoChange() throws {
        let empty = Queue(name: "empty")
        context.insert(empty)
        try context.save()
        context.undoManager?.removeAllActions()
        queue.tickets = ToMany(tickets)
        empty.tickets = []
        queue.tickets.move(tickets[1], to: 1)
        queue.tickets.move(tickets[2], to: 7)
        context.processPendingChanges()
        #expect(!context.hasChanges && queue.changedProperties.isEmpty && empty.changedProperties.isEmpty)
        #expect(context.undoManager?.canUndo == false)
        // Another context's rename is no conflict then.
        let other = ModelContext(container)
        try other.fetch(Queue.where { $0.name == "q" }).first?.name = "renamed"
        try other.save()
        try context.save()
    }

    @Test func aRealChangeOfTheOrderIsSaved() throws {
        queue.tickets = ToMany(tickets.reversed())
        #expect(queue.changedProperties == ["tickets"])
        try context.save()
        #expect(try storedNumbers == [2, 1, 0])
        queue.tickets.move(tickets[0], to: 0)
        try context.save()
        #expect(try storedNumbers == [0, 2, 1])
    }
}
