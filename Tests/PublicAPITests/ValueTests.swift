import Ashlar
import Foundation
import Testing

/// Values of attributes, and archives of them.
@Suite struct ValueTests {
    @Test func archivesComeBack() throws {
        let library = try Library()
        let author = try #require(try library.context.fetch(Author.where { $0.name == "Verne" }).first)
        author.penNames = ["Jules", "Gabriel"]
        try library.context.save()
        author.penNames?.append("J. V.")
        try library.context.save()
        let saved = try ModelContext(library.container).fetchValues(Author.where { $0.name == "Verne" })
        #expect(saved.first?.penNames == ["Jules", "Gabriel", "J. V."])
    }

    @Test func negativeZeroIsStoredAsZero() throws {
        let library = try Library(isEmpty: true)
        library.context.insert(Branch(latitude: -0.0, longitude: -1, name: "b"))
        try library.context.save()
        let stored = try ModelContext(library.container).fetchValues(Branch.where { $0.latitude == -0.0 })
        #expect(stored.map(\.latitude.sign) == [.plus])
    }

    @Test func decimalsAreExact() throws {
        let library = try Library()
        let sum: [Decimal?] = try library.context.fetch(
            Book.where { $0.title == "Frankenstein" || $0.title == "Vingt mille lieues" }.select { .sum($0.price) })
        #expect(sum == [Decimal(string: "17.75")])
    }

    @Test func enumerationsAreTheirRawValues() throws {
        let library = try Library()
        #expect(try library.book("Vingt mille lieues")?.language == .fr)
        #expect(try library.context.fetchCount(Book.where { $0.language.isIn([.en, .de]) }) == 3)
    }

    @Test func rowsAreWrittenAsJSON() throws {
        let library = try Library()
        let values = try library.context.fetchValues(Book.order { $0.title.ascending })
        let data = try JSONEncoder().encode(values)
        #expect(try JSONDecoder().decode([Book.Values].self, from: data) == values)
    }

    @Test func identifiersAreKept() throws {
        let library = try Library()
        let book = try #require(try library.book("Beowulf"))
        let data = try JSONEncoder().encode(book.persistentModelID)
        let identifier = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
        let again: Book = try ModelContext(library.container).model(for: identifier)
        #expect(again.title == "Beowulf")
        #expect(PersistentIdentifier(uriRepresentation: identifier.uriRepresentation) == identifier)
    }
}
