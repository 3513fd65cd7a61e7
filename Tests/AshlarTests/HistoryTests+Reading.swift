import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar

extension HistoryTests {
    // MARK: Tokens

    @Test("row 139: tokens, purging, and tokens of what was purged")
    func tokens() throws {
        let container = try container()
        var tokens = [try container.currentHistoryToken()]
        for index in 0..<5 {
            let context = ModelContext(container)
            context.insert(Author(name: "\(index)"))
            try context.save()
            tokens.append(try container.currentHistoryToken())
        }
        #expect(tokens == tokens.sorted() && Set(tokens).count == 6)
        for (index, token) in tokens.enumerated() {
            let stored = try JSONDecoder().decode(
                PersistentHistoryToken.self, from: try JSONEncoder().encode(token))
            #expect(stored == token)
            #expect(
                try texts(container, .fetchHistory(after: stored)) == (index..<5).map { ["insert Author \($0 + 1)"] })
        }
        let transactions = try container.fetchHistory()
        #expect(transactions.map(\.token) == Array(tokens[1...]))
        // The deletion is exclusive: the transaction of the token stays.
        try container.deleteHistory(before: tokens[3])
        #expect(try container.fetchHistory() == Array(transactions[2...]))
        #expect(try container.fetchHistory(.fetchHistory(after: tokens[2])).count == 3)
        for old in tokens[..<2] {
            #expect(throws: HistoryError.tokenExpired(folder.file(), token: old)) {
                try container.fetchHistory(.fetchHistory(after: old))
            }
        }
        try container.deleteHistory(before: .distantPast)
        #expect(try container.fetchHistory().count == 3)
        try container.deleteHistory(before: Date.distantFuture)
        #expect(try container.fetchHistory().isEmpty)
        // The numbering of transactions continues.
        #expect(try container.currentHistoryToken() == tokens[5])
        let context = ModelContext(container)
        context.insert(Author(name: "new"))
        try context.save()
        #expect(try texts(container, .fetchHistory(after: tokens[5])) == [["insert Author 6"]])
        #expect(try container.integer("SELECT count(*) FROM \"ashlar$change\"") == 2)
        let other = PersistentHistoryToken(tokenValue: ["elsewhere": 4])
        #expect(throws: HistoryError.tokenOfOtherStore(folder.file(), token: other)) {
            try container.fetchHistory(.fetchHistory(after: other))
        }
        let later = PersistentHistoryToken(tokenValue: [container.storeIdentifier: 1000])
        #expect(throws: HistoryError.tokenExpired(folder.file(), token: later)) {
            try container.fetchHistory(.fetchHistory(after: later))
        }
    }

    @Test func purgingMuch() throws {
        let container = try container()
        try container.execute(
            """
            INSERT INTO Author (name) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
            SELECT i FROM n
            """)
        let token = try container.currentHistoryToken()
        #expect(try container.fetchHistory().first?.changes.count == 120_000)
        try container.execute("UPDATE Author SET name = 'x' WHERE \"id$\" = 7")
        let transaction = try #require(try container.fetchHistory().last)
        try container.deleteHistory(before: transaction)
        #expect(try texts(container) == [["update Author 7 name"]])
        #expect(try container.integer("SELECT count(*) FROM \"ashlar$change\"") == 1)
        #expect(try container.fetchHistory(.fetchHistory(after: token)).count == 1)
    }

    // MARK: Filters

    @Test("row 140: filters by entity, property, author and time")
    func filters() throws {
        let container = try container()
        let sync = context(container, author: "sync")
        let app = context(container, author: "app")
        app.name = "main"
        let author = Author(name: "Ada")
        let post = Post(timestamp: .now, title: "One", author: author)
        app.insert(author)
        app.insert(post)
        try app.save()
        let middle = Date.now
        let synced = try #require(try sync.fetch(Post.all).first)
        synced.likes = 7
        try sync.save()
        post.title = "Two"
        app.mergePolicy = .mergeByPropertyObjectTrump
        try app.save()
        #expect(try ForeignProgram(folder.file()).run("UPDATE Author SET name = 'Eve'") == nil)
        #expect(try texts(container, .all.changing(Author.self)) == [["insert Author 1"], ["update Author 1 name"]])
        #expect(
            try texts(container, .all.changing(Post.self, ["title", "image"])) == [
                ["insert Post 1"], ["update Post 1 title"],
            ])
        #expect(
            try texts(container, .all.changing(Post.self, ["likes"]).changing(Author.self, ["name"])).suffix(2) == [
                ["update Post 1 likes"], ["update Author 1 name"],
            ])
        #expect(try texts(container, .all.by(["sync"])) == [["update Post 1 likes"]])
        #expect(try container.fetchHistory(.all.by(excluding: ["sync"])).map(\.author) == ["app", "app", nil])
        #expect(try container.fetchHistory(.all.by(excluding: [nil])).map(\.author) == ["app", "sync", "app"])
        #expect(try container.fetchHistory(.all.by([nil, "app"])).count == 3)
        #expect(try container.fetchHistory(.all.inContexts(named: ["main"])).count == 2)
        #expect(try container.fetchHistory(.fetchHistory(after: middle)).count == 3)
        #expect(
            try container.fetchHistory(.all.changing(Author.self).transactionsOnly).map(\.changes.count) == [0, 0])
        #expect(try container.fetchHistory(.all.changing(Comment.self)).isEmpty)
        #expect(throws: HistoryError.unknownProperty(entity: "Post", property: "titel")) {
            try container.fetchHistory(.all.changing(Post.self, ["titel"]))
        }
    }

    @Test func filtersByEntitiesOfOneTable() throws {
        let container = try container(NewsroomModel.self)
        let context = ModelContext(container)
        context.insert(Report(title: "r"))
        context.insert(Feature(title: "f"))
        try context.save()
        #expect(try texts(container, .all.changing(Feature.self)) == [["insert Feature 2"]])
        let found = try texts(container, .all.changing(Report.self))
        #expect(found.map { Set($0) } == [["insert Feature 2", "insert Report 1"]])
        #expect(
            try texts(container, .all.changing(Report.self, includesSubentities: false)) == [["insert Report 1"]])
    }

    // MARK: Merging

    @Test("row 141: a context merges what the history tells")
    func merging() throws {
        let container = try container()
        let context = ModelContext(container)
        let author = Author(name: "Ada")
        let posts = (0..<3).map { Post(timestamp: .now, title: "\($0)", author: author) }
        for model in [author] + posts as [any PersistentModel] { context.insert(model) }
        try context.save()
        #expect(author.posts.count == 3)
        var token = try container.currentHistoryToken()
        let program = try ForeignProgram(folder.file(), "foreign_keys = ON")
        program.run("UPDATE Post SET likes = 5 WHERE title = '0'; DELETE FROM Post WHERE title = '1'")
        program.run("INSERT INTO Post (title, timestamp, author) VALUES ('new', 0, 1)")
        for transaction in try container.fetchHistory(.fetchHistory(after: token)) {
            try context.mergeChanges(from: transaction.objectIDNotification())
            token = transaction.token
        }
        #expect(posts[0].likes == 5)
        #expect(posts[1].modelContext == nil)
        #expect(author.posts.map(\.title).sorted() == ["0", "2", "new"])
        #expect(try container.fetchHistory(.fetchHistory(after: token)).isEmpty)
    }

    // MARK: Tombstones

    @Test("rows 12, 138: what outlives a deleted object")
    func tombstones() throws {
        let container = try container(StudioModel.self)
        let context = ModelContext(container)
        let released = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456)
        let price = try #require(Decimal(string: "123.4500000001"))
        context.insert(Product(name: "N\0ul", price: price, released: released, stock: 7))
        context.insert(Product(name: "Other", price: 1, stock: 8))
        try context.save()
        for product in try context.fetch(Product.order { $0.name.ascending }) { context.delete(product) }
        try context.save()
        let changes = try container.fetchHistory()[1].changes
        #expect(changes.map(\.changeType) == [.delete, .delete])
        let tombstone = try #require(changes.first { $0.changedObjectID.rowID == 1 }?.tombstone)
        #expect(tombstone["name"] as? String == "N\0ul")
        #expect(tombstone["price"] as? Decimal == price)
        #expect(tombstone["stock"] as? Int32 == 7)
        #expect(tombstone["released"] as? Date == released)
        #expect(tombstone["rating"] == nil && tombstone["code"] == nil)
        #expect(tombstone.value(of: "stock", as: Int.self) == 7)
        #expect(tombstone.properties == ["name", "price", "released", "stock"])
        #expect(changes.first { $0.changedObjectID.rowID == 2 }?.tombstone?["name"] as? String == "Other")
        #expect(try container.fetchHistory()[0].changes.allSatisfy { $0.tombstone == nil })
        try container.deleteHistory(before: .distantFuture)
        #expect(try container.integer("SELECT count(*) FROM \"ashlar$tombstone\"") == 0)
    }
}
