import Ashlar
import Foundation

/// The cost of live results: of a change that does not concern them, and of one that does.
struct ResultsBenchmark {
    let rounds: Int

    func run(rows: [Int]) throws {
        print("\n| posts | live results | change | without µs | with µs | on top µs |")
        print("| --- | --- | --- | --- | --- | --- |")
        for count in rows {
            let store = try FilledStore(rows: count)
            let byTime = Post.order { $0.timestamp.descending }
            try measure(store, "all", byTime)
            try measure(store, "50 newest", byTime.limit(50))
            try measure(store, "of an author", Post.where { $0.author.name == "Author 7" })
        }
    }

    private func measure(_ store: FilledStore, _ name: String, _ descriptor: FetchDescriptor<Post>) throws {
        let context = ModelContext(store.container)
        let controller = FetchedResultsController(descriptor, in: context)
        let bare = ModelContext(store.container)
        let (day, bareDay) = (Self.newDay(context), Self.newDay(bare))
        try bare.save()
        let author = try context.fetchFirst(Author.where { $0.name == "Author 7" })
        guard let author, let post = try context.fetchFirst(descriptor) else {
            throw ConnectionError(description: "there is nothing to change")
        }
        try context.save()
        let barePost: Post = try bare.model(for: post.persistentModelID)
        try controller.performFetch()
        let changes: [(name: String, without: () throws -> Void, with: () throws -> Void)] = [
            (
                "of another table, saved", { try Self.change(bareDay, bare) { $0.count += 1 } },
                { try Self.change(day, context) { $0.count += 1 } }
            ),
            (
                "of a post, processed",
                {
                    barePost.likes += 1
                    bare.processPendingChanges()
                },
                {
                    post.likes += 1
                    context.processPendingChanges()
                }
            ),
        ]
        for change in changes {
            var (without, with) = (Double.infinity, Double.infinity)
            for _ in 0..<(rounds * 5) {
                without = min(without, try ProcessorTime.milliseconds(runs: 50, change.without) * 1000)
                with = min(with, try ProcessorTime.milliseconds(runs: 50, change.with) * 1000)
            }
            let figures = [without, with, with - without].map { String(format: "%.1f", $0) }
            print("| \(store.rows) | \(name) | \(change.name) | \(figures.joined(separator: " | ")) |")
        }
        // Held until here, because results end with their owner.
        withExtendedLifetime((controller, author)) {}
    }

    private static func newDay(_ context: ModelContext) -> DayCount {
        let day = DayCount(count: 0, day: Date(timeIntervalSinceReferenceDate: -Double.random(in: 1...1e9)))
        context.insert(day)
        return day
    }

    private static func change(_ day: DayCount, _ context: ModelContext, _ body: (DayCount) -> Void) throws {
        body(day)
        try context.save()
    }
}
