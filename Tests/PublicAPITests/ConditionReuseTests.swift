import Ashlar
import AshlarCoreData
import Foundation
import Testing

/// Conditions that are kept as values: in closures about related objects, and for other entities.
@Suite struct ConditionReuseTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws { library = try Library() }

    private func names(_ descriptor: FetchDescriptor<Author>) throws -> [String] {
        let names = try context.fetch(descriptor).map(\.name).sorted()
        #expect(try context.fetchCount(descriptor) == names.count)
        return names
    }

    /// Conditions on books, made in three ways.
    private func long() throws -> [Condition] {
        [
            try Condition(for: Book.self, format: "pages > 400"),
            try #require(Book.where { $0.pages > 400 }.condition),
            try #require(FetchDescriptor(predicate: #Predicate<Book> { $0.pages > 400 }).condition),
        ]
    }

    @Test(arguments: [false, true])
    func aKeptConditionIsAboutTheObjectOfItsClosure(_ hasChanges: Bool) throws {
        if hasChanges {
            for book in try context.fetch(Book.all) { book.price += 1 }
            for author in try context.fetch(Author.all) { author.penNames = ["x"] }
        }
        for long in try long() {
            #expect(try names(Author.where { $0.books.contains { _ in long } }) == ["Shelley"])
            #expect(try names(Author.where { $0.books.allSatisfy { _ in !long } }) == ["Verne"])
            #expect(try names(Author.where { $0.books.filter { _ in long }.count > 0 }) == ["Shelley"])
            #expect(try names(Author.where { $0.books.count { _ in long } == 0 }) == ["Verne"])
            #expect(try names(Author.where { $0.books.contains { $0.year < 1820 || long } }) == ["Shelley"])
            #expect(try names(Author.where { $0.books.contains { $0.year > 1860 && !long } }) == ["Verne"])
            #expect(try names(Author.where { $0.books.contains { _ in long && long } }) == ["Shelley"])
            #expect(try names(Author.where { $0.books.sum { long.then($0.pages, else: 0) } > 0 }) == ["Shelley"])
            // At the outermost level, the condition applies to the fetched object, as before.
            #expect(try context.fetch(Book.where { _ in long }).map(\.title) == ["The Last Man"])
            #expect(try context.fetchCount(Book.where { $0.year == 1818 || long }) == 2)
        }
    }

    @Test func aKeptConditionMayFollowRelationshipsItself() throws {
        let frankenstein = try #require(try library.book("Frankenstein"))
        context.insert(Loan(borrower: "Mary", book: frankenstein))
        try context.save()
        let ofBooks = [
            try Condition(for: Book.self, format: "ANY author.books.pages > 400"),
            try Condition(for: Book.self, format: "SUBQUERY(author.books, $b, $b.pages > 400).@count > 0"),
            try #require(
                Book.where { book in book.author.books.contains { $0.pages > 400 && $0.author == book.author } }
                    .condition),
        ]
        for hasChanges in [false, true] {
            if hasChanges { for book in try context.fetch(Book.all) { book.price += 1 } }
            for ofBook in ofBooks {
                #expect(try names(Author.where { $0.books.contains { _ in ofBook } }) == ["Shelley"])
                #expect(try names(Author.where { $0.books.contains { !ofBook && $0.pages > 0 } }) == ["Verne"])
                #expect(
                    try names(
                        Author.where { author in
                            author.books.contains { book in ofBook && book.loans.contains { _ in book.author == author }
                            }
                        }) == ["Shelley"])
                #expect(
                    try names(
                        Author.where {
                            $0.books.contains { $0.loans.contains { $0.book.author.books.allSatisfy { _ in ofBook } } }
                        })
                        == ["Shelley"])
            }
        }
    }

    @Test func aConditionCanBeMadeInTheClosureThatUsesIt() throws {
        let found = Author.where { author in
            author.books.contains { _ in
                do {
                    return try Condition(for: Book.self, format: "pages > 400")
                } catch {
                    return author.name == ""
                }
            }
        }
        #expect(try names(found) == ["Shelley"])
    }

    @Test func objectsOfOuterClosuresKeepTheirMeaning() throws {
        let long = try Condition(for: Book.self, format: "pages > 250")
        let found = try context.fetch(
            Author.where { author in author.books.contains { _ in author.name == "Verne" && long } })
        #expect(found.map(\.name) == ["Verne"])
    }

    @Test func aConditionOfAnotherEntityIsAnError() throws {
        let ofAuthors = try Condition(for: Author.self, format: "name == 'Verne'")
        let error = FetchError.entityMismatch(entity: "Book", other: "Author")
        let descriptors = [
            Book.where { _ in ofAuthors }, Book.where { $0.pages > 3 || ofAuthors }, Book.where { _ in !ofAuthors },
        ]
        for hasChanges in [false, true] {
            if hasChanges { for book in try context.fetch(Book.all) { book.price += 1 } }
            for descriptor in descriptors {
                #expect(throws: error) { try context.fetch(descriptor) }
                #expect(throws: error) { try context.fetchCount(descriptor) }
                #expect(throws: error) { try context.exists(descriptor) }
                #expect(throws: error) { try context.fetchIdentifiers(descriptor) }
                #expect(throws: error) { try context.fetchValues(descriptor) }
            }
        }
        context.rollback()
        for descriptor in descriptors {
            #expect(throws: error) { try context.batchDelete(descriptor) }
            #expect(throws: error) { try context.batchUpdate(descriptor) { $0.pages = 1 } }
        }
        var ordered = Book.all
        ordered.sortOrders = Author.order { $0.name.ascending }.sortOrders
        #expect(throws: error) { try context.fetch(ordered) }
        let ofRelated = Author.where { $0.books.contains { _ in ofAuthors } }
        #expect(throws: error) { try context.fetch(ofRelated) }
        #expect("\(error)".contains("Author") && "\(error)".contains("Book"))
    }

    @Test func aConditionOfAnEntityAboveIsAsGood() throws {
        let ofBooks = try Condition(for: Book.self, format: "language == 'fr'")
        #expect(try context.fetch(AudioBook.where { _ in ofBooks }).map(\.title) == ["Le tour du monde"])
        var descriptor = AudioBook.all
        descriptor.sortOrders = Book.order { $0.title.ascending }.sortOrders
        descriptor.condition = ofBooks
        #expect(try context.fetchCount(descriptor) == 1)
    }
}
