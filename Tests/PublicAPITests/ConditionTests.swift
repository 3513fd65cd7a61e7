import Ashlar
import AshlarCoreData
import Foundation
import Testing

/// Fetches: conditions, orders, text and `#Predicate`.
@Suite struct ConditionTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws { library = try Library() }

    private func titles(_ descriptor: FetchDescriptor<Book>) throws -> [String] {
        try context.fetch(descriptor).map(\.title).sorted()
    }

    // MARK: Closures

    @Test func comparisons() throws {
        #expect(
            try titles(Book.where { $0.pages > 250 && $0.author.name.hasPrefix("S") }) == [
                "Frankenstein", "The Last Man",
            ])
        #expect(
            try titles(Book.where { $0.year == nil || $0.price >= 12 }) == [
                "Beowulf", "Le tour du monde", "The Last Man",
            ])
        #expect(
            try titles(Book.where { $0.year >= 1820 && $0.year <= 1870 }) == ["The Last Man", "Vingt mille lieues"])
        #expect(try titles(Book.where { $0.language == .fr }).count == 2)
        #expect(try context.fetchCount(Book.all) == 5)
        #expect(try context.exists(Book.where { $0.pages == 90 }))
        #expect(try context.fetchFirst(Book.where { $0.pages == 90 })?.title == "Beowulf")
    }

    @Test func nilIsEqualToNilAlone() throws {
        #expect(try titles(Book.where { $0.year != 1818 }).contains("Beowulf"))
        #expect(try !titles(Book.where { $0.year < 1900 }).contains("Beowulf"))
        #expect(try titles(Book.where { $0.author == nil }) == ["Beowulf"])
    }

    @Test func texts() throws {
        #expect(
            try titles(Book.where { $0.title.contains("TOUR", options: [.caseInsensitive]) }) == ["Le tour du monde"])
        #expect(try titles(Book.where { $0.title.localizedStandardContains("man") }) == ["The Last Man"])
        #expect(try titles(Book.where { $0.title.isLike("F*n") }) == ["Frankenstein"])
        #expect(try titles(Book.where { $0.title.matches("[A-F].*") }) == ["Beowulf", "Frankenstein"])
    }

    /// SQLite's copies of texts are compared where both are ASCII, and folded ones otherwise.
    @Test func textsInASCIIAreComparedAsOthersAre() throws {
        let options: TextOptions = .localizedStandard
        for (pattern, isASCII) in [("LE TOUR", true), ("LÉ TOUR", false)] {
            #expect(pattern.utf8.allSatisfy { $0 < 0x80 } == isASCII)
            let found = ["Le tour du monde"]
            #expect(try titles(Book.where { $0.title.contains(pattern, options: options) }) == found)
            #expect(try titles(Book.where { $0.title.hasPrefix(pattern, options: options) }) == found)
            #expect(try titles(Book.where { $0.title.isLike(pattern + "*ONDE", options: options) }) == found)
            #expect(try titles(Book.where { $0.title.contains(pattern) }).isEmpty)
        }
        #expect(try titles(Book.where { $0.title.hasSuffix("MONDE", options: options) }) == ["Le tour du monde"])
        #expect(try titles(Book.where { $0.title.contains("", options: options) }).count == 5)
        #expect(try titles(Book.where { $0.title.contains("Le tour du monde en", options: options) }).isEmpty)
        #expect(try titles(Book.where { $0.title.isLike("beowul\\F", options: options) }) == ["Beowulf"])
    }

    /// Texts longer than the part that is folded at once, with marks in another order.
    @Test func longTexts() throws {
        let book = try #require(try library.book("Beowulf"))
        book.title = String(repeating: "xE\u{301}\u{323}", count: 3000)
        try context.save()
        let same = String(repeating: "xe\u{323}\u{301}", count: 2999)
        #expect(try titles(Book.where { $0.title.hasPrefix(same, options: [.caseInsensitive]) }) == [book.title])
        #expect(try titles(Book.where { $0.title.hasSuffix(same, options: [.caseInsensitive]) }) == [book.title])
        #expect(try titles(Book.where { $0.title.contains(same + same, options: [.caseInsensitive]) }).isEmpty)
        let plain = String(repeating: "xe", count: 2999)
        let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
        #expect(try titles(Book.where { $0.title.contains(plain, options: options) }) == [book.title])
        #expect(try titles(Book.where { $0.title.contains(plain, options: [.caseInsensitive]) }).isEmpty)
        // Before the save, the object is compared in memory.
        book.title += "\u{301}"
        #expect(try titles(Book.where { $0.title.hasPrefix(plain, options: options) }) == [book.title])
    }

    @Test func aConditionHasALimitedNumberOfValues() throws {
        func descriptor(_ count: Int) -> FetchDescriptor<Book> {
            let lists = (0..<count).map { list in (0..<499).map { Int64(list * 499 + $0) } }
            return Book.where { book in
                lists.dropFirst().reduce(book.pages.isIn(lists[0])) { $0 || book.pages.isIn($1) }
            }
        }
        #expect(try context.fetchCount(descriptor(65)) == 5)
        let error = try #require(throws: FetchError.self) { try context.fetchCount(descriptor(66)) }
        #expect(error.description.contains("more than 32766 values"))
    }

    @Test func aNameThatIsAlmostRightIsProposedInASentence() throws {
        let error = try #require(throws: FetchError.self) { try FetchDescriptor<Book>(format: "titel == 'x'") }
        guard case .invalidFormat(_, _, let problems) = error else { throw error }
        #expect(problems.map(\.hint) == ["Did you mean 'title'?"])
        #expect(error.description.hasSuffix("Book has no property 'titel'. Did you mean 'title'?"))
    }

    @Test func computedValues() throws {
        #expect(try titles(Book.where { $0.pages * 2 > $0.pages + 400 }) == ["The Last Man"])
        #expect(try titles(Book.where { ($0.summary ?? $0.title).count < 8 }) == ["Beowulf"])
        let order = Book.order { ($0.language == .fr).then($0.pages, else: 0 - $0.pages).ascending }
        #expect(try context.fetch(order).first?.title == "The Last Man")
    }

    @Test func composites() throws {
        let book = try #require(try library.book("Beowulf"))
        book.shelf = Shelf(number: 7, room: "West")
        try context.save()
        #expect(try titles(Book.where { $0.shelf.number > 5 }) == ["Beowulf"])
        #expect(try titles(Book.where { $0.shelf == nil }).count == 4)
    }

    @Test func hierarchies() throws {
        #expect(try context.fetch(AudioBook.where { $0.minutes > 60 }).map(\.title) == ["Le tour du monde"])
        #expect(try titles(Book.where { $0.is(AudioBook.self) }) == ["Le tour du monde"])
        #expect(try titles(Book.where { $0.as(AudioBook.self).minutes > 60 }) == ["Le tour du monde"])
        var books = Book.all
        books.includesSubentities = false
        #expect(try context.fetchCount(books) == 4)
    }

    @Test func relatedObjects() throws {
        let found = try context.fetch(Author.where { $0.books.contains { $0.pages > 400 } })
        #expect(found.map(\.name) == ["Shelley"])
        #expect(try context.fetchCount(Author.where { $0.books.allSatisfy { $0.year > 1800 } }) == 2)
        #expect(try context.fetchCount(Author.where { $0.books.filter { $0.pages > 290 }.count == 1 }) == 2)
        let mostPages = Author.order { $0.books.sum { $0.pages }.descending }
        #expect(try context.fetch(mostPages).map(\.name) == ["Shelley", "Verne"])
    }

    @Test func unsavedChangesCount() throws {
        let author = try #require(try context.fetch(Author.where { $0.name == "Shelley" }).first)
        author.name = "Mary Shelley"
        #expect(try titles(Book.where { $0.author.name == "Mary Shelley" }).count == 2)
        var saved = Book.where { $0.author.name == "Mary Shelley" }
        saved.includePendingChanges = false
        #expect(try titles(saved).isEmpty)
    }

    // MARK: Orders and pages

    @Test func ordersAndLimits() throws {
        let byYear = Book.where { $0.year != nil }.order { $0.language.ascending }.order { $0.year.descending }
        #expect(try context.fetch(byYear).map(\.year) == [1826, 1818, 1872, 1870])
        #expect(try context.fetch(byYear.limit(2).offset(1)).map(\.year) == [1818, 1872])
        let byAuthor = Book.order { $0.author.name.descending }.order { $0.title.ascending }
        #expect(try context.fetch(byAuthor).first?.title == "Le tour du monde")
    }

    @Test func pages() throws {
        let all = Book.order { $0.title.ascending }
        var found: [String] = []
        var last: Book?
        while true {
            let page = try context.fetch(all.page(after: last).limit(2).prefetch { $0.author })
            found += page.map(\.title)
            last = page.last
            if page.isEmpty { break }
        }
        #expect(try found == context.fetch(all).map(\.title))
    }

    // MARK: Foundation's predicates

    @Test func predicates() throws {
        let least: Int64 = 100
        let descriptor = FetchDescriptor(
            predicate: #Predicate<Book> { $0.pages > least && $0.author?.name == "Shelley" },
            sortBy: [SortDescriptor(\.year, order: .reverse)])
        #expect(try context.fetch(descriptor).map(\.title) == ["The Last Man", "Frankenstein"])
    }

    @Test func formats() throws {
        let descriptor = try FetchDescriptor<Book>(format: "pages > %d AND author.name BEGINSWITH[cd] %@", 290, "v")
        #expect(try titles(descriptor) == ["Vingt mille lieues"])
        let author = try #require(try context.fetch(Author.where { $0.name == "Verne" }).first)
        let subquery = try FetchDescriptor<Author>(
            format: "SUBQUERY(books, $b, $b.author == $me).@count > 1", variables: ["me": author])
        #expect(try context.fetch(subquery) == [author])
        #expect(throws: FetchError.self) { try FetchDescriptor<Book>(format: "colour == 'red'") }
    }

    @Test func templates() throws {
        #expect(try context.fetch(Book.long(minimum: 300, name: "Shelley")).map(\.title) == ["The Last Man"])
    }

    // MARK: Words and indexes

    @Test func wordsInTexts() throws {
        let book = try #require(try library.book("Frankenstein"))
        book.summary = "A man makes a creature, and is hunted by it"
        try context.save()
        #expect(try titles(Book.where { $0.search.matches("creature hunted") }) == ["Frankenstein"])
        let query = FullTextQuery.prefix("frank")
        let found = Book.where { $0.search.matches(query) }.order { $0.search.rank(of: query).ascending }
        #expect(try titles(found) == ["Frankenstein"])
        let lines = try context.fetch(
            Book.where { $0.search.matches("man") && $0.author.name == "Shelley" }.select {
                ($0.title, $0.search.snippet(of: "man"))
            })
        #expect(lines.count == 2)
    }

    @Test func boxes() throws {
        for (name, latitude, longitude) in [("Berlin", 52.5, 13.4), ("Rome", 41.9, 12.5), ("Lima", -12, -77)] {
            context.insert(Branch(latitude: latitude, longitude: longitude, name: name))
        }
        try context.save()
        let near = try context.fetch(
            Branch.where { $0.byPlace(latitude: 40...60, longitude: 0...20) && $0.name != "Rome" })
        #expect(near.map(\.name) == ["Berlin"])
        #expect(try context.fetchCount(Branch.where { $0.latitude.isIn(40...42) && $0.longitude > 12 }) == 1)
        #expect(try near[0].neighbours.map(\.name).sorted() == ["Lima", "Rome"])
    }

    @Test func indexes() throws {
        let descriptor = Book.where { $0.year == 1870 }
        #expect(try titles(descriptor.indexed(by: .byYear)) == titles(descriptor.notIndexed()))
        #expect(try descriptor.explain(in: context).isEmpty == false)
    }
}
