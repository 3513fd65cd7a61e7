import Ashlar
import AshlarTesting
import Foundation
import Testing

/// Random legal objects of a user's model.
struct RandomObjectsTests {
    private func dump(_ container: ModelContainer) throws -> [String] {
        let context = ModelContext(container)
        return try context.fetch(Book.order { $0.title.ascending }).map { book in
            "\(type(of: book)) \(book.title.debugDescription) \(book.pages) \(book.price) \(book.language) "
                + "\(book.year.map(String.init) ?? "nil") \(book.shelf.map { "\($0)" } ?? "nil") "
                + "\(book.author?.name.debugDescription ?? "nil") \(book.lists.count) \(book.loans.count) "
                + "\(book.author?.penNames?.description ?? "nil")"
        }
    }

    @Test func theSameSeedGivesTheSameLegalObjects() throws {
        let containers = try [7, 7, 8].map { seed in
            let container = try ModelContainer.inMemory(for: LibraryModel.self)
            let context = ModelContext(container)
            let books = try context.insertRandom(40, of: Book.self, seed: UInt64(seed))
            #expect(books.count == 40)
            try context.save()
            return container
        }
        let dumps = try containers.map(dump)
        #expect(dumps[0] == dumps[1] && dumps[0] != dumps[2])
        let context = ModelContext(containers[0])
        let books = try context.fetch(Book.all)
        #expect(books.count >= 40 && books.allSatisfy { $0.pages >= 0 })
        // Optional and random values are sometimes present, and sometimes not.
        #expect(books.contains { $0 is AudioBook } && books.contains { !($0 is AudioBook) })
        #expect(books.contains { $0.author != nil } && books.contains { $0.author == nil })
        #expect(books.contains { $0.shelf != nil } && books.contains { $0.shelf == nil })
        #expect(books.contains { $0.year == nil } && Set(books.map(\.language)).count > 1)
        #expect(books.contains { $0.lists.count > 1 })
        #expect(try context.fetch(Loan.all).allSatisfy { $0.book != nil })
        #expect(try context.fetch(Author.all).contains { $0.penNames != nil })
        #expect(try context.fetch(Author.all).allSatisfy { $0.booksCount == Int64($0.books.count) })
    }

    @Test func valuesMayBeChosenAndStoredOnesAreNotTakenTwice() throws {
        let container = try ModelContainer.inMemory(for: LibraryModel.self)
        let context = ModelContext(container)
        context.insert(Author(name: "Verne"))
        try context.save()
        let authors = try context.insertRandom(
            2, of: Author.self, seed: 1, values: ["Author.name": [.text("Verne"), .text("Shelley"), .text("Wells")]])
        #expect(Set(authors.map(\.name)) == ["Shelley", "Wells"])
        try context.save()
        #expect(throws: RandomObjectsError.self) {
            try context.insertRandom(
                1, of: Author.self, seed: 1, values: ["Author.name": [.text("Verne"), .text("Wells")]])
        }
    }

    @Test func anotherModelsClassIsToldFrom() throws {
        let container = try ModelContainer.inMemory(for: LibraryModel.self)
        let context = ModelContext(container)
        #expect(try context.insertRandom(0, of: Author.self, seed: 1).isEmpty)
    }

    /// There are several parts, and constraints hold between them.
    @Test func manyAreSavedInParts() throws {
        let container = try ModelContainer.temporary(for: LibraryModel.self)
        try container.insertRandom(100_000, of: Loan.self, seed: 3)
        let context = ModelContext(container)
        #expect(try context.fetchCount(Loan.all) >= 100_000)
        #expect(try context.fetch(Loan.all).allSatisfy { $0.book != nil })
    }
}
