import Ashlar
import Foundation
import Synchronization
import Testing

/// Copies of a store that is in use, made by SQLite's own tool.
@Suite(
    .enabled(if: RemoteCopy.tool != nil, "There is no sqlite3_rsync in PATH; it comes with SQLite 3.47 and later"))
struct ReplicationTests {
    @Test func aCopyIsOfOneMomentWhileOthersSave() async throws {
        let library = try Library(isEmpty: true)
        defer { withExtendedLifetime(library) {} }
        let container = library.container
        let isDone = Mutex(false)
        // Each save adds an author with two books, so that a moment between two saves differs from one within a save.
        async let saved = container.performBackgroundTask { context in
            var count = 0
            while !isDone.withLock({ $0 }) {
                let author = Author(name: "Author \(count)")
                context.insert(author)
                for number in 1...2 { author.books.append(Book(title: "Book \(number)")) }
                try context.save()
                count += 1
            }
            return count
        }
        defer { isDone.withLock { $0 = true } }
        let copy = library.folder.url.appending(path: "Copy.store")
        var counts: [Int] = []
        for _ in 1...3 {
            try RemoteCopy.make(of: container.configuration.url, at: copy)
            let reader = try ModelContainer(
                for: LibraryModel.self, configurations: ModelConfiguration(url: copy, allowsSave: false))
            #expect(try reader.integrityProblems().isEmpty)
            let authors = try await reader.fetchCount(Author.all)
            #expect(try await reader.fetchCount(Book.where { $0.author != nil }) == 2 * authors)
            counts.append(authors)
        }
        isDone.withLock { $0 = true }
        #expect(counts == counts.sorted())
        #expect(try await saved >= counts[2])
    }

    @Test func whoHasTheCopyOpenSeesTheNextOne() async throws {
        let library = try Library()
        defer { withExtendedLifetime(library) {} }
        let copy = library.folder.url.appending(path: "Copy.store")
        try RemoteCopy.make(of: library.container.configuration.url, at: copy)
        let reader = try ModelContainer(
            for: LibraryModel.self, configurations: ModelConfiguration(url: copy, allowsSave: false))
        let context = ModelContext(reader)
        #expect(try context.fetchCount(Book.all) == 5)
        library.context.insert(Book(title: "Orlando"))
        try library.context.save()
        try RemoteCopy.make(of: library.container.configuration.url, at: copy)
        #expect(try context.fetchCount(Book.all) == 6)
        #expect(try context.exists(Book.where { $0.title == "Orlando" }))
    }
}

/// SQLite's tool that makes one store equal to another.
private enum RemoteCopy {
    struct Failure: Error {
        var status: Int32
    }

    static let tool: URL? = {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { URL(filePath: "\($0)/sqlite3_rsync") }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
    }()

    static func make(of store: URL, at copy: URL) throws {
        let process = Process()
        guard let tool else { throw Failure(status: 127) }
        process.executableURL = tool
        process.arguments = [store.path, copy.path]
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw Failure(status: process.terminationStatus) }
    }
}
