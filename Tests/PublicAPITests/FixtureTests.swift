import Ashlar
import AshlarTesting
import Foundation
import Testing
import ToolProgram

/// Objects from JSON that a person wrote, or `ashlar dump`.
struct FixtureTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try ModelContainer.inMemory(for: LibraryModel.self)
        context = ModelContext(container)
    }

    @Test func objectsByEntityReferToEachOtherByNames() throws {
        let fixture = try context.insertFixture(
            """
            {
                "Book": [
                    { "title": "Frankenstein", "year": 1818, "author": "mary", "price": 9.5,
                      "shelf": { "room": "B", "number": 3 }, "added": "2026-05-01T12:00:00Z" },
                    { "title": "From the Earth", "language": "fr", "author": "Verne", "$id": "earth" }
                ],
                "Author": [{ "$id": "mary", "name": "Shelley" }, { "name": "Verne" }],
                "AudioBook": [{ "title": "Tour", "minutes": 440, "author": null, "$id": "tour" }],
                "ReadingList": [{ "title": "Summer", "books": ["tour", "earth"] }]
            }
            """)
        try context.save()
        let mary = try #require(fixture.object(Author.self, "mary"))
        #expect(fixture.objects.count == 6 && mary.name == "Shelley")
        #expect(fixture.object(Book.self, "mary") == nil && fixture.object(Author.self, "nobody") == nil)
        let other = ModelContext(container)
        let books = try other.fetch(Book.order { $0.title.ascending })
        #expect(books.map(\.title) == ["Frankenstein", "From the Earth", "Tour"])
        #expect(books.map(\.author?.name) == ["Shelley", "Verne", nil])
        #expect(books[0].shelf?.room == "B" && books[0].shelf?.number == 3 && books[1].shelf == nil)
        #expect(books[0].language == .en && books[1].language == .fr && books[0].price == Decimal(string: "9.5"))
        #expect(books[0].added == Date(timeIntervalSince1970: 1_777_636_800))
        #expect(books[0].pages == 0 && (books[2] as? AudioBook)?.minutes == 440)
        #expect(try other.fetchFirst(ReadingList.all)?.books.map(\.title) == ["Tour", "From the Earth"])
    }

    @Test func listsAndLinesSayTheirEntity() throws {
        try context.insertFixture(#"[{ "$entity": "Author", "name": "a" }, { "name": "b" }]"#, entityName: "Author")
        try context.insertFixture(
            """
            {"$entity":"Author","$id":7,"name":"c"}
            {"$entity":"Book","$id":7,"title":"x","author":7}
            """)
        try context.save()
        #expect(try context.fetch(Author.order { $0.name.ascending }.select { $0.name }) == ["a", "b", "c"])
        #expect(try context.fetchFirst(Book.all)?.author?.name == "c")
    }

    @Test(
        arguments: [
            (#"{"Book": [{"title": "x"}, {"title": 3}]}"#, 2, "Book", "title", "type string"),
            (#"{"Book": [{"title": null}]}"#, 1, "Book", "title", "must not be null"),
            (#"{"Book": [{}]}"#, 1, "Book", "title", "should be"),
            (#"{"Book": [{"title": "x", "language": "xx"}]}"#, 1, "Book", "language", "one of 'en', 'fr', 'de'"),
            (#"{"Book": [{"title": "x", "pages": -1}]}"#, 1, "Book", "pages", "not allowed"),
            (#"{"Book": [{"titel": "x"}]}"#, 1, "Book", "titel", "There are added, author"),
            (#"{"Book": [{"title": "x", "author": "nobody"}]}"#, 1, "Book", "author", "$id or the name"),
            (#"{"Book": [{"title": "x", "lists": "nobody"}]}"#, 1, "Book", "lists", "should be a list"),
            (#"{"Boot": [{"title": "x"}]}"#, 1, nil, nil, "There is no entity Boot. There are AudioBook, Author"),
            (#"[{"title": "x"}]"#, 1, nil, nil, "does not name its entity"),
            (#"{"Author": [{"$id": "a", "name": "x"}, {"$id": "a", "name": "y"}]}"#, 2, "Author", "$id", "the name a"),
            (#"{"Author": [{"name": "x", "name": "y"}]}"#, 1, "Author", "name", "twice"),
            (#"{"Author": {}}"#, nil, "Author", nil, "a list of objects"),
            (#"{"Author": [{"name": "x"}"#, nil, nil, nil, "neither JSON nor lines"),
        ] as [(String, Int?, String?, String?, String)])
    func errorsNameThePlaceAndWhatIsAllowed(
        _ text: String, _ position: Int?, _ entity: String?, _ property: String?, _ reason: String
    ) throws {
        do {
            try context.insertFixture(text)
            Issue.record("It was inserted.")
        } catch let error as FixtureError {
            #expect(error.position == position && error.entity == entity && error.property == property, "\(error)")
            #expect(error.description.contains(reason), "\(error)")
        }
    }

    @Test func aFileIsFoundFromThePackage() throws {
        try context.insertFixture(at: "Tests/PublicAPITests/Plans/library.json")
        try context.save()
        #expect(try context.fetchCount(Book.all) == 2)
        #expect(throws: FixtureError.self) { try context.insertFixture(at: "Tests/none.json") }
    }

    /// The file of a real dump is loaded again, with all references between objects.
    @Test(.enabled(if: ToolProgram.isThere), arguments: [1, 2, 3] as [UInt64])
    func aDumpIsAFixture(_ seed: UInt64) throws {
        let original = try ModelContainer.temporary(for: LibraryModel.self)
        let first = ModelContext(original)
        try first.insertRandom(30, of: Book.self, seed: seed)
        try first.insertRandom(5, of: Branch.self, seed: seed)
        try first.save()
        let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Models/Library.xcdatamodeld").path
        let dump = try ToolProgram.run(
            ["dump", original.configuration.url.path, "--model", model], in: FileManager.default.temporaryDirectory)
        #expect(dump.status == 0, "\(dump.messages)")
        let fixture = try context.insertFixture(dump.results)
        try context.save()
        #expect(fixture.objects.count > 35)
        #expect(try Self.description(container) == Self.description(original))
    }

    /// Describes the books and the objects that belong to them, without the numbers of objects.
    private static func description(_ container: ModelContainer) throws -> [String] {
        let context = ModelContext(container)
        let books = try context.fetch(Book.all).map { book in
            [
                "\(type(of: book))", book.title, "\(book.pages)", "\(book.price)", "\(book.language)",
                "\(book.year ?? -1)", "\(book.added.timeIntervalSinceReferenceDate)", book.summary ?? "nil",
                book.shelf.map { "\($0.room) \($0.number)" } ?? "nil",
                book.author.map { "\($0.name) \($0.penNames?.description ?? "nil")" } ?? "nil",
                book.lists.map { list in "\(list.title) at \(list.books.firstIndex { $0 === book } ?? -1)" }.sorted()
                    .joined(separator: ";"),
                book.loans.map { "\($0.borrower) \($0.returned)" }.sorted().joined(separator: ";"),
                (book as? AudioBook).map { "\($0.minutes)" } ?? "",
            ].joined(separator: "|")
        }
        return books.sorted()
            + (try context.fetch(Branch.all)).map { "\($0.name) \($0.latitude) \($0.longitude)" }.sorted()
    }
}
