import Ashlar
import Foundation
import Testing

/// Changes in the history, and carrying them elsewhere.
@Suite struct HistoryTests {
    private let library: Library
    private var context: ModelContext { library.context }
    private var container: ModelContainer { library.container }

    init() throws { library = try Library(options: StoreOptions(historyTracking: true)) }

    @Test func transactionsAreTold() throws {
        let token = try container.currentHistoryToken()
        context.author = "the program"
        let book = try #require(try library.book("Beowulf"))
        book.pages = 91
        context.insert(Author(name: "Wells"))
        try context.save()
        let transactions = try container.fetchHistory(.fetchHistory(after: token))
        #expect(transactions.count == 1 && transactions[0].author == "the program")
        let update = transactions[0].changes.first { $0.changeType == .update }
        #expect(update?.changedObjectID == book.persistentModelID && update?.updatedProperties == ["pages"])
        let ofOthers = PersistentHistoryChangeRequest.fetchHistory(after: token).by(excluding: ["the program"])
        #expect(try container.fetchHistory(ofOthers).isEmpty)
        let ofTitles = PersistentHistoryChangeRequest.fetchHistory(after: token).changing(Book.self, ["title"])
        #expect(try container.fetchHistory(ofTitles).isEmpty)
    }

    @Test func whatIsGoneLeavesValues() throws {
        let book = try #require(try library.book("Beowulf"))
        book.isbn = "978-0"
        try context.save()
        let token = try container.currentHistoryToken()
        context.delete(book)
        try context.save()
        let change = try container.fetchHistory(.fetchHistory(after: token)).first?.changes.first
        #expect(change?.changeType == .delete && change?.tombstone?.value(of: "isbn") == "978-0")
    }

    @Test func linksOfDeletedObjectsAreChangesOfTheirOwnEntity() throws {
        let token = try container.currentHistoryToken()
        let audio = try #require(try context.fetch(AudioBook.all).first)
        let book = try #require(try library.book("Beowulf"))
        let list = ReadingList(title: "next")
        list.books = [audio, book]
        context.insert(list)
        try context.save()
        let (audioID, bookID) = (audio.persistentModelID, book.persistentModelID)
        context.delete(audio)
        context.delete(book)
        try context.save()
        let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
        func changed(_ request: PersistentHistoryChangeRequest) throws -> [[PersistentIdentifier]] {
            try container.fetchHistory(request).map { $0.changes.map(\.changedObjectID) }
        }
        let ofAudioBooks = try changed(request.changing(AudioBook.self))
        #expect(ofAudioBooks == [[audioID], [audioID]])
        #expect(try changed(request.changing(Book.self, includesSubentities: false)) == [[bookID], [bookID]])
        #expect(try changed(request.changing(Book.self)).map(Set.init) == [[audioID, bookID], [audioID, bookID]])
        let all = try container.fetchHistory(request).flatMap(\.changes).filter { $0.changedObjectID == audioID }
        #expect(all.allSatisfy { $0.changedObjectID.entityName == "AudioBook" })
    }

    @Test func anotherContextCatchesUp() throws {
        let token = try container.currentHistoryToken()
        let other = ModelContext(container)
        let theirs = try #require(try other.fetch(Book.where { $0.title == "Beowulf" }).first)
        let mine = try #require(try library.book("Beowulf"))
        theirs.pages = 100
        try other.save()
        for transaction in try container.fetchHistory(.fetchHistory(after: token)) {
            try context.mergeChanges(from: transaction.objectIDNotification())
        }
        #expect(mine.pages == 100)
    }

    @Test func itIsFollowed() async throws {
        let token = try container.currentHistoryToken()
        var transactions = container.history(.fetchHistory(after: token)).makeAsyncIterator()
        context.insert(Author(name: "Wells"))
        try context.save()
        let transaction = try #require(try await transactions.next())
        #expect(transaction.changes.map(\.changeType) == [.insert])
        // A token is kept with the program's settings.
        let kept = try JSONEncoder().encode(transaction.token)
        #expect(try JSONDecoder().decode(PersistentHistoryToken.self, from: kept) == transaction.token)
    }

    @Test func oldTokensExpire() throws {
        let token = try container.currentHistoryToken()
        for name in ["Wells", "Poe"] {
            context.insert(Author(name: name))
            try context.save()
        }
        try container.deleteHistory(before: try container.currentHistoryToken())
        #expect(throws: HistoryError.self) { try container.fetchHistory(.fetchHistory(after: token)) }
    }

    @Test func changesAreCarried() throws {
        let copy = library.folder.url.appending(path: "Copy.store")
        try container.backUp(to: copy)
        let other = try ModelContainer(for: LibraryModel.self, at: copy)
        let token = try container.currentHistoryToken()
        try #require(try library.book("Beowulf")).pages = 100
        context.insert(Book(title: "News"))
        try context.save()
        let changes = try container.changeset(.fetchHistory(after: token))
        let sent = try JSONEncoder().encode(changes)
        try other.apply(try JSONDecoder().decode(Changeset.self, from: sent), author: "import")
        let found = try ModelContext(other).fetchValues(Book.where { $0.title == "News" || $0.pages == 100 })
        #expect(found.count == 2)
    }

    @Test func replicasBecomeEqual() throws {
        try container.setIdentifierRange(1...999_999)
        let copy = library.folder.url.appending(path: "Replica.store")
        try container.backUp(to: copy)
        let replica = try ModelContainer(for: LibraryModel.self, at: copy)
        try replica.becomeReplica(identifiers: 1_000_000...1_999_999)
        let away = ModelContext(replica)
        away.insert(Book(title: "Written away"))
        try away.save()
        try #require(try library.book("Beowulf")).pages = 100
        try context.save()
        let answer = try container.reconcile(try replica.pendingChanges(), author: "Ada's phone")
        try replica.adopt(answer, author: "primary")
        let contexts = [ModelContext(container), ModelContext(replica)]
        let titles = try contexts.map {
            try $0.fetch(Book.order { $0.title.ascending }.select { ($0.title, $0.pages) })
        }
        #expect(titles[0].map(\.0) == titles[1].map(\.0) && titles[0].map(\.1) == titles[1].map(\.1))
        #expect(titles[0].count == 6)
    }
}
