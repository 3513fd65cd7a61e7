import Ashlar
import Foundation
import Testing

/// Every function that takes an identifier or an object, with one of another store, of another entity, of an entity above
/// and below, with a deleted and an unsaved one: it finds nothing or throws, and changes no row.
@Suite struct IdentityArgumentTests {
    private let library: Library
    private let other: Library
    private var context: ModelContext { library.context }
    private var container: ModelContainer { library.container }

    init() throws {
        library = try Library()
        other = try Library()
    }

    /// Identifiers that name no book, though each has the number of a row with one.
    private func foreignIdentifiers() throws -> [PersistentIdentifier] {
        let author = try #require(try context.fetchIdentifiers(Author.all).first)
        let book = try #require(try other.context.fetchIdentifiers(Book.all).first)
        let rows = Set(try context.fetchIdentifiers(Book.all).map(\.rowID))
        #expect(rows.contains(author.rowID) && rows.contains(book.rowID))
        return [author, book]
    }

    private func unsavedIdentifier() -> PersistentIdentifier {
        let book = Book(title: "unsaved")
        other.context.insert(book)
        return book.persistentModelID
    }

    private func deletedIdentifier() throws -> PersistentIdentifier {
        let book = try #require(try library.book("Beowulf"))
        let id = book.persistentModelID
        context.delete(book)
        try context.save()
        return id
    }

    private func expectUnchanged(_ library: Library, count: Int = 5) throws {
        #expect(!library.context.hasChanges)
        let books = try ModelContext(library.container).fetch(Book.all)
        #expect(books.count == count && books.allSatisfy { !$0.hasChanges })
    }

    // MARK: Identifiers

    @Test func identifiersOfOthersNameNoObject() throws {
        let child = ModelContext(parent: context)
        for id in try foreignIdentifiers() + [unsavedIdentifier(), deletedIdentifier()] {
            for context in [context, child, ModelContext(container)] {
                #expect(throws: StoreError.self) { let _: Book = try context.model(for: id) }
                let registered: Book? = context.registeredModel(for: id)
                #expect(registered == nil)
            }
        }
        let foreign = try foreignIdentifiers()[1]
        #expect(throws: StoreError.self) { try context.model(for: foreign) as any PersistentModel }
        #expect(container.store(of: foreign) == nil && container.store(of: unsavedIdentifier()) == nil)
        try expectUnchanged(library, count: 4)
    }

    @Test func identifiersOfTheHierarchyNameTheObject() throws {
        let audio = try #require(try context.fetch(AudioBook.all).first)
        let asBook: Book = try context.model(for: audio.persistentModelID)
        #expect(asBook === audio)
        let book = try #require(try library.book("Frankenstein")).persistentModelID
        #expect(throws: StoreError.self) { let _: AudioBook = try context.model(for: book) }
    }

    @Test func batchDeletionsByIdentifierRefuseThoseOfOthers() throws {
        for id in try foreignIdentifiers() + [unsavedIdentifier()] {
            #expect(throws: BatchError.self) { try context.execute(BatchDeleteRequest(Book.self, identifiers: [id])) }
        }
        #expect(try context.execute(BatchDeleteRequest(Book.self, identifiers: [deletedIdentifier()])).count == 0)
        // A book that is no audio book is none to delete among these.
        let book = try #require(try library.book("Frankenstein")).persistentModelID
        #expect(try context.execute(BatchDeleteRequest(AudioBook.self, identifiers: [book])).count == 0)
        try expectUnchanged(library, count: 4)
    }

    @Test func batchUpdatesRefuseReferencesToOthers() throws {
        let author = try #require(try other.context.fetch(Author.all).first)
        let book = try #require(try context.fetchIdentifiers(Book.all).first)
        let unsaved = Author(name: "unsaved")
        #expect(throws: BatchError.self) { try context.batchUpdate(Book.all) { $0.author = author } }
        #expect(throws: BatchError.self) { try context.batchUpdate(Book.all) { $0.author = unsaved } }
        #expect(throws: BatchError.self) { try context.batchUpdate(Book.all) { $0.author = author.persistentModelID } }
        #expect(throws: BatchError.self) { try context.batchUpdate(Book.all) { $0.author = book } }
        try expectUnchanged(library)
    }

