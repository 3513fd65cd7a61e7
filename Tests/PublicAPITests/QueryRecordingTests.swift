import Ashlar
import AshlarTesting
import Foundation
import Testing

/// Recording queries in the tests of a program.
struct QueryRecordingTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try ModelContainer.inMemory(for: LibraryModel.self)
        context = ModelContext(container)
        let verne = Author(name: "Verne")
        for year in 1860..<1880 {
            context.insert(Book(title: "Voyage \(year)", year: Int64(year), author: verne))
        }
        try context.save()
    }

    @Test func aFetchByAnIndexIsOneQueryAndNoScan() throws {
        let recording = try QueryRecording(of: container) {
            let books = try context.fetch(Book.where { $0.year > 1870 })
            #expect(books.count == 9)
        }
        #expect(recording.queries.count == 1 && recording.changes.isEmpty)
        #expect(recording.uses(index: "byYear"))
        #expect(recording.uses(index: "byYear", of: "Book"))
        #expect(!recording.uses(index: "byYear", of: "Author"))
        #expect(!recording.uses(index: "byTitle"))
        #expect(recording.fullScans.isEmpty)
        #expect(recording.sorts.isEmpty)
        #expect(recording.queries.first?.rowCount == 9)
    }

    @Test func whatHasNoIndexIsAScanAndASort() throws {
        let recording = try QueryRecording(of: container) {
            _ = try context.fetch(Book.where { $0.pages > 100 }.order { $0.title.ascending })
        }
        #expect(recording.fullScans.map(\.entityName) == ["Book"])
        #expect(recording.sorts.count == 1)
        #expect(recording.indexes.isEmpty)
        #expect(recording.description.contains("SCAN Book"))
        #expect(recording.fullScans.first?.description.hasPrefix("all of Book: SELECT … FROM \"Book\"") == true)
    }

    @Test func aConditionThroughARelationshipTellsBothTables() throws {
        let recording = try QueryRecording(of: container) {
            _ = try context.fetch(Book.where { $0.author.name == "Verne" && $0.pages >= 0 })
        }
        #expect(recording.queries.count == 1)
        let names = Set(recording.fullScans.compactMap(\.entityName))
        // SQLite chooses which of the two comes first; it finds the other by its key or an index.
        #expect(names.count <= 1 && names.isSubset(of: ["Author", "Book"]), "\(recording)")
    }

    @Test func listsOfIdentifiersAreNoTables() throws {
        let identifiers = try context.fetchIdentifiers(Book.all)
        let fresh = ModelContext(container)
        let recording = try QueryRecording(in: fresh) {
            _ = try fresh.fetchFirst(Book.all.prefetch { $0.author })?.author?.name
            #expect(try fresh.fetchValues(Book.where { $0.title == "Voyage 1861" }).count == 1)
        }
        #expect(identifiers.count == 20)
        #expect(recording.fullScans.allSatisfy { $0.tableName == "Book" }, "\(recording)")
    }

    @Test func pairsOfARelationshipAreATable() throws {
        let recording = try QueryRecording(of: container) {
            let list = ReadingList(title: "Long")
            context.insert(list)
            list.books.append(contentsOf: try context.fetch(Book.all.limit(2)))
            try context.save()
        }
        #expect(recording.changes.count >= 2)
        #expect(recording.changes.contains { $0.sql.hasPrefix("INSERT INTO \"ReadingList\"") })
        #expect(recording.statements.allSatisfy { !$0.sql.hasPrefix("BEGIN") && !$0.sql.contains("ashlar$") })
        #expect(recording.statements.allSatisfy { !$0.sql.contains("Long") }, "values are never in it")
    }

    @Test func aRecordingHasItsOwnContainerAndContextOnly() throws {
        let other = try ModelContainer.inMemory(for: LibraryModel.self)
        let elsewhere = ModelContext(other)
        let second = ModelContext(container)
        second.name = "second"
        var inner: QueryRecording?
        let outer = try QueryRecording(of: container) {
            _ = try elsewhere.fetch(Author.all)
            inner = try QueryRecording(in: second) {
                _ = try context.fetchCount(Book.all)
                _ = try second.fetch(Book.where { $0.year == 1870 })
            }
        }
        #expect(outer.queries.count == 2)
        #expect(inner?.queries.map(\.contextName) == ["second"])
        _ = try second.fetchCount(Author.all)
        #expect(outer.queries.count == 2, "nothing is recorded afterwards")
    }

    @Test func theObserverOfTheContextIsToldAllTheSame() throws {
        let count = Counter()
        context.statementObserver = StatementObserver { _ in count.add() }
        let recording = try QueryRecording(of: container) { _ = try context.fetchCount(Book.all) }
        #expect(recording.queries.count == 1 && count.value == 1)
        _ = try context.fetchCount(Book.all)
        #expect(count.value == 2)
    }

    @Test func plansAreNotCounted() throws {
        context.statementCount = 0
        let recording = try QueryRecording(of: container) { _ = try context.fetch(Book.where { $0.year == 1 }) }
        #expect(recording.queries.count == 1 && context.statementCount == 1)
    }

    @Test func backgroundReadsCountToo() async throws {
        let disk = try ModelContainer.temporary(for: LibraryModel.self)
        let writing = ModelContext(disk)
        for year in 1...30 { writing.insert(Book(title: "\(year)", year: Int64(year))) }
        try writing.save()
        let recording = try await QueryRecording(of: disk) {
            var count = 0
            for try await _ in disk.values(Book.where { $0.year > 3 }, batchSize: 10) { count += 1 }
            #expect(count == 27)
            async let values = disk.fetchValues(Book.where { $0.year == 7 })
            async let more = disk.fetchCount(Author.where { $0.name == "x" })
            #expect(try await values.count == 1)
            #expect(try await more == 0)
        }
        #expect(recording.uses(index: "byYear"))
        #expect(recording.queries.count > 3 && recording.fullScans.isEmpty, "\(recording)")
    }

    @Test func aRecordingWithinATransactionDoesNotDisturbIt() throws {
        var recording: QueryRecording?
        try context.transaction {
            recording = try QueryRecording(of: container) {
                context.insert(Book(title: "New", year: 1999))
                try context.save()
                #expect(try context.fetch(Book.where { $0.year == 1999 }).count == 1)
            }
        }
        #expect(recording?.uses(index: "byYear") == true)
        #expect(try ModelContext(container).fetchCount(Book.where { $0.year == 1999 }) == 1)
    }

    @Test func anErrorOfTheBlockEndsTheRecording() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) { try QueryRecording(of: container) { throw Stop() } }
        #expect(try QueryRecording(of: container) {}.statements.isEmpty)
        #expect(try QueryRecording(of: container) {}.description == "no statements")
    }

    // MARK: Files of plans

    private func recording(_ year: Int64) throws -> QueryRecording {
        try QueryRecording(of: container) {
            _ = try context.fetch(Book.where { $0.year > year })
            _ = try context.fetch(Author.where { $0.name == "secret \(year)" })
        }
    }

    @Test func aFileThatIsMissingOrOtherFailsWithWhatDiffers() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "feed.plans").path
        let first = try recording(1)
        #expect(throws: QueryPlanError.noFile(path: path)) { try QueryPlans.compare(first, with: path) }
        try Data("SELECT … FROM \"Book\" WHERE \"Book\".\"isbn\" = ?\n    SCAN Book\n".utf8)
            .write(to: URL(fileURLWithPath: path))
        do {
            try QueryPlans.compare(first, with: path)
            Issue.record("The file has another query.")
        } catch let error {
            #expect("\(error)".contains("  - SCAN Book") && "\(error)".contains("(did not run)"))
            #expect("\(error)".contains("  + SEARCH Book USING INDEX index$Book$byYear"), "\(error)")
            #expect("\(error)".contains("ASHLAR_UPDATE_PLANS=1"))
        }
    }

    /// The committed file of this very test.
    @Test func theCommittedFileIsCompared() throws {
        try QueryPlans.compare(try recording(1900), with: "Tests/PublicAPITests/Plans/Library.plans")
    }

    @Test func whatAProgramRecordedIsCompared() throws {
        let folder = try TemporaryFolder()
        let recorder = try StatementRecorder(to: folder.url.appending(path: "queries.jsonl"))
        context.statementObserver = recorder.observer
        _ = try context.fetch(Book.where { $0.year > 1900 })
        _ = try context.fetch(Author.where { $0.name == "Anna" })
        context.insert(Author(name: "Anna"))
        try context.save()
        try recorder.flush()
        try QueryPlans.compare(
            recordedAt: recorder.url, for: LibraryModel.self, with: "Tests/PublicAPITests/Plans/Program.plans")
    }

    @Test func whatAnotherModelRanIsNotExplained() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "queries.jsonl")
        try Data(#"{"sql":"SELECT 1 FROM \"Gone\"","count":1,"microseconds":1,"rows":1}"#.utf8).write(to: url)
        #expect {
            try QueryPlans.compare(recordedAt: url, for: LibraryModel.self, with: "none.plans")
        } throws: { error in
            "\(error)".contains("no such table: Gone")
        }
    }
}

/// Counts on any thread.
private final class Counter: @unchecked Sendable {
    // Unchecked because of the count, which is only used under the lock.
    private let lock = NSLock()
    private var count = 0
    var value: Int { lock.withLock { count } }
    func add() { lock.withLock { count += 1 } }
}
