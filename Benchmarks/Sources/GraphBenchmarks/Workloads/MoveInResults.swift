import Ashlar
import BenchmarkHarness
import CLoops

/// Gives a thousand posts, or half of them, another section, in live results of all posts.
struct MoveInResults: Workload {
    static let name = "move in live results"
    static let unit = "1,000 moves at once"

    /// The objects of live results in their order, and where each section begins.
    private struct LoopResults {
        var posts: [LoopPost]
        var sections: [(name: String, start: Int)] = []

        init(_ posts: [LoopPost]) {
            self.posts = posts.sorted(by: Self.precedes)
            divide()
        }

        static func precedes(_ left: LoopPost, _ right: LoopPost) -> Bool {
            if left.values.category != right.values.category { return left.values.category < right.values.category }
            return left.values.timestamp < right.values.timestamp
        }

        /// Removes the changed posts, and merges them in at their new places.
        mutating func update(_ changed: [LoopPost]) {
            let identifiers = Set(changed.map(\.id))
            let rest = posts.filter { !identifiers.contains($0.id) }
            let moved = changed.sorted(by: Self.precedes)
            var result: [LoopPost] = []
            result.reserveCapacity(posts.count)
            var next = 0
            for post in rest {
                while next < moved.count, Self.precedes(moved[next], post) {
                    result.append(moved[next])
                    next += 1
                }
                result.append(post)
            }
            result += moved[next...]
            posts = result
            divide()
        }

        private mutating func divide() {
            sections = []
            for (index, post) in posts.enumerated() where sections.last?.name != post.values.category {
                sections.append((post.values.category, index))
            }
        }
    }

    private let readers: Readers
    private let places: [Int]

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        var random = SplitMix(state: 8)
        places = Array((0..<stores.rows).shuffled(using: &random).prefix(min(1000, stores.rows / 2)))
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .swiftLoop {
            let posts = try LoopContext(readers.connection).posts
            var results = LoopResults(posts)
            try round.measure {
                for place in places { posts[place].values.category = "category \(place % 40)" }
                results.update(places.map { posts[$0] })
            }
            round.verify(
                Checksum(results.posts.map(\.id) + results.sections.map { Int64($0.start) }) { $0.add($1) })
        } else {
            let context = ModelContext(readers.container)
            let posts = try context.fetch(Post.all)
            let results = FetchedResultsController(
                Post.order { $0.category.ascending }.order { $0.timestamp.ascending }, in: context
            ) { $0.category }
            try results.performFetch()
            try round.measure {
                for place in places { posts[place].category = "category \(place % 40)" }
                context.processPendingChanges()
                // They may be created at the first access.
                guard results.fetchedObjects.count == results.sections.reduce(0, { $0 + $1.count }) else {
                    throw LoopError(description: "the sections lack objects")
                }
            }
            var starts: [Int64] = []
            var start: Int64 = 0
            for section in results.sections {
                starts.append(start)
                start += Int64(section.count)
            }
            round.verify(Checksum(results.fetchedObjects.map(\.persistentModelID.rowID) + starts) { $0.add($1) })
        }
    }
}
