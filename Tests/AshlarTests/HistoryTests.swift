import AshlarSQLite
import Foundation
import Testing

@testable import Ashlar

/// The changes that a store records, and the requests that read them.
@Suite struct HistoryTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func container(
        _ model: any ManagedObjectModel.Type = PhotoFeedModel.self, historyTracking: Bool? = true,
        allowsSave: Bool = true
    ) throws -> ModelContainer {
        try ModelContainer(
            for: model,
            configurations: ModelConfiguration(
                url: folder.file(), allowsSave: allowsSave, options: StoreOptions(historyTracking: historyTracking)))
    }

    func context(_ container: ModelContainer, author: String? = nil) -> ModelContext {
        let context = ModelContext(container)
        context.author = author
        return context
    }

    @Test("rows 82, 138: the parts of a transaction are in the history once it is committed") func parts() throws {
        struct Failure: Error {}
        let container = try container()
        let context = context(container, author: "somebody")
        let author = Author(name: "a")
        context.insert(author)
        try context.save()
        let token = try container.currentHistoryToken()
        func change() throws {
            author.name = "b"
            try context.save()
            try context.batchInsert(contentsOf: [Author.Values(name: "c")])
            try context.batchDelete(Author.where { $0.name == "b" })
        }
        #expect(throws: Failure.self) {
            try context.transaction {
                try change()
                throw Failure()
            }
        }
        #expect(try texts(container, .fetchHistory(after: token)).isEmpty)
        #expect(author.modelContext == nil)
        #expect(try context.fetch(Author.all).map(\.name) == ["a"])
        try context.transaction {
            try context.batchInsert(contentsOf: [Author.Values(name: "c")])
            try context.batchDelete(Author.where { $0.name == "a" })
            #expect(try container.fetchHistory(.fetchHistory(after: token)).isEmpty)
        }
        let all = try container.fetchHistory(.fetchHistory(after: token))
        #expect(Self.texts(all).flatMap { $0 }.filter { $0.hasPrefix("insert") } == ["insert Author 2"])
        #expect(all.allSatisfy { $0.author == "somebody" })
        try container.expectSound()
    }

    /// The changes of transactions as texts, such as `update Post 1 title`.
    static func texts(_ transactions: [PersistentHistoryTransaction]) -> [[String]] {
        transactions.map { transaction in
            transaction.changes.map { change in
                let names = change.updatedProperties.sorted().map { " \($0)" }.joined()
                return
                    "\(change.changeType) \(change.changedObjectID.entityName) \(change.changedObjectID.rowID)\(names)"
            }
        }
    }

    func texts(
        _ container: ModelContainer, _ request: PersistentHistoryChangeRequest = .all
    ) throws -> [[String]] {
        Self.texts(try container.fetchHistory(request))
    }

    // MARK: Batch operations

    @Test("row 147: batch operations are transactions of their context")
    func batchOperations() throws {
        let container = try container()
        let context = context(container, author: "batch")
        let merging = ModelContext(container)
        try context.batchInsert(contentsOf: (0..<100).map { Author.Values(name: "\($0)") })
        let first = try #require(try merging.fetch(Author.where { $0.name == "7" }).first)
        try context.batchUpdate(Author.where { $0.name == "7" }) { $0.name = "seven" }
        try context.batchDelete(Author.where { $0.name.hasPrefix("9") })
        let transactions = try container.fetchHistory()
        #expect(transactions.map(\.author) == ["batch", "batch", "batch"])
        #expect(transactions.map(\.changes.count) == [100, 1, 11])
        #expect(Self.texts(transactions)[0].first == "insert Author 1")
        #expect(Self.texts(transactions)[1] == ["update Author 8 name"])
        #expect(Self.texts(transactions)[2].allSatisfy { $0.hasPrefix("delete Author") })
        // One row for all insertions of the batch, and one at the beginning of the history.
        let recorded = try container.integer("SELECT count(*) FROM \"ashlar$change\"")
        #expect(recorded == 14)
        #expect(first.name == "7")
        try merging.mergeChanges(from: transactions[1].objectIDNotification())
        #expect(first.name == "seven")
        // An upsert may change rows, so it is recorded row by row. Rows that it leaves unchanged are not reported.
        try context.batchInsert(
            contentsOf: [Author.Values(name: "seven"), Author.Values(name: "new")], onConflict: .update)
        let upserted = try container.fetchHistory(.fetchHistory(after: transactions[2].token))
        #expect(upserted.flatMap(\.changes).map(\.changeType) == [.insert])
    }

    // MARK: On and off

    @Test("row 135: history on and off")
    func onAndOff() throws {
        var container: ModelContainer? = try container(historyTracking: nil)
        #expect(try container?.isHistoryTracked() == false)
        #expect(throws: HistoryError.notTracked(folder.file())) { try container?.fetchHistory() }
        #expect(try container?.text("SELECT name FROM sqlite_schema WHERE name LIKE 'ashlar$%History%'") == nil)
        container = nil
        container = try self.container()
        let first = try #require(container)
        context(first).insert(Author(name: "unsaved"))
        let author = Author(name: "Ada")
        let context = context(first)
        context.insert(author)
        try context.save()
        #expect(try texts(first) == [["insert Author 1"]])
        let token = try first.currentHistoryToken()
        container = nil

        // If the option is nil, the store's own setting applies to every container.
        let second = try self.container(historyTracking: nil)
        #expect(try second.isHistoryTracked() && second.fetchHistory().count == 1)
        // The recorded schema version is current, so the schemas are not compared again.
        let metadata = try #require(try second.pool.read { try StoreMetadata($0) })
        #expect(try metadata.schemaVersion == second.integer("PRAGMA schema_version"))

        let third = try self.container(historyTracking: false)
        #expect(throws: HistoryError.notTracked(folder.file())) { try third.fetchHistory() }
        #expect(throws: HistoryError.turnedOff(folder.file())) { try second.fetchHistory() }
        try change("Byron", in: third)
        // A container that tracked the history continues without it.
        try change("Countess", in: second)
        let fourth = try self.container()
        #expect(try fourth.fetchHistory().isEmpty)
        #expect(throws: HistoryError.tokenExpired(folder.file(), token: token)) {
            try fourth.fetchHistory(.fetchHistory(after: token))
        }
        try change("Lovelace", in: fourth)
        #expect(try texts(fourth) == [["update Author 1 name"]])
        try fourth.expectSound()
    }

    func change(_ name: String, in container: ModelContainer) throws {
        let context = ModelContext(container)
        let author = try #require(try context.fetch(Author.all).first)
        author.name = name
        try context.save()
    }

    @Test func aStoreInMemory() throws {
        let container = try ModelContainer(
            for: PhotoFeedModel.self,
            configurations: ModelConfiguration(
                isStoredInMemoryOnly: true, options: StoreOptions(historyTracking: true)))
        let context = context(container, author: "me")
        context.insert(Author(name: "Ada"))
        try context.save()
        #expect(try container.fetchHistory().map(\.author) == ["me"])
    }

    @Test func aStoreThatCannotBeWritten() throws {
        try change { $0.insert(Author(name: "Ada")) }
        try ForeignProgram(folder.file()).run("UPDATE Author SET name = 'Eve'")
        let container = try container(historyTracking: nil, allowsSave: false)
        #expect(try texts(container) == [["insert Author 1"], ["update Author 1 name"]])
        #expect { try container.deleteHistory(before: .now) } throws: {
            if case StoreError.readOnly = $0 { true } else { false }
        }
    }

    func change(_ body: (ModelContext) throws -> Void) throws {
        let context = ModelContext(try container())
        try body(context)
        try context.save()
    }

    // MARK: Transactions and changes

    @Test("rows 136, 137: transactions and their changes")
    func transactionsAndChanges() throws {
        let container = try container()
        let context = context(container, author: "ada")
        context.name = "editor"
        let before = Date.now
        let author = Author(name: "Ada")
        let post = Post(timestamp: .now, title: "One", author: author)
        let other = Post(timestamp: .now, title: "Two", author: author)
        for model in [post, other, author] as [any PersistentModel] { context.insert(model) }
        try context.save()
        post.title = "Uno"
        post.likes = 3
        context.delete(other)
        try context.save()
        // A save without changes is not a transaction.
        try context.save()
        let transactions = try container.fetchHistory()
        let (row, gone) = (post.persistentModelID.rowID, 3 - post.persistentModelID.rowID)
        #expect(
            Self.texts(transactions).map { $0.sorted() } == [
                ["insert Author 1", "insert Post 1", "insert Post 2"],
                ["delete Post \(gone)", "update Post \(row) likes title"],
            ])
        for transaction in transactions {
            #expect(transaction.author == "ada" && transaction.contextName == "editor")
            #expect(transaction.processID == "\(ProcessInfo.processInfo.processIdentifier)")
            #expect(transaction.bundleID?.isEmpty == false && transaction.storeID == container.storeIdentifier)
            #expect(transaction.timestamp >= before && transaction.timestamp <= .now)
            #expect(transaction.changes.allSatisfy { $0.transactionNumber == transaction.transactionNumber })
        }
        let change = try #require(transactions[1].changes.first { $0.changeType == .update })
        let model: Post = try context.model(for: change.changedObjectID)
        #expect(model === post)
        #expect(try container.fetchHistory(.all.transactionsOnly).map(\.changes.isEmpty) == [true, true])
        #expect(try container.fetchHistory(.all.limit(1)) == [transactions[0]])
    }

    @Test func whatOneTransactionDoesToAnObjectIsOneChange() throws {
        let container = try container()
        let program = try ForeignProgram(folder.file(), "foreign_keys = ON")
        func run(_ sql: String...) {
            #expect(program.run("BEGIN; \(sql.joined(separator: "; ")); COMMIT") == nil)
        }
        run("INSERT INTO Author (name) VALUES ('a'), ('b')", "UPDATE Author SET name = name || '!'")
        #expect(try texts(container) == [["insert Author 1", "insert Author 2"]])
        let token = try container.currentHistoryToken()
        run("INSERT INTO Author (name) VALUES ('c')", "DELETE FROM Author WHERE name = 'c'")
        #expect(try texts(container, .fetchHistory(after: token)) == [])
        run(
            "UPDATE Author SET name = 'x' WHERE name = 'a!'",
            "INSERT INTO Post (title, timestamp, author) SELECT 't', 1, \"id$\" FROM Author ORDER BY \"id$\"",
            "UPDATE Author SET name = 'y' WHERE name = 'x'")
        #expect(
            try texts(container, .fetchHistory(after: token)) == [
                ["update Author 1 name", "insert Post 1", "insert Post 2"]
            ])
        let later = try container.currentHistoryToken()
        // A row that is deleted and inserted again with its number, and deletions by foreign keys.
        run("DELETE FROM Author WHERE \"id$\" = 1", "INSERT INTO Author (\"id$\", name) VALUES (1, 'back')")
        #expect(
            try texts(container, .fetchHistory(after: later)).map { Set($0) } == [
                ["delete Post 1", "update Author 1 name"]
            ])
        run("UPDATE Author SET \"id$\" = 9 WHERE \"id$\" = 1", "UPDATE Author SET name = name")
        #expect(try texts(container).last == ["delete Author 1", "insert Author 9"])
    }

    @Test func rowsThatAreInsertedTogether() throws {
        let container = try container(NewsroomModel.self)
        let context = context(container)
        context.insert(Feature(title: "first"))
        try context.save()
        let token = try container.currentHistoryToken()
        let feature = try #require(container.model.entity(named: "Feature"))
        func insert(_ statements: [String], count: Int) throws {
            try container.pool.write { connection in
                try connection.transaction {
                    try connection.recordingHistory(of: HistoryOrigin(author: "batch")) {
                        try connection.recordingInsertions(of: feature.schema, in: "main") {
                            for statement in statements { try connection.execute(statement) }
                            return count
                        }
                    }
                }
            }
        }
        let row = "INSERT INTO Report (\"entity$\", title) VALUES ('Feature', 't')"
        try insert([row, row, row, "INSERT INTO Publisher (name) VALUES ('other')"], count: 3)
        let found = try container.fetchHistory(.fetchHistory(after: token))
        #expect(
            Self.texts(found) == [
                ["insert Publisher 1", "insert Feature 2", "insert Feature 3", "insert Feature 4"]
            ])
        #expect(found.map(\.author) == ["batch"])
        #expect(try container.integer("SELECT count(*) FROM \"ashlar$change\" WHERE \"detail\" = 4") == 1)
        // With a gap in the row numbers, and a row of another entity in between.
        let later = try container.currentHistoryToken()
        try insert(
            [row, "INSERT INTO Report (\"id$\", title) VALUES (9, 'report')", row], count: 2)
        #expect(
            try texts(container, .fetchHistory(after: later)) == [
                ["insert Feature 5", "insert Report 9", "insert Feature 10"]
            ])
        #expect(try texts(container, .fetchHistory(after: later).changing(Feature.self)).flatMap { $0 }.count == 2)
        // Later insertions are recorded as before.
        #expect(try ForeignProgram(folder.file()).run(row) == nil)
        #expect(try texts(container).last == ["insert Feature 11"])
        // If another program gives a row a far greater number, that row does not count as inserted by the next batch.
        #expect(try ForeignProgram(folder.file()).run("UPDATE Report SET \"id$\" = 1020 WHERE \"id$\" = 9") == nil)
        let last = try container.currentHistoryToken()
        try insert([row, row], count: 2)
        #expect(
            try texts(container, .fetchHistory(after: last)) == [["insert Feature 1021", "insert Feature 1022"]])
    }

    @Test func programsThatKnowNothingOfAshlar() throws {
        let container = try container()
        let program = try ForeignProgram(folder.file(), "trusted_schema = OFF")
        #expect(program.run("INSERT INTO Author (name) VALUES ('a')") == nil)
        #expect(program.run("INSERT INTO Author (name) VALUES ('b')") == nil)
        let context = context(container, author: "ashlar")
        context.insert(Author(name: "c"))
        try context.save()
        #expect(program.run("UPDATE Author SET name = 'd' WHERE name = 'a'") == nil)
        let transactions = try container.fetchHistory()
        // Consecutive transactions of the program may be reported as one, but not with another transaction in between.
        #expect(
            Self.texts(transactions) == [
                ["insert Author 1", "insert Author 2"], ["insert Author 3"], ["update Author 1 name"],
            ])
        #expect(transactions.map(\.author) == [nil, "ashlar", nil])
        #expect(transactions[0].processID == nil && transactions[0].bundleID == nil)
        // The time remains that of the first read, which found the change.
        #expect(try container.fetchHistory() == transactions)
        #expect(try container.fetchHistory(.fetchHistory(after: transactions[2])).isEmpty)
    }

    @Test func relationships() throws {
        let container = try container(NewsroomModel.self)
        let context = ModelContext(container)
        let report = Report(title: "r")
        let feature = Feature(title: "f")
        let keywords = ["a", "b"].map { Keyword(name: $0) }
        let reporter = Reporter(name: "Ada")
        for model in [report, feature, reporter] + keywords as [any PersistentModel] { context.insert(model) }
        try context.save()
        var token = try container.currentHistoryToken()
        report.author = reporter
        feature.keywords = ToMany(keywords)
        try context.save()
        func changes(_ request: PersistentHistoryChangeRequest) throws -> Set<String> {
            Set(try texts(container, request).flatMap { $0 })
        }
        // A column changes the object that has it, a pair changes both objects; derived attributes change too.
        let found = try changes(.fetchHistory(after: token))
        #expect(found.contains { $0.hasPrefix("update Report 1 author authorKey authorName") })
        #expect(found.contains { $0.hasPrefix("update Reporter 1 ") && $0.contains("reportsCount") })
        #expect(
            try changes(.fetchHistory(after: token).changing(Feature.self, ["keywords"])) == [
                "update Feature 2 keywords"
            ])
        #expect(
            try changes(.fetchHistory(after: token).changing(Keyword.self, ["reports"])) == [
                "update Keyword 1 reports", "update Keyword 2 reports",
            ])
        token = try container.currentHistoryToken()
        feature.keywords = ToMany(keywords.reversed())
        try context.save()
        #expect(
            try changes(.fetchHistory(after: token).changing(Report.self)).filter { $0.contains("keywords") }.count == 1
        )
        token = try container.currentHistoryToken()
        feature.keywords = []
        try context.save()
        #expect(
            try changes(.fetchHistory(after: token).changing(Feature.self, ["keywords"])) == [
                "update Feature 2 keywords"
            ])
    }

}
