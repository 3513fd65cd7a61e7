import Ashlar
import BenchmarkHarness
import CLoops
import Foundation
import GRDB

/// Fetches the newest page a thousand times in each of several threads, while one more thread changes the names of a
/// hundred authors in each of a hundred transactions.
///
/// Each thread has a connection or a context of its own. The clock runs until all are done.
struct ReadsBesideWriter<Count: ReaderCount>: Workload {
    static var name: String { "readers: \(Count.readers)" }
    static var unit: String { "1,000 pages each, 100 saves" }
    static var contestants: [Contestant] { [.cLoop, .swiftLoop, .ashlar, .grdbRecord] }
    static var needsFile: Bool { true }
    private static var pages: Int { 1000 }
    private static var saves: Int { 100 }
    private static var changes: Int { 100 }

    /// A store for the loops, which no other workload reads, because it is written to. Ashlar and GRDB have one each.
    /// After other programs wrote plain SQL into its store, Ashlar would compare the values of each row that it
    /// changes.
    private let url: URL
    /// Keeps that store open, so that threads which open it at once need not wait for each other.
    private let opened: HandWrittenConnection
    private let container: ModelContainer
    private let pool: DatabasePool

    init(_ stores: Stores) throws {
        url = try stores.copy(of: stores.full)
        opened = try HandWrittenConnection(url)
        container = try stores.container(at: try stores.copy(of: stores.full))
        pool = try DatabasePool.open(try stores.copy(of: stores.full))
    }

    func run(_ contestant: Contestant, _ round: Round) throws {
        let threads = SimultaneousThreads()
        for _ in 0..<Count.readers { addReader(contestant, threads, isVerifying: round.isVerifying) }
        addWriter(contestant, threads)
        threads.prepare()
        try round.measure { try threads.run() }
        try round.verify(threads.checksum())
    }

    /// The name of an author after a save; no two may be the same.
    private static func name(_ author: Int, _ save: Int) -> String { "Author \(author) of save \(save)" }

    private func addReader(_ contestant: Contestant, _ threads: SimultaneousThreads, isVerifying: Bool) {
        threads.add { [url, container, pool] in
            let fetch: () throws -> Checksum
            switch contestant {
            case .cLoop:
                let connection = try HandWrittenConnection(url)
                let statement = try connection.prepare(PostSQL.selectPage)
                fetch = {
                    var page = CLoopsPosts()
                    defer { CLoopsReleaseValues(&page) }
                    try connection.check(CLoopsFetchValues(statement.handle, &page))
                    return isVerifying ? Checksum(page) : Checksum()
                }
            case .ashlar:
                let context = ModelContext(container)
                let page = Post.order { $0.timestamp.descending }.limit(20)
                fetch = {
                    let values = try context.fetchValues(page)
                    return isVerifying ? Checksum(values) : Checksum()
                }
            case .grdbRecord:
                fetch = {
                    let values = try pool.read { try GRDBPostValues.fetchAll($0, PostRequests.page) }
                    return isVerifying ? Checksum(values.lazy.map(\.values)) : Checksum()
                }
            default:
                let statement = try HandWrittenConnection(url).prepare(PostSQL.selectPage)
                fetch = {
                    let values = try HandWrittenLoops.fetchValues(statement)
                    return isVerifying ? Checksum(values) : Checksum()
                }
            }
            return {
                var checksum = Checksum()
                for _ in 0..<Self.pages { checksum = try fetch() }
                return checksum
            }
        }
    }

    private func addWriter(_ contestant: Contestant, _ threads: SimultaneousThreads) {
        threads.add { [url, container, pool] in
            let save: (Int) throws -> Void
            let sql = #"UPDATE "Author" SET "name" = ?1, "version$" = "version$" + 1 WHERE "id$" = ?2"#
            switch contestant {
            case .ashlar:
                let context = ModelContext(container)
                let authors = try context.fetch(Author.all.limit(Self.changes))
                save = { number in
                    for (index, author) in authors.enumerated() { author.name = Self.name(index + 1, number) }
                    try context.save()
                }
            case .grdbRecord:
                save = { number in
                    try pool.write { database in
                        let statement = try database.cachedStatement(sql: sql)
                        for author in 1...Self.changes {
                            try statement.execute(arguments: [Self.name(author, number), author])
                        }
                    }
                }
            default:
                let connection = try HandWrittenConnection(url)
                let statement = try connection.prepare(sql)
                save = { number in
                    try connection.execute("BEGIN IMMEDIATE")
                    for author in 1...Self.changes {
                        var name = Self.name(author, number)
                        try name.withUTF8 { name in
                            try name.withMemoryRebound(to: CChar.self) { name in
                                sqlite3_bind_text(statement.handle, 1, name.baseAddress, Int32(name.count), nil)
                                sqlite3_bind_int64(statement.handle, 2, Int64(author))
                                let code = sqlite3_step(statement.handle)
                                sqlite3_reset(statement.handle)
                                try connection.check(code)
                            }
                        }
                    }
                    try connection.execute("COMMIT")
                }
            }
            return {
                for number in 1...Self.saves { try save(number) }
                return nil
            }
        }
    }
}

/// The number of reading threads.
protocol ReaderCount: SendableMetatype {
    static var readers: Int { get }
}

enum OneReader: ReaderCount { static let readers = 1 }
enum TwoReaders: ReaderCount { static let readers = 2 }
enum FourReaders: ReaderCount { static let readers = 4 }