    @Test func mergingRefusesObjectsOfOthers() throws {
        let authors = try context.fetchIdentifiers(Author.order { $0.name.ascending })
        let foreign = try other.context.fetchIdentifiers(Author.all)
        let book = try #require(try context.fetchIdentifiers(Book.all).first)
        for (first, second) in [(authors[0], foreign[1]), (foreign[0], foreign[1]), (authors[0], book)] {
            #expect(throws: ChangesetError.self) { try container.mergeObjects(first, second) }
        }
        for preferred in [foreign[0], foreign[1], book] {
            #expect(throws: ChangesetError.self) {
                try container.mergeObjects(authors[0], authors[1], preferring: preferred)
            }
        }
        #expect(try context.fetchCount(Author.all) == 2)
    }

    @Test func notificationsOfAnotherStoreAreIgnored() throws {
        let books = try context.fetch(Book.order { $0.title.ascending })
        let controller = FetchedResultsController(Book.order { $0.title.ascending }, in: context)
        try controller.performFetch()
        let foreign = try other.context.fetchIdentifiers(Book.all)
        try context.mergeChanges(from: ContextNotification(deletedIdentifiers: foreign))
        try context.mergeChanges(from: ContextNotification(insertedIdentifiers: foreign, updatedIdentifiers: foreign))
        #expect(books.allSatisfy { !$0.isDeleted } && controller.fetchedObjects == books)
        // Of an entity of this store that has no such row.
        let author = try #require(try context.fetchIdentifiers(Author.all).first)
        try context.mergeChanges(from: ContextNotification(deletedIdentifiers: [author]))
        #expect(books.allSatisfy { !$0.isDeleted })
    }

    // MARK: Objects

    @Test func contextsRefuseObjectsOfOthers() throws {
        let foreign = try #require(try other.book("Frankenstein"))
        _ = try context.fetch(Book.all)
        context.delete(foreign)
        #expect(throws: ContextError.self) { try context.save() }
        context.insert(foreign)
        #expect(throws: ContextError.self) { try context.save() }
        context.detectConflicts(for: foreign)
        #expect(throws: ContextError.self) { try context.save() }
        context.touch(foreign)
        try context.refresh(foreign)
        try context.save()
        try expectUnchanged(library)
        try expectUnchanged(other)
    }

    @Test func conflictsOfAnotherStoresObjectAreNone() throws {
        let own = try #require(try library.book("Frankenstein"))
        try ModelContext(container).batchUpdate(Book.all) { $0.pages += 1 }
        let foreign = try #require(try other.book("Frankenstein"))
        other.context.detectConflicts(for: own)
        #expect(throws: ContextError.self) { try other.context.save() }
        foreign.pages = 3
        try other.context.save()
        let unsaved = Book(title: "unsaved")
        other.context.detectConflicts(for: unsaved)
        other.context.insert(unsaved)
        other.context.detectConflicts(for: unsaved)
        try other.context.save()
        #expect(try other.saved("unsaved") != nil)
    }

    @Test func relationshipsHaveNoMembersOfOthers() throws {
        let author = try #require(try context.fetch(Author.where { $0.name == "Shelley" }).first)
        let foreign = try #require(try other.book("Frankenstein"))
        let detached = Book(title: "detached")
        let list = ReadingList(title: "list")
        list.books = [try #require(try library.book("Frankenstein"))]
        context.insert(list)
        try context.save()
        for book in [foreign, detached] {
            #expect(!author.books.contains(book) && !list.books.contains(book))
            #expect(list.books.firstIndex(of: book) == nil)
            author.books.remove(book)
            list.books.remove(book)
        }
        #expect(author.books.count == 2 && list.books.count == 1)
        list.books.insert(foreign, at: 0)
        #expect(throws: ContextError.self) { try context.save() }
        context.rollback()
        author.books.append(foreign)
        #expect(throws: ContextError.self) { try context.save() }
        context.rollback()
        let own = try #require(try library.book("Beowulf"))
        own.author = foreign.author
        #expect(throws: ContextError.self) { try context.save() }
        context.rollback()
        try expectUnchanged(library)
        try expectUnchanged(other)
    }

    @Test func resultsHaveNoPlaceForObjectsOfOthers() throws {
        let controller = FetchedResultsController(Book.order { $0.title.ascending }, in: context)
        try controller.performFetch()
        let foreign = try #require(try other.book("Frankenstein"))
        #expect(controller.indexPath(for: foreign) == nil && controller.indexPath(for: Book(title: "detached")) == nil)
    }
}
