import Ashlar
import Testing

/// Any number of rows with a few statements, which commit at once.
@Suite struct BatchTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws { library = try Library() }

    @Test func rowsAreUpdated() throws {
        let author = try #require(try context.fetch(Author.where { $0.name == "Shelley" }).first)
        let book = try #require(try library.book("Frankenstein"))
        let count = try context.batchUpdate(Book.where { $0.author == author }) {
            $0.pages += 5
            $0.language = .de
        }
        #expect(count == 2)
        #expect(book.pages == 285 && book.language == .de, "objects in memory follow")
        #expect(try library.saved("The Last Man")?.pages == 475)
    }

    @Test func rowsAreDeleted() throws {
        #expect(try context.batchDelete(Book.where { $0.language == .fr }) == 2)
        #expect(try context.fetchCount(Book.all) == 3)
    }

    @Test func rowsAreInserted() throws {
        let values = (0..<1000).map { Book.Values(pages: $0, title: "Volume \($0)") }
        #expect(try context.batchInsert(contentsOf: values) == 1000)
        #expect(try context.fetchCount(Book.where { $0.title.hasPrefix("Volume") }) == 1000)
        let authors = [Author.Values(name: "Verne", penNames: ["Jules"]), Author.Values(name: "Wells")]
        try context.batchInsert(contentsOf: authors, onConflict: .update(uniqueBy: ["name"]))
        #expect(try context.fetchCount(Author.all) == 3)
    }

    @Test func identifiersAreTold() throws {
        var request = BatchDeleteRequest(Book.where { $0.pages < 100 })
        request.options.resultType = .identifiers
        let result = try context.execute(request)
        #expect(result.count == 2 && result.identifiers?.count == 2)
    }

    @Test func rulesHold() throws {
        #expect(throws: BatchError.self) { try context.batchUpdate(Book.all) { $0.pages = -1 } }
        #expect(throws: BatchError.self) { try context.batchInsert(contentsOf: [Author.Values(name: "Verne")]) }
        #expect(try context.fetchCount(Book.where { $0.pages < 0 }) == 0)
    }

    @Test func onAnyTask() async throws {
        let container = library.container
        #expect(try await container.batchDelete(Book.where { $0.pages == 90 }) == 1)
        let lines = AsyncStream<Book.Values> { continuation in
            for number in 0..<10 { continuation.yield(Book.Values(title: "Line \(number)")) }
            continuation.finish()
        }
        #expect(try await container.batchInsert(contentsOf: lines).count == 10)
    }
}
