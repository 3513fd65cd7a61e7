import Ashlar
import Foundation
import Testing

/// Calls every function that takes an identifier or an object with one of another store, or of another entity. It also
/// passes those of entities above and below, and deleted and unsaved objects. Each call finds nothing or throws, and
/// changes no row.
@Suite struct IdentityArgumentTests {
    private let library: Library
    private let other: Library
    private var context: ModelContext { library.context }
    private var container: ModelContainer { library.container }

    init() throws {
        library = try Library()
        other = try Library()
    }

    /// Identifiers that are not of a book, each with the number of a book's row.
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
        // Among these, a book that is not an audio book is not deleted.
        let book = try #require(try library.book("Frankenstein")).persistentModelID
        #expect(try context.execute(BatchDeleteRequest(AudioBook.self, identifiers: [book])).count == 0)
        try expectUnchanged(library, count: 4)
    }

    @Test func containersRefuseToDeleteIdentifiersOfOthers() async throws {
        for id in try foreignIdentifiers() + [unsavedIdentifier()] {
            let request = BatchDeleteRequest(Book.self, identifiers: [id])
            await #expect(throws: BatchError.self) { try await container.execute(request) }
        }
        let deleted = try await container.execute(BatchDeleteRequest(Book.self, identifiers: [deletedIdentifier()]))
        #expect(deleted.count == 0)
        try expectUnchanged(library, count: 4)
    }

    private actor Reader: ModelActor {
        nonisolated let modelContainer: ModelContainer
        nonisolated let modelExecutor: any ModelExecutor

        init(modelContainer: ModelContainer) {
            self.modelContainer = modelContainer
            modelExecutor = DefaultSerialModelExecutor(modelContainer: modelContainer)
        }

        func title(of id: PersistentIdentifier) -> String? { self[id, as: Book.self]?.title }

        func minutes(of id: PersistentIdentifier) -> Int32? { self[id, as: AudioBook.self]?.minutes }
    }

    @Test func actorsHaveNoObjectForIdentifiersOfOthers() async throws {
        let reader = Reader(modelContainer: container)
        for id in try foreignIdentifiers() + [unsavedIdentifier(), deletedIdentifier()] {
            let title = await reader.title(of: id)
            #expect(title == nil)
        }
        let audio = try #require(try context.fetchIdentifiers(AudioBook.all).first)
        let title = await reader.title(of: audio)
        #expect(title == "Le tour du monde")
        let book = try #require(try library.book("Frankenstein")).persistentModelID
        let minutes = await reader.minutes(of: book)
        #expect(minutes == nil)
        try expectUnchanged(library, count: 4)
    }

    @Test func batchInsertionsRefuseReferencesToOthers() throws {
        let foreign = try #require(try other.context.fetchIdentifiers(Author.all).first)
        let book = try #require(try context.fetchIdentifiers(Book.all).first)
        for id in [foreign, book] {
            #expect(throws: BatchError.self) {
                try context.batchInsert(contentsOf: [Book.Values(title: "new", author: id)])
            }
        }
        try expectUnchanged(library)
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
        // An identifier of another entity of this store.
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

    @Test func deletedObjectsChangeNoRow() throws {
        let deleted = try #require(try library.book("Beowulf"))
        let id = deleted.persistentModelID
        context.delete(deleted)
        try context.save()
        context.delete(deleted)
        context.touch(deleted)
        try context.refresh(deleted)
        #expect(throws: ContextError.self) { try context.obtainPermanentIdentifiers(for: [deleted]) }
        try context.save()
        try expectUnchanged(library, count: 4)
        // Inserted again, it becomes a new object.
        context.insert(deleted)
        try context.save()
        #expect(deleted.persistentModelID != id)
        try expectUnchanged(library)
    }

    @Test func unsavedObjectsChangeNoRow() throws {
        let unsaved = Book(title: "unsaved")
        for isInserted in [false, true] {
            if isInserted { context.insert(unsaved) }
            context.touch(unsaved)
            try context.refresh(unsaved)
            context.delete(unsaved)
            try context.save()
            try expectUnchanged(library)
        }
    }

    @Test func permanentIdentifiersAreThoseOfOwnObjects() throws {
        let unsaved = Book(title: "unsaved")
        other.context.insert(unsaved)
        let foreign = try #require(try other.book("Frankenstein"))
        for object in [unsaved, foreign, Book(title: "detached")] {
            #expect(throws: ContextError.self) { try context.obtainPermanentIdentifiers(for: [object]) }
        }
        #expect(unsaved.persistentModelID.isTemporary)
        try expectUnchanged(library)
    }

    /// The other store has other members under the same numbers.
    @Test func prefetchingRefusesObjectsOfOthers() throws {
        try #require(try other.book("The Last Man")).author = nil
        try other.context.save()
        let reader = ModelContext(other.container)
        let author = try #require(try reader.fetch(Author.where { $0.name == "Shelley" }).first)
        let book = try #require(try reader.fetch(Book.where { $0.title == "Frankenstein" }).first)
        #expect(throws: ContextError.self) { try context.prefetch({ $0.books }, of: [author]) }
        #expect(throws: ContextError.self) { try context.prefetch({ $0.author }, of: [book]) }
        #expect(author.books.map(\.title) == ["Frankenstein"])
        try context.prefetch({ $0.books }, of: [Author(name: "detached")])
        try expectUnchanged(library)
        try expectUnchanged(other)
    }

    @Test func propertiesByNameRefuseObjectsOfOthers() throws {
        let own = try #require(try library.book("Beowulf"))
        let foreign = try #require(try other.context.fetch(Author.all).first)
        #expect(throws: PropertyError.self) { try own.setValue(own, forKeyPath: "author") }
        try own.setValue(foreign, forKeyPath: "author")
        #expect(throws: ContextError.self) { try context.save() }
        context.rollback()
        #expect(own.author == nil)
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
        list.books.move(foreign, to: 0)
        #expect(throws: ContextError.self) { try context.save() }
        context.rollback()
        author.books.append(foreign)
        #expect(throws: ContextError.self) { try context.save() }
        context.rollback()
        author.books = ToMany([foreign])
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

    // MARK: Completeness

    /// All functions of the public interface that take an identifier or an object, each with the test that passes
    /// foreign ones, or the reason why there is none.
    private static let functions = [
        "BatchDeleteRequest.init(_:identifiers:)": "batchDeletionsByIdentifierRefuseThoseOfOthers",
        "Columns.isIn(_:)": "IdentityTests", "RelatedColumns.contains(_:)": "IdentityTests",
        "ContextNotification.init(insertedIdentifiers:updatedIdentifiers:deletedIdentifiers:)":
            "notificationsOfAnotherStoreAreIgnored",
        "FetchDescriptor.page(after:)": "a page compares values, and finds no object",
        "FetchedResultsController.indexPath(for:)": "resultsHaveNoPlaceForObjectsOfOthers",
        "FetchedResultsSection.init(name:objects:)": "a list of objects",
        "ModelActor.subscript(id:as:)": "actorsHaveNoObjectForIdentifiersOfOthers",
        "ModelContainer.mergeObjects(_:_:preferring:author:)": "mergingRefusesObjectsOfOthers",
        "ModelContainer.store(of:)": "identifiersOfOthersNameNoObject",
        "ModelContext.batchInsert(contentsOf:onConflict:)": "batchInsertionsRefuseReferencesToOthers",
        "ModelContext.batchInsert(contentsOf:onConflict:options:)": "batchInsertionsRefuseReferencesToOthers",
        "ModelContext.delete(_:)": "contextsRefuseObjectsOfOthers",
        "ModelContext.detectConflicts(for:)": "conflictsOfAnotherStoresObjectAreNone",
        "ModelContext.insert(_:)": "contextsRefuseObjectsOfOthers",
        "ModelContext.model(for:)": "identifiersOfOthersNameNoObject",
        "ModelContext.obtainPermanentIdentifiers(for:)": "permanentIdentifiersAreThoseOfOwnObjects",
        "ModelContext.prefetch(_:of:)": "prefetchingRefusesObjectsOfOthers",
        "ModelContext.refresh(_:mergeChanges:)": "contextsRefuseObjectsOfOthers",
        "ModelContext.registeredModel(for:)": "identifiersOfOthersNameNoObject",
        "ModelContext.touch(_:)": "contextsRefuseObjectsOfOthers",
        "SQLiteValue.init(_:)": "the number of a row, for SQL",
        "ToMany.append(_:)": "relationshipsHaveNoMembersOfOthers",
        "ToMany.append(contentsOf:)": "relationshipsHaveNoMembersOfOthers",
        "ToMany.contains(_:)": "relationshipsHaveNoMembersOfOthers",
        "ToMany.firstIndex(of:)": "relationshipsHaveNoMembersOfOthers",
        "ToMany.init(_:)": "relationshipsHaveNoMembersOfOthers",
        "ToMany.init(arrayLiteral:)": "relationshipsHaveNoMembersOfOthers",
        "ToMany.insert(_:)": "relationshipsHaveNoMembersOfOthers",
        "ToMany.insert(_:at:)": "relationshipsHaveNoMembersOfOthers",
        "ToMany.move(_:to:)": "relationshipsHaveNoMembersOfOthers",
        "ToMany.remove(_:)": "relationshipsHaveNoMembersOfOthers",
        "ValidationFailure.init(_:property:_:)": "a description of a failure",
    ]

    /// A function that is added must be tested here.
    @Test func everyFunctionOfTheInterfaceIsListed() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "API/Ashlar.txt"), encoding: .utf8)
        let found = Set(text.split(separator: "\n").compactMap(Self.functionWithObjects))
        #expect(found.symmetricDifference(Self.functions.keys) == [])
    }

    /// The name of a function that takes an identifier or an object: `ModelContext.delete(_:)`.
    private static func functionWithObjects(_ line: Substring) -> String? {
        guard let match = line.firstMatch(of: /^([^:]+): .*?(?:func (\w+)|\b(init)\??|\b(subscript))(?:<[^(]*>)?\(/)
        else {
            return nil
        }
        var depth = 1
        var parameters = [""]
        for letter in line[match.range.upperBound...] {
            if "([".contains(letter) { depth += 1 }
            if ")]".contains(letter) { depth -= 1 }
            if depth == 0 { break }
            if letter == ",", depth == 1 {
                parameters.append("")
            } else {
                parameters[parameters.count - 1].append(letter)
            }
        }
        let parts = parameters.map { $0.trimmingCharacters(in: .whitespaces).split(separator: ": ", maxSplits: 1) }
        guard parts.allSatisfy({ $0.count == 2 }), parts.contains(where: { isObject(String($0[1])) }) else {
            return nil
        }
        let labels = parts.map { "\($0[0].prefix { $0 != " " }):" }.joined()
        return "\(match.1).\(match.2 ?? match.3 ?? match.4 ?? "")(\(labels))"
    }

    private static func isObject(_ parameter: String) -> Bool {
        let type = parameter.split(separator: " = ")[0]
        let objects: Set<Substring> = [
            "Model", "Model?", "[Model]", "Element", "Element...", "some Sequence<Element>", "[any PersistentModel]",
            "some ManagedObject & PersistentModel", "some Sequence",
        ]
        return objects.contains(type) || type.contains("PersistentIdentifier") && !type.contains("->")
    }
}
