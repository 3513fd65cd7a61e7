import Ashlar
import BenchmarkHarness
import CLoops

/// Changes 10,000 objects, or half of all, undoes that and does it again; all in one group.
struct UndoAndRedo: Workload {
    static let name = "undo and redo"
    static let unit = "10,000, or half"

    private let readers: Readers
    private let count: Int

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        count = min(10_000, stores.rows / 2)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        var sums: [Int64] = []
        if contestant == .swiftLoop {
            let posts = try LoopContext(readers.connection).posts
            var undone: [(post: LoopPost, likes: Int64)] = []
            func swapValues() {
                for index in undone.indices.reversed() {
                    let (post, likes) = undone[index]
                    undone[index].likes = post.values.likes
                    post.values.likes = likes
                }
            }
            try round.measure {
                for post in posts.prefix(count) {
                    undone.append((post, post.values.likes))
                    post.values.likes += 1
                }
            }
            try round.measure { swapValues() }
            sums.append(posts.reduce(0) { $0 + $1.values.likes })
            try round.measure { swapValues() }
            sums.append(posts.reduce(0) { $0 + $1.values.likes })
        } else {
            let context = ModelContext(readers.container)
            let manager = ModelUndoManager()
            context.undoManager = manager
            let posts = try context.fetch(Post.all)
            try round.measure {
                for post in posts.prefix(count) { post.likes += 1 }
                context.processPendingChanges()
            }
            try round.measure { manager.undo() }
            sums.append(posts.reduce(0) { $0 + $1.likes })
            try round.measure { manager.redo() }
            sums.append(posts.reduce(0) { $0 + $1.likes })
        }
        round.verify(Checksum(sums) { $0.add($1) })
    }
}

/// Saves 10,000 changed objects, or a tenth of all, of a child context to its parent, which has all posts.
struct SaveChild: Workload {
    static let name = "save a child"
    static let unit = "10,000, or a tenth"

    private let readers: Readers
    private let count: Int

    init(_ stores: GraphStores) throws {
        readers = try Readers(stores.posts(), stores)
        count = min(10_000, stores.rows / 10)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        if contestant == .swiftLoop {
            let parent = try LoopContext(readers.connection)
            var child: [Int64: LoopPost] = [:]
            for post in parent.posts.prefix(count) {
                let copy = LoopPost(id: post.id, version: post.version, values: post.values)
                copy.values.likes += 1
                child[post.id] = copy
            }
            var changed: Set<Int64> = []
            try round.measure {
                for (id, copy) in child {
                    guard let post = parent.map[id], post.values != copy.values else { continue }
                    post.values = copy.values
                    changed.insert(id)
                }
            }
            round.verify(parent.checksum)
        } else {
            let parent = ModelContext(readers.container)
            let posts = try parent.fetch(Post.all)
            let child = ModelContext(parent: parent)
            let copies = try child.fetch(Post.all.limit(count))
            for copy in copies { copy.likes += 1 }
            try round.measure { try child.save() }
            round.verify(Checksum(posts) { $0.add($1.likes) })
        }
    }
}
