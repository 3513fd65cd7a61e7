import Ashlar
import BenchmarkHarness
import CLoops

/// Reads the author's name of each of 10,000 posts, without prefetching; a thousand authors have ten each.
///
/// The loops look up each author by itself.
struct ToOneReads: Workload {
    static let name = "to one, shared"
    static let unit = "10,000 reads over 1,000 authors"
    static let contestants: [Contestant] = [.cLoop, .swiftLoop, .ashlar]

    private let reads: NameReads

    init(_ stores: Stores) throws { reads = try NameReads(stores, authors: 1_000) }

    func run(_ contestant: Contestant, _ round: Round) throws { try reads.run(contestant, round) }
}

/// The same where each post has an author of its own.
struct DistinctToOneReads: Workload {
    static let name = "to one, distinct"
    static let unit = "10,000 reads over 10,000 authors"
    static let contestants: [Contestant] = [.cLoop, .swiftLoop, .ashlar]

    private let reads: NameReads

    init(_ stores: Stores) throws { reads = try NameReads(stores, authors: 10_000) }

    func run(_ contestant: Contestant, _ round: Round) throws { try reads.run(contestant, round) }
}

/// 10,000 posts with their authors in a store of their own, read in the ways of the contestants.
private struct NameReads {
    private static let count = 10_000

    private let container: ModelContainer
    private let cStatement: HandWrittenStatement
    private let swiftStatement: HandWrittenStatement
    private let rowIDs: [Int64]

    init(_ stores: Stores, authors: Int) throws {
        let store = try stores.copy(of: stores.empty)
        container = try stores.container(at: store)
        let context = ModelContext(container)
        for number in SampleData.authorCount..<max(authors, SampleData.authorCount) {
            context.insert(Author(name: "Author \(number + 1)"))
        }
        try context.save()
        let all = try context.fetchIdentifiers(Author.order { $0.name.ascending })
        var random = SplitMix(state: 7)
        let chosen = (0..<Self.count).map { all[$0 % all.count] }.shuffled(using: &random)
        try context.batchInsert(
            contentsOf: chosen.enumerated().map { number, author in
                Post.Values(timestamp: .distantPast, title: "Photo \(number)", author: author)
            })
        rowIDs = chosen.map(\.rowID)
        let sql = #"SELECT "name" FROM "Author" WHERE "id$" = ?1"#
        cStatement = try HandWrittenConnection(store).prepare(sql)
        swiftStatement = try HandWrittenConnection(store).prepare(sql)
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        switch contestant {
        case .cLoop:
            var sum: UInt64 = 0
            try round.measure {
                try cStatement.connection.check(CLoopsReadNames(cStatement.handle, rowIDs, rowIDs.count, &sum))
            }
            round.verify(Checksum(count: rowIDs.count, sum: sum))
        case .swiftLoop:
            var sum = NameSum()
            try round.measure {
                for rowID in rowIDs { sum.add(try HandWrittenLoops.name(rowID, swiftStatement)) }
            }
            round.verify(sum.checksum)
        default:
            let context = ModelContext(container)
            let posts = try context.fetch(Post.all)
            var sum = NameSum()
            try round.measure { for post in posts { if let author = post.author { sum.add(author.name) } } }
            round.verify(sum.checksum)
        }
    }
}

/// A number that depends on names and on their order.
private struct NameSum {
    private var count = 0
    private var sum: UInt64 = 0

    var checksum: Checksum { Checksum(count: count, sum: sum) }

    @inline(__always)
    mutating func add(_ name: String) {
        count += 1
        sum = sum &* 31 &+ UInt64(name.utf8.count) &+ UInt64(name.utf8.last ?? 0)
    }
}
