import Ashlar
import AshlarCoreData
import Foundation
import Testing

/// Identifiers and objects in conditions: they match only the same row of the same store.
@Suite struct IdentityTests {
    private let library: Library
    private let other: Library
    private var context: ModelContext { library.context }

    init() throws {
        library = try Library()
        other = try Library()
        for library in [library, other] {
            let book = try #require(try library.book("Frankenstein"))
            library.context.insert(Loan(borrower: "Mary", book: book))
            try library.context.save()
        }
    }

    /// The objects and identifiers that conditions compare with.
    struct Given {
        var book: Book
        var author: Author
        var loan: Loan
        var bookID: PersistentIdentifier
        var authorID: PersistentIdentifier
        var loanID: PersistentIdentifier
    }

    private func given(_ library: Library) throws -> Given {
        let book = try #require(try library.book("Frankenstein"))
        let (author, loan) = (try #require(book.author), try #require(book.loans.first))
        return Given(
            book: book, author: author, loan: loan, bookID: book.persistentModelID,
            authorID: author.persistentModelID, loanID: loan.persistentModelID)
    }

    /// A way to fetch the books that equal, or refer to, a given object.
    struct Spelling: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The condition compares objects, whose entity the compiler checks.
        var isTyped = false
        var make: @Sendable (Given) throws -> FetchDescriptor<Book>

        static func format(_ text: String, _ arguments: @escaping @Sendable (Given) -> [(any PredicateArgument)?])
            -> Self
        {
            Spelling(testDescription: text) { given in
                let condition = try Condition(for: Book.self, format: text, arguments: arguments(given))
                return Book.where { _ in condition }
            }
        }

        static let all: [Spelling] = [
            Spelling(testDescription: "$0 ==", isTyped: true) { given in Book.where { $0 == given.book } },
            Spelling(testDescription: "$0.isIn") { given in Book.where { $0.isIn([given.bookID]) } },
            Spelling(testDescription: "$0.persistentModelID ==") { given in
                Book.where { $0.persistentModelID == given.bookID }
            },
            Spelling(testDescription: "$0.persistentModelID.isIn") { given in
                Book.where { $0.persistentModelID.isIn([given.bookID]) }
            },
            Spelling(testDescription: "[].contains($0.persistentModelID)") { given in
                Book.where { [given.bookID].contains($0.persistentModelID) }
            },
            Spelling(testDescription: "$0.author ==", isTyped: true) { given in
                Book.where { $0.author == given.author && $0.title == "Frankenstein" }
            },
            Spelling(testDescription: "$0.author.isIn") { given in
                Book.where { $0.author.isIn([given.authorID]) && $0.title == "Frankenstein" }
            },
            Spelling(testDescription: "$0.author.books.contains", isTyped: true) { given in
                Book.where { $0.author.books.contains(given.book) && $0.title == "Frankenstein" }
            },
            Spelling(testDescription: "$0.loans.contains", isTyped: true) { given in
                Book.where { $0.loans.contains(given.loan) }
            },
            Spelling(testDescription: "$0.loans.contains { $0.isIn }") { given in
                Book.where { $0.loans.contains { $0.isIn([given.loanID]) } }
            },
            Spelling(testDescription: "#Predicate persistentModelID ==") { given in
                let id = given.bookID
                return FetchDescriptor(predicate: #Predicate { $0.persistentModelID == id })
            },
            Spelling(testDescription: "#Predicate contains(persistentModelID)") { given in
                let ids = [given.bookID]
                return FetchDescriptor(predicate: #Predicate { ids.contains($0.persistentModelID) })
            },
            Spelling(testDescription: "#Predicate set.contains(persistentModelID)") { given in
                let ids: Set = [given.bookID]
                return FetchDescriptor(predicate: #Predicate { ids.contains($0.persistentModelID) })
            },
            Spelling(testDescription: "#Predicate contains { == persistentModelID }") { given in
                let ids = [given.bookID]
                return FetchDescriptor(predicate: #Predicate { book in ids.contains { $0 == book.persistentModelID } })
            },
            Spelling(testDescription: "#Predicate author?.persistentModelID ==") { given in
                let id: PersistentIdentifier? = given.authorID
                return FetchDescriptor(
                    predicate: #Predicate { $0.author?.persistentModelID == id && $0.title == "Frankenstein" })
            },
            Spelling(testDescription: "#Predicate loans.contains { persistentModelID == }") { given in
                let id = given.loanID
                return FetchDescriptor(predicate: #Predicate { $0.loans.contains { $0.persistentModelID == id } })
            },
            .format("SELF == %@") { [$0.bookID] },
            .format("%@ == SELF") { [$0.bookID] },
            .format("objectID == %@") { [$0.bookID] },
            .format("SELF IN %@") { [[$0.bookID]] },
            .format("SELF IN {%@, %@}") { [$0.bookID, $0.bookID] },
            .format("author == %@ AND title == 'Frankenstein'") { [$0.authorID] },
            .format("author IN %@ AND title == 'Frankenstein'") { [[$0.authorID]] },
            .format("ANY loans == %@") { [$0.loanID] },
            .format("ANY loans IN %@") { [[$0.loanID]] },
            .format("loans CONTAINS %@") { [$0.loanID] },
            .format("SUBQUERY(loans, $x, $x == %@).@count > 0") { [$0.loanID] },
        ]

        static let objects: [Spelling] =
            all.filter(\.isTyped) + [
                .format("SELF == %@") { [$0.book] },
                .format("SELF IN %@") { [[$0.book]] },
                .format("author == %@ AND title == 'Frankenstein'") { [$0.author] },
                .format("ANY loans == %@") { [$0.loan] },
                .format("%@ IN loans") { [$0.loan] },
            ]
    }

    /// The places that evaluate a condition: SQL, memory for unsaved changes, a relationship with unsaved changes, and
    /// a child.
    enum Place: CaseIterable, Sendable { case store, changed, related, child }

    private func context(_ place: Place) throws -> ModelContext {
        let context = ModelContext(library.container)
        switch place {
        case .store: break
        case .changed: for book in try context.fetch(Book.all) { book.pages += 1 }
        case .related:
            for author in try context.fetch(Author.all) { author.penNames = ["x"] }
            for loan in try context.fetch(Loan.all) { loan.borrower = "y" }
            let book = try #require(try context.fetch(Book.where { $0.title == "Beowulf" }).first)
            context.insert(Loan(borrower: "z", book: book))
        case .child:
            let child = ModelContext(parent: context)
            for book in try child.fetch(Book.all) { book.pages += 1 }
            return child
        }
        return context
    }

    private func titles(_ descriptor: FetchDescriptor<Book>, in context: ModelContext) throws -> [String] {
        let titles = try context.fetch(descriptor).map(\.title).sorted()
        #expect(try context.fetchCount(descriptor) == titles.count)
        #expect(try context.exists(descriptor) == !titles.isEmpty)
        #expect(try context.fetchIdentifiers(descriptor).count == titles.count)
        return titles
    }

    private func negated(_ descriptor: FetchDescriptor<Book>) throws -> FetchDescriptor<Book> {
        let condition = try #require(descriptor.condition)
        return Book.where { _ in !condition }
    }

    @Test(arguments: Spelling.all, Place.allCases)
    func ownIdentifiersFindTheirRow(_ spelling: Spelling, _ place: Place) throws {
        let descriptor = try spelling.make(given(library))
        #expect(try titles(descriptor, in: context(place)) == ["Frankenstein"])
        #expect(try titles(negated(descriptor), in: context(place)).count == 4)
    }

    @Test(arguments: Spelling.all, Place.allCases)
    func identifiersOfAnotherStoreFindNothing(_ spelling: Spelling, _ place: Place) throws {
        let descriptor = try spelling.make(given(other))
        #expect(try titles(descriptor, in: context(place)).isEmpty)
        #expect(try titles(negated(descriptor), in: context(place)).count == 5)
    }

    @Test(arguments: Spelling.all.filter { !$0.isTyped }, Place.allCases)
    func identifiersOfAnotherEntityFindNothing(_ spelling: Spelling, _ place: Place) throws {
        var given = try given(library)
        (given.bookID, given.authorID, given.loanID) = (given.authorID, given.loanID, given.bookID)
        #expect(given.bookID.rowID == 1 && given.authorID.rowID == 1 && given.loanID.rowID == 1)
        let descriptor = try spelling.make(given)
        #expect(try titles(descriptor, in: context(place)).isEmpty)
        #expect(try titles(negated(descriptor), in: context(place)).count == 5)
    }

    @Test(arguments: Spelling.objects, Place.allCases)
    func objectsOfAnotherStoreFindNothing(_ spelling: Spelling, _ place: Place) throws {
        #expect(try titles(spelling.make(given(library)), in: context(place)) == ["Frankenstein"])
        #expect(try titles(spelling.make(given(other)), in: context(place)).isEmpty)
    }

    @Test func aStatementServesIdentifiersOfAnyStore() throws {
        let (own, foreign) = (try given(library).bookID, try given(other).bookID)
        // The first two fetches put the statement into the cache, and the others reuse it with other values.
        for identifier in [own, own, foreign, own, foreign] {
            let found = try context.fetch(Book.where { $0.isIn([identifier]) })
            #expect(found.count == (identifier == own ? 1 : 0))
        }
        for (library, title) in [(library, "Frankenstein"), (other, "Frankenstein"), (library, "Frankenstein")] {
            let id = try given(library).bookID
            #expect(try library.context.fetch(Book.where { $0.persistentModelID == id }).map(\.title) == [title])
        }
    }

    @Test func manyIdentifiersMayBeOfSeveralStores() throws {
        let (own, foreign) = (try context.fetchIdentifiers(Book.all), try other.context.fetchIdentifiers(Book.all))
        let many = Array(repeating: foreign, count: 200).flatMap(\.self) + own.prefix(2)
        #expect(try context.fetchCount(Book.where { $0.isIn(many) }) == 2)
        #expect(try context.fetchCount(Book.where { !$0.isIn(many) }) == 3)
    }

    @Test func nilIsAmongIdentifiersWhereItIsGiven() throws {
        let (author, foreign) = (try given(library).authorID, try given(other).authorID)
        let books = try context.fetch(Book.where { $0.author.persistentModelID.isIn([foreign, nil]) })
        #expect(books.map(\.title) == ["Beowulf"])
        #expect(try context.fetchCount(FetchDescriptor<Book>(format: "author IN %@", [author, nil])) == 3)
        let wanted: [PersistentIdentifier?] = [foreign, nil]
        let predicate = #Predicate<Book> { wanted.contains($0.author.flatMap { $0.persistentModelID }) }
        #expect(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.title) == ["Beowulf"])
    }

    @Test func identifiersCompareByTheirOrderWithRowsOfTheirStoreOnly() throws {
        let last = try #require(try context.fetchIdentifiers(Book.all).max())
        #expect(try context.fetchCount(Book.where { $0.persistentModelID < last }) == 4)
        let foreign = try #require(try other.context.fetchIdentifiers(Book.all).max())
        #expect(try context.fetchCount(Book.where { $0.persistentModelID < foreign }) == 0)
    }

    @Test func identifiersOfTheWholeHierarchyNameTheSameRow() throws {
        let audio = try #require(try context.fetch(AudioBook.all).first).persistentModelID
        let store = try #require(audio.storeIdentifier)
        let uri = try #require(URL(string: "x-ashlar://\(store)/Book/p\(audio.rowID)"))
        let asBook = try #require(PersistentIdentifier(uriRepresentation: uri))
        for identifier in [audio, asBook] {
            #expect(try context.fetch(AudioBook.where { $0.isIn([identifier]) }).count == 1)
            #expect(try context.fetch(Book.where { $0.isIn([identifier]) }).count == 1)
            #expect(try context.fetch(FetchDescriptor<AudioBook>(format: "SELF == %@", identifier)).count == 1)
            #expect(
                try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.persistentModelID == identifier }))
                    .count == 1)
        }
        // A book that is not an audio book is not found as one.
        let book = try given(library).bookID
        #expect(try context.fetch(AudioBook.where { $0.isIn([book]) }).isEmpty)
    }

    @Test func unsavedObjectsAreFoundInTheirContextAlone() throws {
        let draft = Book(title: "Draft")
        context.insert(draft)
        let id = draft.persistentModelID
        #expect(try context.fetch(Book.where { $0 == draft }) == [draft])
        #expect(try context.fetch(Book.where { $0.isIn([id]) }) == [draft])
        #expect(
            try context.fetch(FetchDescriptor(predicate: #Predicate<Book> { $0.persistentModelID == id })) == [draft])
        #expect(try context.fetch(FetchDescriptor<Book>(format: "SELF == %@", id)) == [draft])
        #expect(try context.fetch(FetchDescriptor<Author>(format: "SELF == %@", id)).isEmpty)
        let child = ModelContext(parent: context)
        #expect(try child.fetch(Book.where { $0.isIn([id]) }).map(\.title) == ["Draft"])
        #expect(try other.context.fetch(Book.where { $0 == draft }).isEmpty)
        #expect(try ModelContext(library.container).fetchCount(Book.where { $0 != draft }) == 5)
        let detached = Book(title: "Detached")
        #expect(try context.fetch(Book.where { $0 == detached }).isEmpty)
        #expect(try context.fetchCount(Book.where { $0 != detached }) == 6)
    }

    @Test(arguments: Spelling.all)
    func batchesAndDeletionsKeepRowsOfOtherStores(_ spelling: Spelling) throws {
        let descriptor = try spelling.make(given(other))
        #expect(try context.batchUpdate(descriptor) { $0.pages = 1 } == 0)
        #expect(try context.batchDelete(descriptor) == 0)
        #expect(try context.fetchCount(Book.all) == 5)
        let own = try spelling.make(given(library))
        #expect(try context.batchUpdate(own) { $0.pages = 1 } == 1)
        #expect(try context.batchDelete(own) == 1)
    }

    @Test(arguments: Spelling.all.filter { !$0.isTyped })
    func batchesAndDeletionsKeepRowsOfOtherEntities(_ spelling: Spelling) throws {
        var given = try given(library)
        (given.bookID, given.authorID, given.loanID) = (given.authorID, given.loanID, given.bookID)
        let descriptor = try spelling.make(given)
        #expect(try context.batchUpdate(descriptor) { $0.pages = 1 } == 0)
        #expect(try context.batchDelete(descriptor) == 0)
        #expect(try ModelContext(library.container).fetchCount(Book.where { $0.pages != 1 }) == 5)
    }

    @Test func aDeletionByThePredicateOfAnotherRowDeletesNothing() throws {
        for id in [try given(library).authorID, try given(other).bookID] {
            try context.delete(model: Book.self, where: #Predicate { $0.persistentModelID == id })
            try context.save()
            #expect(try context.fetchCount(Book.all) == 5)
        }
    }

    @Test func resultsOfAnIdentifierOfAnotherStoreAreEmpty() throws {
        let id = try given(other).authorID
        let descriptor = Book.where { $0.author.isIn([id]) }.order { $0.title.ascending }
        let controller = FetchedResultsController(descriptor, in: context)
        try controller.performFetch()
        for book in try context.fetch(Book.all) { book.pages += 1 }
        context.processPendingChanges()
        #expect(controller.fetchedObjects.isEmpty)
        try context.save()
        #expect(controller.fetchedObjects.isEmpty)
    }

    @Test func valuesAndGroupsCompareWholeIdentifiers() throws {
        let (own, foreign) = (try given(library).authorID, try given(other).authorID)
        for isChanged in [false, true] {
            if isChanged { for book in try context.fetch(Book.all) { book.pages += 1 } }
            for (id, count) in [(own, 1), (foreign, 0)] {
                let groups: [Int] = try context.fetch(
                    Book.group { $0.author.persistentModelID }.having { $0.author.persistentModelID == id }
                        .select { _ in .count })
                #expect(groups.count == count)
            }
        }
    }
}
