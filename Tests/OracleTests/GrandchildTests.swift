import Ashlar
import Testing

/// Members that a grandchild context deletes and brings back.
@Suite struct GrandchildTests {
    struct Combination: Sendable {
        /// The number of contexts between the first one and the store's.
        var depth: Int
        var isOrdered: Bool
        /// Whether the member was in the store before it is deleted.
        var hasRow: Bool
        /// Whether undo brings it back, instead of another insertion.
        var isUndone: Bool
        /// Whether each context reads its list after each step.
        var isRead: Bool

        static let all = (0..<48).map { number in
            Combination(
                depth: number / 16 + 1, isOrdered: number & 1 != 0, hasRow: number & 2 != 0,
                isUndone: number & 4 != 0, isRead: number & 8 != 0)
        }

        func numbers(_ queue: Queue) -> [Int64] {
            isOrdered ? queue.tickets.map(\.number) : queue.served.map(\.number)
        }
    }

    @Test(arguments: Combination.all) func aMemberThatComesBackIsInEveryContext(_ combination: Combination) throws {
        let container = try ModelContainer(
            for: BankModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        var contexts = [ModelContext(container)]
        let queue = Queue(name: "q")
        contexts[0].insert(queue)
        try contexts[0].save()
        var queues = [queue]
        for _ in 0..<combination.depth {
            let child = ModelContext(parent: contexts[contexts.count - 1])
            contexts.append(child)
            queues.append(try child.model(for: queue.persistentModelID))
        }
        func read(_ expected: [[Int64]]) {
            if combination.isRead { #expect(queues.map(combination.numbers) == expected) }
        }
        let (last, list) = (contexts[combination.depth], queues[combination.depth])
        let ticket = Ticket(number: 1)
        func relate() {
            if combination.isOrdered { list.tickets = [ticket] } else { list.served = [ticket] }
        }
        read(queues.map { _ in [] })
        last.insert(ticket)
        relate()
        for context in contexts.dropFirst().reversed() { try context.save() }
        if combination.hasRow { try contexts[0].save() }
        read(queues.map { _ in [1] })
        last.undoManager = ModelUndoManager()
        last.delete(ticket)
        try last.save()
        read(queues.indices.map { $0 + 2 > combination.depth ? [] : [1] })
        if combination.isUndone {
            last.undoManager?.undo()
        } else {
            last.insert(ticket)
            relate()
        }
        for context in contexts.reversed() { try context.save() }
        let reader = ModelContext(container)
        #expect(try reader.fetch(Queue.all).map(combination.numbers) == [[1]])
        #expect(try reader.fetchCount(Ticket.all) == 1)
        #expect(queues.map(combination.numbers) == queues.map { _ in [1] })
    }

    @Test(arguments: [false, true]) func aChildThatFetchesHasBothSidesOfItsParentsPairs(_ isChanged: Bool) throws {
        let container = try ModelContainer(
            for: YardModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let parent = ModelContext(container)
        let (keeper, craft) = (Keeper(key: 1, points: 1), Craft(key: 2, points: 2))
        parent.insert(keeper)
        parent.insert(craft)
        let child = ModelContext(parent: parent)
        let known = try #require(try child.fetch(Keeper.all).first)
        #expect(known.crafts.isEmpty)
        let knownCraft = try #require(try child.fetch(Craft.all).first)
        #expect(knownCraft.keepers.isEmpty)
        if isChanged { known.points = 3 }
        keeper.crafts = [craft]
        _ = try child.fetch(Keeper.all)
        #expect(Array(known.crafts) == [knownCraft])
        _ = try child.fetch(Craft.all)
        #expect(Array(knownCraft.keepers) == [known])
        keeper.crafts = []
        _ = (try child.fetch(Keeper.all), try child.fetch(Craft.all))
        #expect(known.crafts.isEmpty && knownCraft.keepers.isEmpty)
    }
}
