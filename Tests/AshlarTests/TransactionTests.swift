import Foundation
import Testing

@testable import Ashlar

/// All calls within `transaction { }` are one transaction of the store.
@Suite struct TransactionTests {
    struct Failure: Error {}

    let folder: TemporaryFolder
    let container: ModelContainer
    let context: ModelContext
    let article: Article

    init() throws {
        folder = try TemporaryFolder()
        container = try ModelContainer(for: StudioModel.self, at: folder.file())
        context = ModelContext(container)
        article = Article(likes: 1, title: "first")
        context.insert(article)
        context.insert(Article(likes: 2, title: "second"))
        try context.save()
    }

    /// Returns the rows that any other connection reads, with plain SQL.
    private func stored() throws -> String? {
        try ForeignDatabase.connect(folder.file()).text(
            "SELECT group_concat(\"title\" || \"likes\", ' ') FROM (SELECT * FROM \"Article\" ORDER BY \"id$\")")
    }

    private func seen(_ context: ModelContext) throws -> [String] {
        try context.fetch(Article.order { $0.title.ascending }).map { "\($0.title)\($0.likes)" }
    }

    @Test("row 82: batches and saves of a transaction are committed together") func together() throws {
        let count = try context.transaction {
            let new = Article(likes: 3, title: "new")
            context.insert(new)
            try context.save()
            let count = try context.batchUpdate(Article.where { $0.likes >= 2 }) { $0.likes += 10 }
            // The transaction sees its own writes, and no other reader does.
            #expect(new.likes == 13)
            #expect(try seen(context) == ["first1", "new13", "second12"])
            #expect(try context.fetchCount(Article.where { $0.likes > 10 }) == 2)
            #expect(try context.fetchValues(Article.where { $0.likes > 10 }).count == 2)
            #expect(try seen(ModelContext(container)) == ["first1", "second2"])
            #expect(try stored() == "first1 second2")
            article.likes = 5
            return count
        }
        #expect(count == 2)
        #expect(try stored() == "first5 second12 new13")
        #expect(!context.hasChanges)
        #expect(try seen(ModelContext(container)) == ["first5", "new13", "second12"])
        try container.expectSound()
    }

    @Test("row 82: after an error everything of a transaction is undone") func undone() throws {
        let second = try #require(try context.fetch(Article.where { $0.title == "second" }).first)
        let new = Article(likes: 3, title: "new")
        #expect(throws: Failure.self) {
            try context.transaction {
                context.insert(new)
                article.title = "renamed"
                try context.save()
                try context.batchUpdate(Article.all) { $0.likes += 10 }
                try context.batchDelete(Article.where { $0.title == "second" })
                try context.batchInsert(contentsOf: [Article.Values(title: "batch")])
                #expect(second.modelContext == nil)
                article.body = "unsaved"
                throw Failure()
            }
        }
        #expect(try stored() == "first1 second2")
        #expect(article.title == "first" && article.likes == 1 && article.body == nil)
        #expect(!context.hasChanges && new.modelContext == nil)
        #expect(try seen(context) == ["first1", "second2"])
        // The context remains usable.
        article.likes = 7
        context.insert(Article(title: "third"))
        try context.save()
        #expect(try seen(ModelContext(container)) == ["first7", "second2", "third0"])
        try container.expectSound()
    }

    @Test("row 82: a part of a transaction that fails is undone by itself") func parts() throws {
        article.slug = "taken"
        try context.save()
        try context.transaction {
            try context.batchUpdate(Article.all) { $0.likes += 1 }
            #expect(throws: BatchError.self) {
                try context.batchInsert(contentsOf: [
                    Article.Values(slug: "free", title: "x"), Article.Values(slug: "taken", title: "y"),
                ])
            }
            let twin = Article(slug: "taken", title: "twin")
            context.insert(twin)
            #expect(throws: SaveError.self) { try context.save() }
            twin.slug = "other"
            try context.save()
        }
        #expect(try stored() == "first2 second3 twin0")
        try container.expectSound()
    }

    @Test func othersAreToldOnceItIsCommitted() throws {
        let other = ModelContext(container)
        other.automaticallyMergesChangesFromParent = true
        let twin: Article = try other.model(for: article.persistentModelID)
        #expect(twin.likes == 1)
        try context.transaction {
            article.likes = 2
            try context.save()
            try context.batchUpdate(Article.all) { $0.likes += 1 }
            other.processPendingChanges()
            #expect(twin.likes == 1)
        }
        other.processPendingChanges()
        #expect(twin.likes == 3)
        #expect(throws: Failure.self) {
            try context.transaction {
                try context.batchUpdate(Article.all) { $0.likes += 1 }
                throw Failure()
            }
        }
        other.processPendingChanges()
        #expect(twin.likes == 3 && article.likes == 3)
    }

    /// A nested transaction is part of the outer one.
    @Test func transactionsWithinEachOther() throws {
        #expect(throws: Failure.self) {
            try context.transaction {
                try context.transaction { try context.batchUpdate(Article.all) { $0.likes += 1 } }
                throw Failure()
            }
        }
        #expect(try stored() == "first1 second2")
        // Until the transaction writes, other contexts may write.
        let other = ModelContext(container)
        try context.transaction {
            article.likes = 4
            other.insert(Article(title: "theirs"))
            try other.save()
        }
        #expect(try stored() == "first4 second2 theirs0")
        // Afterwards they may not, on this thread.
        try context.transaction {
            try context.batchUpdate(Article.all) { $0.likes += 1 }
            other.insert(Article(title: "later"))
            #expect(throws: StoreError.self) { try other.save() }
        }
        try other.save()
        #expect(try stored() == "first5 second3 theirs1 later0")
    }

    @Test func aStoreInMemory() throws {
        let container = try memoryContainer(StudioModel.self)
        let context = ModelContext(container)
        try context.transaction {
            try context.batchInsert(contentsOf: [Article.Values(title: "a"), Article.Values(title: "b")])
            #expect(try context.fetch(Article.where { $0.title == "a" }).count == 1)
        }
        #expect(throws: Failure.self) {
            try context.transaction {
                try context.batchDelete(Article.all)
                #expect(try context.fetchCount(Article.all) == 0)
                throw Failure()
            }
        }
        #expect(try context.fetchCount(Article.all) == 2)
    }

    @Test("rows 143, 82: SwiftData's deletion of many waits for the save") func deletionOfMany() throws {
        context.insert(Article(likes: 9, title: "unsaved"))
        try context.delete(model: Article.self, where: #Predicate { $0.likes != 2 })
        #expect(try seen(context) == ["second2"])
        #expect(try stored() == "first1 second2")
        context.rollback()
        #expect(try seen(context) == ["first1", "second2"] && article.modelContext === context)
        try context.delete(model: Article.self)
        try context.save()
        #expect(try stored() == nil)
    }
}
