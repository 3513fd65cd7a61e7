import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar

/// Programs that write plain SQL, which does not raise the versions of rows.
@Suite struct ForeignUpdateTests {
    let folder: TemporaryFolder
    let container: ModelContainer
    let context: ModelContext
    let article: Article

    init() throws {
        folder = try TemporaryFolder()
        container = try ModelContainer(for: StudioModel.self, at: folder.file())
        context = ModelContext(container)
        article = Article(likes: 1, title: "old")
        article.colors = [.init(red: 9, green: 8, blue: 7)]
        context.insert(article)
        context.insert(Article(title: "other"))
        try context.save()
    }

    private func execute(_ sql: String) throws { try ForeignDatabase.connect(folder.file()).execute(sql) }

    @Test func rowsThatAreEvaluatedInMemoryHaveForeignValues() throws {
        let writer = Writer(name: "w")
        context.insert(writer)
        article.writer = writer
        try context.save()
        writer.city = "changed"
        try execute("UPDATE \"Article\" SET \"likes\" = 7 WHERE \"title\" = 'old'")
        let found = Article.where { $0.likes == 7 && $0.writer.city == "changed" }
        #expect(try context.fetchCount(found) == 1)
        #expect(try context.fetch(found) == [article] && article.likes == 7)
    }

    @Test("row 80: a fetch brings what a plain update wrote") func fetching() throws {
        let log = ChangeLog<Article, Never>()
        let controller = FetchedResultsController(Article.order { $0.likes.descending }, in: context)
        controller.delegate = log
        try controller.performFetch()
        try execute("UPDATE \"Article\" SET \"title\" = 'new' WHERE \"title\" = 'old'")
        #expect(article.title == "old")
        #expect(try context.fetch(Article.where { $0.title == "new" }) == [article])
        #expect(article.title == "new" && !article.hasChanges)
        context.processPendingChanges()
        #expect(log.take() == ["will", "update 0.0 0.0", "content", "did"])
        _ = try context.fetch(Article.all)
        context.processPendingChanges()
        #expect(log.take() == [], "what a fetch finds to be as it was is no news")
        // The context's own change takes precedence.
        article.title = "mine"
        try execute("UPDATE \"Article\" SET \"likes\" = 2 WHERE \"title\" = 'new'")
        _ = try context.fetch(Article.all)
        #expect(article.title == "mine")
    }

    /// Calls a closure while the container's own writer is in a transaction on another thread.
    ///
    /// - Parameter isSaving: Whether the writer first notes foreign commits, as a save does.
    private func whileWriting<Result>(isSaving: Bool, _ body: () throws -> Result) rethrows -> Result {
        let (isWriting, mayEnd, hasEnded) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        DispatchQueue.global().async { [container] in
            try? container.pool.write { connection in
                if isSaving { try container.noteForeignCommits(connection) }
                container.pool.foreignCommits.areExcluded = isSaving
                isWriting.signal()
                mayEnd.wait()
                container.pool.foreignCommits.areExcluded = false
            }
            hasEnded.signal()
        }
        isWriting.wait()
        defer {
            mayEnd.signal()
            hasEnded.wait()
        }
        return try body()
    }

    @Test(
        "row 80: a fetch brings what a plain update wrote, also while the container's own writer is at work",
        arguments: [false, true])
    func fetchingBesideTheWriter(isSaving: Bool) throws {
        try execute("UPDATE \"Article\" SET \"title\" = 'new' WHERE \"title\" = 'old'")
        let found = try whileWriting(isSaving: isSaving) { try context.fetch(Article.where { $0.title == "new" }) }
        #expect(found == [article])
        #expect(article.title == "new")
    }

    /// No other program can commit during a save, so a concurrent reader need not compare the registered objects.
    @Test func aSaveIsKnownToBeAlone() throws {
        let root = article.entity.number.root
        for isSaving in [true, false] {
            // The reader detects a commit, which is the container's own.
            let other = ModelContext(container)
            other.insert(Article(title: "another"))
            try other.save()
            let mayExist = try whileWriting(isSaving: isSaving) {
                var mayExist = false
                try container.pool.read { connection in
                    _ = try connection.integer("SELECT count(*) FROM \"Article\"")
                    mayExist = container.foreignCommitsExist(connection, root)
                }
                return mayExist
            }
            #expect(mayExist == !isSaving)
        }
    }

    private static let policies: [MergePolicy] = [
        .error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
    ]

    @Test("row 130: a save does not overwrite what a plain update wrote", arguments: policies.indices)
    func saving(number: Int) throws {
        let policy = Self.policies[number]
        context.mergePolicy = policy
        try execute("UPDATE \"Article\" SET \"title\" = 'theirs', \"likes\" = 7 WHERE \"title\" = 'old'")
        article.title = "mine"
        func stored() throws -> String? {
            try container.text("SELECT \"title\" || \"likes\" FROM \"Article\" WHERE \"id$\" = 1")
        }
        switch policy.kind {
        case .error:
            #expect { try context.save() } throws: { error in
                guard case SaveError.conflict(let conflicts) = error else { return false }
                return conflicts.map(\.object) == [article.persistentModelID]
                    && conflicts[0].storeChangedProperties == ["likes", "title"]
            }
            #expect(try stored() == "theirs7" && article.title == "mine")
            try context.refresh(article)
            #expect(article.title == "mine" && article.likes == 7)
            try context.save()
            #expect(try stored() == "mine7")
        case .objectTrump:
            try context.save()
            #expect(try stored() == "mine7" && article.likes == 7)
        case .storeTrump, .rollback:
            try context.save()
            #expect(try stored() == "theirs7" && article.title == "theirs")
        default:
            try context.save()
            #expect(try stored() == "mine1")
        }
        #expect(!context.hasChanges)
    }

    /// Values that other programs wrote into other columns stay, and do not conflict.
    @Test func otherColumnsStay() throws {
        try execute("UPDATE \"Article\" SET \"likes\" = 7")
        article.title = "mine"
        article.colors = []
        try context.save()
        #expect(try container.text("SELECT \"title\" || \"likes\" FROM \"Article\" WHERE \"id$\" = 1") == "mine7")
        // If only the container itself wrote, nothing is compared.
        let calm = try ModelContainer(for: StudioModel.self, at: folder.file("calm.store"))
        let second = ModelContext(calm)
        second.insert(Article(title: "a"))
        try second.save()
        _ = try second.fetch(Article.all)
        #expect(!calm.pool.foreignCommits.exist && container.pool.foreignCommits.exist)
    }

    @Test("row 106: live results follow a plain update") @MainActor func liveResults() async throws {
        var seen: [[String]] = []
        for try await articles in container.mainContext.results(Article.order { $0.likes.descending }) {
            seen.append(articles.map(\.title))
            if seen.count == 2 { break }
            try execute("UPDATE \"Article\" SET \"title\" = 'new' WHERE \"title\" = 'old'")
        }
        #expect(seen == [["old", "other"], ["new", "other"]])
    }
}
