import Ashlar
import Foundation
import Testing

/// Values in place of objects.
@Suite struct ProjectionTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws { library = try Library() }

    @Test func selectedValues() throws {
        let titles: [String] = try context.fetch(
            Book.where { $0.pages > 290 }.order { $0.title.ascending }.select { $0.title })
        #expect(titles == ["The Last Man", "Vingt mille lieues"])
        let pairs: [(String, Int64)] = try context.fetch(
            Book.where { $0.author.name == "Shelley" }.order { $0.pages.ascending }.select { ($0.title, $0.pages * 2) })
        #expect(pairs.map(\.1) == [560, 940])
        let authors: [String?] = try context.fetch(
            Book.where { $0.title == "Beowulf" }.select { $0.author.name.optional })
        #expect(authors == [nil])
        #expect(Set(try context.fetch(Book.all.select { $0.language }.distinct())) == [.en, .fr])
    }

    @Test func groups() throws {
        let perAuthor: [(String?, Int, Int64)] = try context.fetch(
            Book.group { $0.author.name }.select { ($0.author.name.optional, .count, .sum($0.pages)) })
        let found = Dictionary(uniqueKeysWithValues: perAuthor.map { ($0.0 ?? "nobody", "\($0.1) \($0.2)") })
        #expect(found == ["Shelley": "2 750", "Verne": "2 300", "nobody": "1 90"])
        let many: [(Language, Int)] = try context.fetch(
            Book.all.group { $0.language }.having { _ in .count > 1 }.select { ($0.language, .count) }
                .order { _ in .descending(.count) })
        #expect(many.map(\.1) == [3, 2])
    }

    @Test func rows() throws {
        let rows: [Book.Values] = try context.fetchValues(Book.order { $0.title.ascending })
        #expect(rows.map(\.title).first == "Beowulf" && rows[1].author != nil)
        let audioBooks = try context.fetchValues(AudioBook.all)
        #expect(audioBooks.map(\.minutes) == [440])
        let identifiers = try context.fetchIdentifiers(Book.all)
        #expect(Set(identifiers).count == 5)
    }

    @Test func namesKnownAtRunTime() throws {
        let rows = try context.fetchDictionaries(
            Book.where { $0.pages == 90 }, properties: ["title", .value("half") { $0.pages / 2 }])
        #expect(rows.count == 1 && rows[0]["title"] as? String == "Beowulf" && rows[0]["half"] as? Int64 == 45)
    }

    @Test func oneBatchInMemory() throws {
        var titles: [String] = []
        try context.enumerate(Book.order { $0.title.ascending }, batchSize: 2) { titles.append($0.title) }
        #expect(titles.count == 5)
        let books = try context.fetch(Book.order { $0.title.ascending }, batchSize: 2).compactMap { $0 }
        #expect(books.map(\.title) == titles)
    }

    @Test func offTheCallersThread() async throws {
        let container = library.container
        #expect(try await container.fetchCount(Book.all) == 5)
        #expect(try await container.fetchValues(Book.where { $0.pages == 90 }).map(\.title) == ["Beowulf"])
        var pages: Int64 = 0
        for try await book in container.values(Book.all) { pages += book.pages }
        #expect(pages == 1140)
    }
}
