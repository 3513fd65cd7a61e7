import Ashlar
import Testing

/// Ordered relationships that are set to their present members.
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
        // Another context's rename does not conflict then.
        let other = ModelContext(container)
        try other.fetch(Queue.where { $0.name == "q" }).first?.name = "renamed"
        try other.save()
        try context.save()
    }

    /// Another context puts the tickets into the opposite order.
    private func reverseElsewhere(without removed: Ticket? = nil) throws {
        let other = ModelContext(container)
        let theirs: Queue = try other.model(for: queue.persistentModelID)
        if let removed { other.delete(try other.model(for: removed.persistentModelID) as Ticket) }
        theirs.tickets = ToMany(theirs.tickets.reversed())
        try other.save()
    }

    @Test(arguments: [true, false]) func anAdditionKeepsTheOrderThatAnotherContextSaved(_ merges: Bool) throws {
        context.automaticallyMergesChangesFromParent = merges
        #expect(queue.tickets.count == 3)
        let (added, moved, elsewhere) = (Ticket(number: 3), Ticket(number: 4), Queue(name: "elsewhere"))
        context.insert(elsewhere)
        elsewhere.tickets = [moved]
        try context.save()
        queue.tickets.append(added)
        queue.tickets.append(moved)
        try reverseElsewhere()
        context.processPendingChanges()
        if merges { #expect(queue.tickets.map(\.number) == [2, 1, 0, 3, 4]) }
        try context.save()
        #expect(queue.tickets.map(\.number) == [2, 1, 0, 3, 4])
        #expect(try storedNumbers == [2, 1, 0, 3, 4])
    }

    @Test func anAdditionOfAChildKeepsTheOrderOfItsParent() throws {
        let child = ModelContext(parent: context)
        let theirs: Queue = try child.model(for: queue.persistentModelID)
        #expect(theirs.tickets.count == 3)
        theirs.tickets.append(Ticket(number: 3))
        queue.tickets = ToMany(queue.tickets.reversed())
        try child.save()
        #expect(queue.tickets.map(\.number) == [2, 1, 0, 3])
        try context.save()
        #expect(try storedNumbers == [2, 1, 0, 3])
    }

    @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .overwrite], [true, false])
    func anObjectThatAPolicyKeepsKeepsTheOrderThatAnotherContextSaved(_ policy: MergePolicy, _ merges: Bool) throws {
        context.mergePolicy = policy
        context.automaticallyMergesChangesFromParent = merges
        #expect(queue.tickets.count == 3)
        tickets[1].number = 10
        try reverseElsewhere(without: tickets[1])
        context.processPendingChanges()
        if merges { #expect(queue.tickets.map(\.number) == [2, 0, 10]) }
        try context.save()
        #expect(try storedNumbers == [2, 0, 10])
        #expect(queue.tickets.map(\.number) == [2, 0, 10])
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
