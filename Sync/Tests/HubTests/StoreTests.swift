import Ashlar
import AshlarSync
import Foundation
import PostgresLog
import Testing

/// Stores that follow a log of several hubs.
@Suite(.enabled(if: TestDatabase.address != nil, "ASHLAR_DATABASE says where a PostgreSQL is; Scripts/test starts one"))
struct StoreTests {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func store(_ name: String, _ log: any SyncLog) throws -> (container: ModelContainer, sync: StoreSync) {
        let configuration = ModelConfiguration(
            url: folder.appendingPathComponent("\(name).store"), options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(for: NotesModel.self, configurations: configuration)
        return (container, try StoreSync(container, with: log))
    }

    @Test("three stores, of which one speaks with the database and two with a hub each, become equal")
    func equality() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        let token = try await database.makeToken(log: name, access: "administer", label: "test", days: 1)
        try await withHub(database) { first in
            try await withHub(try await TestDatabase.open()) { second in
                let stores = [
                    try store("server", try await PostgresLog(name, in: database)),
                    try store("phone", HTTPLog(hub: first, name: name) { token }),
                    try store("tablet", HTTPLog(hub: second, name: name) { token }),
                ]
                let picture = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
                for round in 1...4 {
                    for (number, store) in stores.enumerated() {
                        let context = ModelContext(store.container)
                        let shared = try context.fetch(Note.where { $0.title == "shared" }).first
                        if let shared { shared.likes += 1 } else { context.insert(Note(likes: 1, title: "shared")) }
                        context.insert(Note(picture: picture, title: "\(number) in round \(round)"))
                        try context.save()
                    }
                    for store in stores { try await store.sync.synchronize() }
                }
                for store in stores { try await store.sync.synchronize() }
                // A fourth store begins with a snapshot that came through a hub.
                try await stores[1].sync.makeSnapshot()
                let late = try store("late", HTTPLog(hub: second, name: name) { token })
                try await late.sync.synchronize()
                for store in stores + [late] {
                    let notes = try ModelContext(store.container).fetchValues(Note.order { $0.title.ascending })
                    #expect(notes.count == 13)
                    #expect(notes.filter { $0.picture == picture }.count == 12)
                    // Each of the first three made the note by itself. Their counts are added, as later changes are.
                    #expect(notes.last?.likes == 12)
                    #expect(try store.container.integrityProblems() == [])
                }
            }
        }
    }

    @Test("a hub that goes away is waited for") func absence() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await TestDatabase.open()
        let name = "log-\(UUID())"
        let token = try await database.makeToken(log: name, access: "administer", label: "test", days: 1)
        let phone = try await withHub(database) { hub in
            let phone = try store("phone", HTTPLog(hub: hub, name: name, timeout: 60) { token })
            try await phone.sync.synchronize()
            return phone
        }
        let context = ModelContext(phone.container)
        context.insert(Note(title: "offline"))
        try context.save()
        await #expect(throws: (any Error).self) { try await phone.sync.synchronize() }
        let log = try await PostgresLog(name, in: database)
        #expect(try await log.head() == 0)
        // The same store continues through another log object with the same entries.
        let again = try StoreSync(phone.container, with: log)
        try await again.synchronize()
        #expect(try await log.head() == 1)
    }

    @Test("where the deletion of a member is denied, the whole that it was deleted with stays") func denial()
        async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = try StoreLog(at: folder.appendingPathComponent("log"))
        let (phone, tablet) = (try store("phone", log), try store("tablet", log))
        let context = ModelContext(phone.container)
        for name in ["kept", "gone"] {
            let shelf = Shelf(name: name)
            context.insert(shelf)
            for number in 1...3 { context.insert(Book(title: "\(name) \(number)", shelf: shelf)) }
        }
        try context.save()
        for store in [phone, tablet] { try await store.sync.synchronize() }
        // Meanwhile, a book is lent; a new one comes to its shelf and is lent; and a new one comes to the other shelf.
        let book = try #require(try context.fetch(Book.where { $0.title == "kept 2" }).first)
        context.insert(Loan(name: "Ada", book: book))
        let new = Book(title: "kept 4", shelf: book.shelf)
        context.insert(new)
        context.insert(Loan(name: "Bea", book: new))
        let other = try #require(try context.fetch(Shelf.where { $0.name == "gone" }).first)
        context.insert(Book(title: "gone 4", shelf: other))
        try context.save()
        try await phone.sync.synchronize()
        let deleting = ModelContext(tablet.container)
        for shelf in try deleting.fetch(Shelf.all) { deleting.delete(shelf) }
        try deleting.save()
        for store in [tablet, phone] { try await store.sync.synchronize() }
        for store in [phone, tablet] {
            let context = ModelContext(store.container)
            #expect(try context.fetch(Shelf.all).map(\.name) == ["kept"])
            let books = try context.fetch(Book.order { $0.title.ascending })
            #expect(books.map(\.title) == ["kept 1", "kept 2", "kept 3", "kept 4"])
            #expect(books.allSatisfy { $0.shelf?.name == "kept" })
            #expect(try context.fetch(Loan.order { $0.name.ascending }).map(\.book?.title) == ["kept 2", "kept 4"])
            #expect(try store.container.integrityProblems() == [])
        }
        let events = try await tablet.sync.keptEvents()
        #expect(events.map(\.kind) == Array(repeating: .deletionDenied, count: 4) + [.dropped])
    }
}
