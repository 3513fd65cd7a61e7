import Ashlar
import AshlarSync
import Foundation
import Testing

/// Two devices whose program follows the documentation.
@Suite struct SyncTests {
    let folder: TemporaryFolder
    let log: StoreLog

    init() throws {
        folder = try TemporaryFolder()
        log = try StoreLog(at: folder.url.appending(path: "library.log"))
    }

    private func device(_ name: String) throws -> (container: ModelContainer, sync: StoreSync) {
        let configuration = ModelConfiguration(
            url: folder.url.appending(path: "\(name).store"), options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(
            for: LibraryModel.self, migrationPlan: LibraryMigrations.self, configurations: configuration)
        return (container, try StoreSync(container, with: log))
    }

    @Test func bothFollowWhatTheOtherSaves() async throws {
        let (phone, tablet) = (try device("phone"), try device("tablet"))
        let tasks = [phone, tablet].map { device in Task { try await device.sync.run() } }
        let context = ModelContext(phone.container)
        let author = Author(name: "Virginia Woolf")
        context.insert(author)
        author.books.append(Book(title: "Orlando"))
        try context.save()
        try await until(tablet.container) { try $0.fetchCount(Book.where { $0.title == "Orlando" }) == 1 }
        let other = ModelContext(tablet.container)
        let book = try #require(try other.fetch(Book.all).first)
        #expect(book.author?.name == "Virginia Woolf")
        book.year = 1928
        try other.save()
        try await until(phone.container) { try $0.fetchCount(Book.where { $0.year == 1928 }) == 1 }
        await phone.sync.pause()
        await tablet.sync.pause()
        for task in tasks { try await task.value }
        #expect(await phone.sync.status.state == .idle)
        #expect(await phone.sync.status.head == tablet.sync.status.head)
    }

    @Test func theSameAuthorOnBothIsOne() async throws {
        let (phone, tablet) = (try device("phone"), try device("tablet"))
        for (device, title) in [(phone, "Orlando"), (tablet, "The Waves")] {
            let context = ModelContext(device.container)
            let author = Author(name: "Virginia Woolf")
            context.insert(author)
            author.books.append(Book(title: title))
            try context.save()
        }
        for device in [phone, tablet, phone] { try await device.sync.synchronize() }
        for device in [phone, tablet] {
            let context = ModelContext(device.container)
            let authors = try context.fetch(Author.all)
            #expect(authors.count == 1)
            #expect(authors.first?.books.map(\.title).sorted() == ["Orlando", "The Waves"])
            #expect(authors.first?.booksCount == 2)
            #expect(try device.container.integrityProblems() == [])
        }
        #expect(try await tablet.sync.keptEvents().map(\.kind) == [.merged])
    }

    @Test func aStoreWithObjectsMayJoin() async throws {
        let phone = try device("phone")
        let context = ModelContext(phone.container)
        context.insert(Book(title: "Orlando"))
        try context.save()
        try await phone.sync.synchronize()
        let configuration = ModelConfiguration(
            url: folder.url.appending(path: "old.store"), options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(
            for: LibraryModel.self, migrationPlan: LibraryMigrations.self, configurations: configuration)
        let old = ModelContext(container)
        let book = Book(title: "The Waves")
        old.insert(book)
        try old.save()
        let before = book.persistentModelID
        let sync = try StoreSync(container, with: log)
        try await sync.synchronize()
        try await phone.sync.synchronize()
        for container in [phone.container, container] {
            let titles = try ModelContext(container).fetch(Book.all).map(\.title)
            #expect(titles.sorted() == ["Orlando", "The Waves"])
        }
        let now = try sync.currentIdentifier(for: before)
        #expect(now != before)
        #expect(try old.fetch(Book.all).contains { $0.persistentModelID == now && $0.title == "The Waves" })
    }

    @Test func whatIsMissingIsSaid() async throws {
        let memory = try ModelContainer(
            for: LibraryModel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        #expect(throws: SyncError.storeInMemory) { try StoreSync(memory, with: log) }
        let url = folder.url.appending(path: "plain.store")
        let plain = try ModelContainer(for: LibraryModel.self, configurations: ModelConfiguration(url: url))
        #expect(throws: HistoryError.notTracked(url)) { try StoreSync(plain, with: log) }
    }

    private func until(_ container: ModelContainer, _ isDone: (ModelContext) throws -> Bool) async throws {
        while try !isDone(ModelContext(container)) { try await Task.sleep(for: .milliseconds(10)) }
    }
}
