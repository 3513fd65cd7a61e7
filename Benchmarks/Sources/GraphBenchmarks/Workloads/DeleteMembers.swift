import Ashlar
import BenchmarkHarness
import CLoops
import Foundation

/// Deletes objects that were inserted and not saved, in the order of their insertion. Each is in a list of its
/// author's.
struct DeleteUnsaved: Workload {
    static let name = "delete unsaved"
    static let unit = "all rows"

    private final class LoopAuthor {
        var posts: Set<Int> = []
    }

    private let stores: GraphStores
    private let container: ModelContainer

    init(_ stores: GraphStores) throws {
        self.stores = stores
        container = try stores.container(stores.empty())
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        var left = 0
        if contestant == .swiftLoop {
            let authors = (0..<stores.authorCount).map { _ in LoopAuthor() }
            var inserted: [Int: (post: LoopPost, author: LoopAuthor)] = [:]
            for number in 0..<stores.rows {
                let author = authors[number % authors.count]
                author.posts.insert(number)
                inserted[number] = (LoopPost(id: 0, version: 0, values: Self.values(number)), author)
            }
            try round.measure {
                for number in 0..<stores.rows {
                    if let (_, author) = inserted.removeValue(forKey: number) { author.posts.remove(number) }
                }
            }
            left = inserted.count + authors.reduce(0) { $0 + $1.posts.count }
        } else {
            let context = ModelContext(container)
            let authors = (0..<stores.authorCount).map { Author(name: "Author \($0)") }
            for author in authors { context.insert(author) }
            let posts = (0..<stores.rows).map { number in
                let values = Self.values(number)
                return Post(
                    category: values.category, text: values.text, timestamp: values.timestamp, title: values.title,
                    author: authors[number % authors.count])
            }
            for post in posts { context.insert(post) }
            context.processPendingChanges()
            try round.measure {
                for post in posts { context.delete(post) }
                context.processPendingChanges()
            }
            left = context.insertedModelsArray.count - authors.count + authors.reduce(0) { $0 + $1.posts.count }
        }
        round.verify(Checksum(count: left, sum: 0))
    }

    private static func values(_ number: Int) -> PostValues {
        PostValues(
            category: "none", favorite: false, latitude: 0, likes: 0, longitude: 0, rating: 0, summary: nil, text: "",
            timestamp: Date(timeIntervalSinceReferenceDate: 0), title: "Photo \(number)", author: nil)
    }
}

/// Deletes members of one ordered relationship that was read, 2,000 or half of all at random, and saves.
struct DeleteMembers: Workload {
    static let name = "delete list items"
    static let unit = "2,000, or half of them"

    private let stores: GraphStores
    private let template: URL
    private let places: [Int]

    init(_ stores: GraphStores) throws {
        self.stores = stores
        template = try stores.list()
        var random = SplitMix(state: 6)
        places = Array((0..<stores.rows).shuffled(using: &random).prefix(min(2000, stores.rows / 2)))
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let proof = #"SELECT "id$", "version$", "list", "number", "title" FROM "Item" ORDER BY "list$order""#
        try stores.withCopy(of: template, round, [proof]) { url in
            if contestant == .swiftLoop {
                let connection = try HandWrittenConnection(url)
                var items: [LoopMember] = []
                try connection.prepare(#"SELECT "id$", "title", "list$order" FROM "Item" ORDER BY "list$order""#).each {
                    items.append(LoopMember(id: $0.integer(0), title: $0.text(1), key: $0.integer(2)))
                }
                let doomed = places.map { items[$0] }
                let delete = try connection.prepare(#"DELETE FROM "Item" WHERE "id$" = ?1"#)
                try round.measure {
                    try connection.transaction { for item in doomed { try delete.run { $0.bind(item.id, 1) } } }
                    let gone = Set(doomed.map(\.id))
                    items.removeAll { gone.contains($0.id) }
                }
            } else {
                let context = ModelContext(try stores.container(url))
                guard let list = try context.fetchFirst(ReadingList.all) else { return }
                let items = Array(list.items)
                let doomed = places.map { items[$0] }
                try round.measure {
                    for item in doomed { context.delete(item) }
                    try context.save()
                }
                guard list.items.count == items.count - doomed.count else {
                    throw LoopError(description: "the list still has the deleted items")
                }
            }
        }
    }
}
