import Ashlar
import Foundation

/// The talk's three buttons, all pressed at once, beside a list that moves only when it is asked to.
extension PhotoFeed {
    /// The properties of a post that the list shows.
    private static let shown: Set<String> = ["image", "title", "timestamp"]

    func pressTheButtons() async throws {
        Screen.title("Three buttons at once")
        let list = ModelContext(container)
        try list.setQueryGeneration(from: .current)
        let newest = FetchedResultsController(Post.order { $0.timestamp.descending }.limit(20), in: list)
        try newest.performFetch()
        let before = newest.snapshot
        let token = try container.currentHistoryToken()

        let buttons = Task { [container] in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try Self.add(to: container) }
                group.addTask { try Self.download(1000, to: container) }
                group.addTask { try Self.postAll(of: container) }
                try await group.waitForAll()
            }
        }
        for _ in 0..<20 {
            try newest.performFetch()
            guard newest.snapshot == before else { throw ListMoved() }
            try await Task.sleep(for: .milliseconds(2))
        }
        try await buttons.value
        try newest.performFetch()
        guard newest.snapshot == before else { throw ListMoved() }
        print("The list was fetched 21 times while the buttons worked, and did not move.")

        try mergeWhatIsShown(after: token, into: list)
        let new = Set(newest.snapshot.identifiers).subtracting(before.identifiers)
        print("Then it was brought up to date: \(new.count) of its \(newest.count) posts are new.")
    }

    /// The list moved without a request.
    private struct ListMoved: Error {}

    /// Merges only the transactions that changed the properties in the list.
    private func mergeWhatIsShown(after token: PersistentHistoryToken, into list: ModelContext) throws {
        let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
        let visible = try container.fetchHistory(request.changing(Post.self, Self.shown))
        for transaction in visible { try list.mergeChanges(from: transaction.objectIDNotification()) }
        let merged = Set(visible.map(\.transactionNumber))
        for transaction in try container.fetchHistory(request.transactionsOnly) {
            let isMerged = merged.contains(transaction.transactionNumber)
            print("\(transaction.author ?? "Somebody"): \(isMerged ? "merged" : "nothing of it is in the list")")
        }
        list.processPendingChanges()
    }

    /// The + button: one post.
    private static func add(to container: ModelContainer) throws {
        let context = ModelContext(container)
        context.author = "Add"
        context.insert(Post(timestamp: .now, title: "Added just now"))
        try context.save()
    }

    /// Many posts from a server, without objects.
    private static func download(_ count: Int, to container: ModelContainer) throws {
        let context = ModelContext(container)
        context.author = "Download"
        try context.batchInsert(
            contentsOf: (0..<count).lazy.map { number in
                Post.Values(
                    timestamp: Date.now.addingTimeInterval(-Double(number)), title: "Downloaded \(number)")
            })
    }

    /// Marks the posts that were not uploaded yet. The list does not show the mark.
    private static func postAll(of container: ModelContainer) throws {
        let context = ModelContext(container)
        context.author = "Post all"
        try context.batchUpdate(Post.where { $0.favorite == false }) { $0.favorite = true }
    }
}
