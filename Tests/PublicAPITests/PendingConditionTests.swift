import Ashlar
import Foundation
import Testing

/// Conditions that follow relationships, beside unsaved changes: a fetch finds the same objects as plain Swift.
@Suite struct PendingConditionTests {
    /// Gives the same numbers for the same seed.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ state >> 33) &* 0xff51_afd7_ed55_8ccd
        }

        mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
    }

    // MARK: Changes

    /// Makes a few random changes of the objects of a context, which it does not save.
    private func change(_ context: ModelContext, _ count: Int, _ random: inout Numbers) throws {
        for _ in 0..<count {
            let books = try context.fetch(Book.all)
            let authors = try context.fetch(Author.all)
            let lists = try context.fetch(ReadingList.all)
            let loans = try context.fetch(Loan.all)
            let book = books.randomElement(using: &random)
            switch Int.random(in: 0..<14, using: &random) {
            case 0: context.insert(Book(pages: 300, title: "new", author: authors.randomElement(using: &random)))
            case 1: if let book { context.insert(Loan(borrower: "new", returned: random.oneIn(2), book: book)) }
            case 2:
                authors.randomElement(using: &random)?.name =
                    "author \(Int.random(in: 0..<3, using: &random)) new \(UUID())"
            case 3: book?.author = random.oneIn(3) ? nil : authors.randomElement(using: &random)
            case 4: book?.pages = Int64.random(in: 0..<500, using: &random)
            case 5: loans.randomElement(using: &random)?.returned.toggle()
            case 6: if let book { loans.randomElement(using: &random)?.book = book }
            case 7: if let book { lists.randomElement(using: &random)?.books.append(book) }
            case 8: if let list = book?.lists.randomElement(using: &random) { book?.lists.remove(list) }
            case 9: if let book, random.oneIn(2) { context.delete(book) }
            case 10: if let author = authors.randomElement(using: &random), authors.count > 3 { context.delete(author) }
            case 11: if let loan = loans.randomElement(using: &random) { context.delete(loan) }
            case 12: if let list = lists.randomElement(using: &random), lists.count > 2 { context.delete(list) }
            default:
                let author = Author(name: "author 1 \(UUID())")
                context.insert(author)
                book?.author = author
            }
        }
    }

    /// Saves authors with books, some of them lent and some in lists.
    private func fill(_ context: ModelContext, _ random: inout Numbers) throws {
        let authors = (0..<6).map { Author(name: "author \($0)") }
        let lists = (0..<4).map { ReadingList(title: "\($0)") }
        for object in authors { context.insert(object) }
        for object in lists { context.insert(object) }
        for number in 0..<30 {
            let book = Book(
                pages: Int64(number * 15), title: "\(number)", author: authors.randomElement(using: &random))
            if random.oneIn(5) { book.author = nil }
            context.insert(book)
            for list in lists where random.oneIn(3) { list.books.append(book) }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                context.insert(Loan(borrower: "\(number)", returned: random.oneIn(2), book: book))
            }
        }
        try context.save()
    }

    // MARK: Conditions

    private func check<Model: PersistentModel>(
        _ name: String, _ context: ModelContext, _ descriptor: FetchDescriptor<Model>, _ holds: (Model) -> Bool
    ) throws {
        let all = try context.fetch(FetchDescriptor<Model>())
        let found = try context.fetch(descriptor)
        #expect(Set(found) == Set(all.filter(holds)), "\(name)")
        #expect(found.count == Set(found).count, "\(name)")
        #expect(try context.fetchCount(descriptor) == found.count, "\(name)")
        #expect(try context.exists(descriptor) != found.isEmpty, "\(name)")
        #expect(try Set(context.fetchIdentifiers(descriptor)) == Set(found.map(\.persistentModelID)), "\(name)")
        let page = try context.fetch(descriptor.offset(1).limit(3))
        #expect(page == Array(found.dropFirst().prefix(3)), "\(name), a page")
    }

    private func checkReferences(_ context: ModelContext) throws {
        try check("author's name", context, Book.where { $0.author.name.hasPrefix("author 1") }) {
            $0.author?.name.hasPrefix("author 1") == true
        }
        try check("no author", context, Book.where { $0.author == nil }) { $0.author == nil }
        try check("author of a loan's book", context, Loan.where { $0.book.author.name.hasPrefix("author 2") }) {
            $0.book?.author?.name.hasPrefix("author 2") == true
        }
    }

    private func checkAll(_ context: ModelContext) throws {
        try checkReferences(context)
        try check("no loans", context, Book.where { $0.loans.isEmpty }) { $0.loans.isEmpty }
        try check("open loans", context, Book.where { $0.loans.contains { $0.returned == false } && $0.pages > 100 }) {
            $0.loans.contains { !$0.returned } && $0.pages > 100
        }
        try check("lists", context, Book.where { $0.lists.contains { $0.title == "1" } }) {
            $0.lists.contains { $0.title == "1" }
        }
        try check("long lists", context, Book.where { $0.lists.contains { $0.books.count > 9 } }) {
            $0.lists.contains { $0.books.count > 9 }
        }
        try check("author's books", context, Book.where { $0.author.books.count > 4 }) {
            ($0.author?.books.count ?? 0) > 4
        }
        try check("lists of a loan's book", context, Loan.where { $0.book.lists.isEmpty }) {
            $0.book?.lists.isEmpty != false
        }
        try check(
            "books that were returned", context,
            Author.where { $0.books.contains { $0.loans.contains { $0.returned == true } } }
        ) {
            $0.books.contains { $0.loans.contains { $0.returned } }
        }
        try check("one long book", context, Author.where { $0.books.filter { $0.pages > 250 }.count == 1 }) {
            $0.books.filter { $0.pages > 250 }.count == 1
        }
        let ordered = try context.fetch(Book.order { $0.author.name.ascending }.order { $0.pages.ascending })
        let names = ordered.map { $0.author?.name ?? "" }
        #expect(names == names.sorted())
        let page = Book.order { $0.author.name.ascending }.order { $0.pages.ascending }.offset(2).limit(5)
        #expect(try context.fetch(page.select { $0.title }) == ordered.dropFirst(2).prefix(5).map(\.title))
        let rows: [(String, String?)] = try context.fetch(Book.all.select { ($0.title, $0.author.name.optional) })
        #expect(
            rows.map { "\($0.0) \($0.1 ?? "")" }.sorted()
                == ordered.map { "\($0.title) \($0.author?.name ?? "")" }.sorted())
    }

    @Test(arguments: 1...8) func fetchesFindWhatTheObjectsSay(_ seed: UInt64) throws {
        var random = Numbers(state: seed)
        let library = try Library(isEmpty: true)
        try fill(library.context, &random)
        let context = ModelContext(library.container)
        for round in 1...5 {
            try change(context, round, &random)
            try checkAll(context)
        }
        try context.save()
        try checkAll(context)
    }

    @Test(arguments: 1...4) func fetchesFindWhatOthersSavedMeanwhile(_ seed: UInt64) throws {
        var random = Numbers(state: seed)
        let library = try Library(isEmpty: true)
        try fill(library.context, &random)
        let context = ModelContext(library.container)
        for round in 1...4 {
            try change(context, round, &random)
            // New objects refer to some that the context may have deleted.
            let other = ModelContext(library.container)
            let author = try #require(try other.fetch(Author.all).randomElement(using: &random))
            let book = Book(pages: 320, title: "other \(round)", author: author)
            other.insert(book)
            other.insert(Loan(borrower: "other", returned: true, book: book))
            try other.save()
            // Members that were loaded earlier stay until their owner is refreshed.
            try checkReferences(context)
        }
    }

    @Test func onlyObjectsThatMayDifferAreRead() throws {
        let library = try Library(isEmpty: true)
        for number in 0..<200 { library.context.insert(Book(pages: Int64(number), title: "\(number)", author: nil)) }
        try library.context.save()
        let context = ModelContext(library.container)
        context.insert(Book(pages: 7, title: "new"))
        #expect(try context.fetchCount(Book.where { $0.pages == 7 && $0.lists.isEmpty && $0.loans.isEmpty }) == 2)
        let lent = try #require(try context.fetchFirst(Book.where { $0.pages == 9 }))
        context.insert(Loan(borrower: "new", returned: false, book: lent))
        #expect(try context.fetchCount(Book.where { $0.loans.isEmpty }) == 200)
        #expect(context.registeredModels.count < 10)
    }
}
