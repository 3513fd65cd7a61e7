import Ashlar
import Testing

/// Relationships of all kinds.
@Suite struct RelationshipTests {
    @Test func bothSidesChangeAtOnce() throws {
        let library = try Library(isEmpty: true)
        let author = Author(name: "Brontë")
        let book = Book(title: "Villette")
        book.author = author
        #expect(author.books.contains(book))
        library.context.insert(author)
        #expect(book.modelContext === library.context, "what an object leads to comes along")
        author.books.remove(book)
        #expect(book.author == nil)
        author.books.append(book)
        try library.context.save()
        #expect(try library.saved("Villette")?.author == author.persistentModelID)
    }

    @Test func anOrderIsKept() throws {
        let library = try Library()
        let books = try library.context.fetch(Book.order { $0.title.ascending })
        let list = ReadingList(title: "Next", books: books)
        library.context.insert(list)
        try library.context.save()
        list.books.move(books[4], to: 0)
        list.books.remove(books[0])
        try library.context.save()
        let other = ModelContext(library.container)
        let saved = try #require(try other.fetch(ReadingList.all).first)
        #expect(saved.books.map(\.title) == ["Vingt mille lieues", "Frankenstein", "Le tour du monde", "The Last Man"])
        #expect(saved.books.first?.lists.count == 1)
    }

    @Test func deletionRules() throws {
        let library = try Library()
        let book = try #require(try library.book("Frankenstein"))
        for borrower in ["Ann", "Bob"] { library.context.insert(Loan(borrower: borrower, book: book)) }
        try library.context.save()
        #expect(book.loans.count == 2)
        library.context.delete(try #require(book.author))
        try library.context.save()
        #expect(book.author == nil, "a reference to what is gone is nil")
        library.context.delete(book)
        try library.context.save()
        #expect(try library.context.fetchCount(Loan.all) == 0, "loans go with their book")
    }

    @Test func requiredOnesAreChecked() throws {
        let library = try Library()
        let book = try #require(try library.book("Frankenstein"))
        let loan = Loan(borrower: "Ann", book: book)
        library.context.insert(loan)
        loan.book = nil
        #expect(throws: SaveError.self) { try library.context.save() }
    }

    @Test func derivedAttributesFollow() throws {
        let library = try Library()
        let author = try #require(try library.context.fetch(Author.where { $0.name == "Verne" }).first)
        #expect(author.booksCount == 2)
        library.context.insert(Book(title: "De la Terre à la Lune", author: author))
        try library.context.save()
        #expect(author.booksCount == 3)
    }
}
