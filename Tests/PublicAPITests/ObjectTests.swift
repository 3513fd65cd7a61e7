import Ashlar
import Foundation
import Testing
import ThreadTraits

/// Inserting, fetching, changing, deleting and saving.
@Suite struct ObjectTests {
    @Test func anObjectIsSaved() throws {
        let library = try Library(isEmpty: true)
        let context = library.context
        let book = Book(pages: 280, title: "Frankenstein", year: 1818)
        #expect(book.modelContext == nil)
        context.insert(book)
        #expect(context.hasChanges && book.isInserted && book.modelContext === context)
        try context.save()
        #expect(!context.hasChanges && !book.isInserted)
        #expect(try library.saved("Frankenstein")?.pages == 280)
    }

    @Test func aPropertyIsChanged() throws {
        let library = try Library()
        let book = try #require(try library.book("Beowulf"))
        book.pages += 10
        book.shelf = Shelf(number: 3, room: "East")
        book.shelf?.number = 4
        #expect(
            book.changedProperties == ["pages", "shelf", "shelf.number", "shelf.room"]
                && book.committedValues?.pages == 90)
        try library.context.save()
        let saved = try #require(try library.saved("Beowulf"))
        #expect(saved.pages == 100 && saved.shelf == Shelf(number: 4, room: "East"))
    }

    @Test func anObjectIsDeleted() throws {
        let library = try Library()
        let book = try #require(try library.book("Beowulf"))
        library.context.delete(book)
        #expect(book.isDeleted)
        #expect(try library.book("Beowulf") == nil, "a fetch finds what it would find after a save")
        try library.context.save()
        #expect(try library.saved("Beowulf") == nil)
    }

    @Test func oneRowIsOneObject() throws {
        let library = try Library()
        let book = try #require(try library.book("Beowulf"))
        #expect(try library.context.fetch(Book.where { $0.pages == 90 }).first === book)
        let other = ModelContext(library.container)
        let same: Book = try other.model(for: book.persistentModelID)
        #expect(same !== book && same.title == "Beowulf")
        let registered: Book? = library.context.registeredModel(for: book.persistentModelID)
        #expect(registered === book)
    }

    @Test func changesAreDiscarded() throws {
        let library = try Library()
        let book = try #require(try library.book("Beowulf"))
        book.title = "Something else"
        library.context.insert(Author(name: "Nobody"))
        library.context.rollback()
        #expect(book.title == "Beowulf" && !library.context.hasChanges)
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try library.context.transaction {
                book.title = "Something else"
                throw Failure()
            }
        }
        #expect(book.title == "Beowulf")
        try library.context.transaction { book.title = "Béowulf" }
        #expect(try library.saved("Béowulf") != nil, "a transaction saves at its end")
    }

    @Test func brokenRulesAreTold() throws {
        let library = try Library()
        let book = Book(pages: -1, title: "Less than nothing")
        library.context.insert(book)
        library.context.insert(Author(name: ""))
        do {
            try library.context.save()
            Issue.record("it was saved")
        } catch SaveError.validation(let failures) {
            #expect(Set(failures.map(\.property)) == ["pages", "name"])
        }
        #expect(library.context.hasChanges, "the changes are still there to be mended")
        library.context.rollback()
        library.context.insert(Author(name: "Verne"))
        #expect(throws: SaveError.self, "there is a Verne") { try library.context.save() }
    }

    @Test func whoSavesFirstIsAsked() throws {
        let library = try Library()
        let mine = try #require(try library.book("Beowulf"))
        let other = ModelContext(library.container)
        let theirs: Book = try other.model(for: mine.persistentModelID)
        theirs.pages = 100
        theirs.year = 1000
        try other.save()
        mine.pages = 110
        do {
            try library.context.save()
            Issue.record("it was saved")
        } catch SaveError.conflict(let conflicts) {
            #expect(conflicts.count == 1)
        }
        library.context.mergePolicy = .mergeByPropertyObjectTrump
        try library.context.save()
        let saved = try #require(try library.saved("Beowulf"))
        #expect(saved.pages == 110 && saved.year == 1000)
    }

    @Test func anEditorHasAContextOfItsOwn() throws {
        let library = try Library()
        let book = try #require(try library.book("Beowulf"))
        let editor = ModelContext(parent: library.context)
        let edited: Book = try editor.model(for: book.persistentModelID)
        edited.title = "Grendel"
        #expect(book.title == "Beowulf")
        try editor.save()
        #expect(book.title == "Grendel" && library.context.hasChanges)
        #expect(try library.saved("Beowulf") != nil, "the parent was not saved yet")
    }

    @Test func propertiesAreReachedByName() throws {
        let library = try Library()
        let book = try #require(try library.book("Beowulf"))
        #expect(try book.value(forKeyPath: "title") as? String == "Beowulf")
        try book.setValue(Int64(95), forKeyPath: "pages")
        #expect(book.pages == 95)
        #expect(throws: PropertyError.self) { try book.value(forKeyPath: "colour") }
        #expect(Book.entity.name == "Book")
    }

    #if DEBUG
        @Test(.ownThreads) func readingARelationshipWithoutTheContextStopsADebugBuild() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = try ModelContainer(
                    for: LibraryModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
                func writer() throws -> Author {
                    let context = ModelContext(container)
                    let writer = Author(name: "Verne")
                    context.insert(Book(title: "Vingt mille lieues", author: writer))
                    try context.save()
                    return writer
                }
                _ = try writer().books.count
            }
            let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(message.contains("Author.books of") && message.contains("Keep the ModelContext"))
        }
    #endif

    @Test(.ownThreads) func insertionsThatGoWithTheirContextAreLogged() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let container = try ModelContainer(
                for: LibraryModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
            func work(_ context: ModelContext, _ end: (ModelContext) throws -> Void) throws {
                context.insert(Book(title: "Beowulf"))
                try end(context)
            }
            try work(ModelContext(container)) { try $0.save() }
            try work(ModelContext(container)) { $0.rollback() }
            let parent = ModelContext(container)
            try work(ModelContext(parent: parent)) { _ in }
            for name in ["Verne", "Shelley"] { ModelContext(container).insert(Author(name: name)) }
        }
        let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let lines = message.split(separator: "\n").filter { $0.contains("was released with objects of") }
        #expect(
            lines.count == 1 && lines[0].contains("objects of Author that were inserted and not saved"), "\(message)")
    }

    @Test func attributesOutliveTheContext() throws {
        let library = try Library(isEmpty: true)
        func lonely() throws -> Book {
            let context = ModelContext(library.container)
            let book = Book(title: "Beowulf")
            context.insert(book)
            try context.save()
            return book
        }
        let book = try lonely()
        // A nil reference loses nothing, as it leads nowhere.
        #expect(book.modelContext == nil && book.title == "Beowulf" && book.author == nil && !book.isDeleted)
        #expect("\(book)".contains("Beowulf"))
    }
}
