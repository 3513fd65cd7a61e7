import AshlarSQLite
import Dispatch
import Foundation
import Testing

@testable import Ashlar

/// Containers that release their stores for a while.
// Serialized because each test blocks its thread, and concurrent tests have few threads.
@Suite(.serialized) struct SuspensionTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func container(_ options: StoreOptions = StoreOptions()) throws -> ModelContainer {
        try ModelContainer(
            for: StudioModel.self, configurations: ModelConfiguration(url: folder.file(), options: options))
    }

    private func isSuspended(_ error: any Error) -> Bool {
        if case StoreError.suspended = error { true } else { false }
    }

    private func expectSuspended<Result>(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
    ) {
        #expect(sourceLocation: sourceLocation) {
            _ = try body()
        } throws: {
            isSuspended($0)
        }
    }

    /// Runs a closure that waits for others, on a thread of its own.
    private func onThread(_ body: @escaping @Sendable () throws -> Void) -> Task<Void, any Error> {
        Task {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
            }
        }
    }

    /// The files of the folder that this process has open. Only on these can it hold locks.
    private func openFiles() throws -> [String] {
        #if os(Linux)
            let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            let paths = own.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            return paths.filter { $0.contains(folder.url.lastPathComponent) }.sorted()
        #else
            return []
        #endif
    }

    private func insert(_ title: String, _ container: ModelContainer) throws {
        let context = ModelContext(container)
        context.insert(Article(title: title))
        try context.save()
    }

    /// Sets the dates of the store's files to earlier ones, so that they show the next write however soon it comes.
    private func age() throws {
        for name in ["test.store", "test.store-wal"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -100)], ofItemAtPath: folder.file(name).path)
        }
    }

    @Test func nothingIsOpenWhileItIsSuspended() throws {
        let container = try container()
        let context = ModelContext(container)
        let article = Article(title: "first")
        context.insert(article)
        try context.save()
        let pinned = ModelContext(container)
        try pinned.setQueryGeneration(from: .current)
        #expect(try pinned.fetchCount(Article.all) == 1)
        article.title = "changed"
        try container.suspend()
        try container.suspend()
        #expect(container.isSuspended)
        #expect(try openFiles().isEmpty)
        expectSuspended { try context.save() }
        expectSuspended { try ModelContext(container).fetch(Article.all) }
        expectSuspended { try context.batchDelete(Article.all) }
        let another = ModelContext(container)
        expectSuspended { try another.transaction { _ = try another.fetchCount(Article.all) } }
        expectSuspended { try container.vacuum() }
        expectSuspended { try container.checkpoint() }
        expectSuspended { try container.backUp(to: folder.file("copy.store")) }
        #expect(throws: StoreError.self) { try pinned.fetchCount(Article.all) }
        #expect(try openFiles().isEmpty)
        try container.resume()
        try container.resume()
        #expect(!container.isSuspended)
        // Pending changes are still there.
        try context.save()
        #expect(try ModelContext(container).fetch(Article.all).map(\.title) == ["changed"])
        try pinned.setQueryGeneration(from: .current)
        #expect(try pinned.fetchCount(Article.all) == 1)
        try container.expectSound()
    }

    @Test func oneThatOnlyReads() throws {
        try insert("first", container())
        let container = try ModelContainer(
            for: StudioModel.self, configurations: ModelConfiguration(url: folder.file(), allowsSave: false))
        let context = ModelContext(container)
        #expect(try context.fetchCount(Article.all) == 1)
        try container.suspend()
        #expect(try openFiles().isEmpty)
        expectSuspended { try ModelContext(container).fetch(Article.all) }
        try container.resume()
        #expect(try context.fetchCount(Article.all) == 1)
    }

    @Test func storesInMemoryKeepWhatTheyHave() throws {
        let memory = try memoryContainer(StudioModel.self)
        try memory.suspend()
        #expect(!memory.isSuspended)
        try insert("in memory", memory)

        let container = try Outpost.container(in: folder)
        let context = ModelContext(container)
        try Outpost.fill(context)
        let before = try (context.fetchCount(Memo.all), context.fetchCount(Visit.all), context.fetchCount(Landmark.all))
        try container.suspend()
        #expect(try openFiles().isEmpty)
        expectSuspended { try ModelContext(container).fetch(Memo.all) }
        try container.resume()
        let after = ModelContext(container)
        #expect(try after.fetchCount(Memo.all) == before.0 && after.fetchCount(Visit.all) == before.1)
        #expect(try after.fetchCount(Landmark.all) == before.2)
        #expect(try after.batchUpdate(Memo.all) { $0.rank += 1 } == before.0)
        #expect(try container.integrityProblems().isEmpty)
    }

    @Test func whatRunsIsInterrupted() async throws {
        let container = try container()
        let filling = ModelContext(container)
        try filling.batchInsert(contentsOf: (0..<2000).map { Article.Values(likes: Int64($0), title: "\($0)") })
        for write in [false, true] {
            let begun = AsyncStream.makeStream(of: Void.self)
            // A join of each row with each two others takes years, unless it is interrupted.
            let sql = "SELECT count(*) FROM Article a, Article b, Article c WHERE a.likes + b.likes + c.likes = -1"
            let work = onThread {
                func count(_ connection: Connection) throws {
                    begun.continuation.yield()
                    _ = try connection.integer(sql)
                }
                if !write { return try container.stores[0].read("reading") { try count($0) } }
                try container.stores[0].write("writing") { connection in
                    try connection.transaction {
                        try connection.execute("UPDATE Article SET likes = -1 WHERE id$ = 1")
                        try count(connection)
                    }
                }
            }
            var begins = begun.stream.makeAsyncIterator()
            await begins.next()
            try container.suspend()
            var error: (any Error)?
            if case .failure(let failure) = await work.result { error = failure }
            #expect(try openFiles().isEmpty)
            #expect(error.map(isSuspended) == true, "\(String(describing: error))")
            try container.resume()
        }
        #expect(try ModelContext(container).fetchCount(Article.where { $0.likes == -1 }) == 0)
    }

    /// A suspension ends a save's wait for another process.
    @Test func waitingEnds() async throws {
        let container = try container(StoreOptions(busyTimeout: .seconds(3600)))
        let other = try Connection(path: folder.file().path, flags: SQLITE_OPEN_READWRITE)
        try other.execute("BEGIN IMMEDIATE")
        let begun = AsyncStream.makeStream(of: Void.self)
        let save = onThread {
            let context = ModelContext(container)
            context.insert(Article(title: "waiting"))
            begun.continuation.yield()
            try context.save()
        }
        var begins = begun.stream.makeAsyncIterator()
        await begins.next()
        // The save must not wait for an hour, whether it waits already or not.
        try container.suspend()
        let result = await save.result
        expectSuspended { try result.get() }
        try other.execute("ROLLBACK")
        try container.resume()
        #expect(try ModelContext(container).fetchCount(Article.all) == 0)
    }

    /// A closure of the program that takes longer than the busy timeout.
    @Test func aClosureThatDoesNotEnd() async throws {
        let container = try container(StoreOptions(busyTimeout: .milliseconds(50)))
        let (begun, end) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let transaction = onThread {
            let context = ModelContext(container)
            try context.transaction {
                context.insert(Article(title: "slow"))
                try context.save()
                begun.continuation.yield()
                end.wait()
            }
        }
        var begins = begun.stream.makeAsyncIterator()
        await begins.next()
        for _ in 0..<2 {
            #expect {
                try container.suspend()
            } throws: {
                if case StoreError.locked = $0 { true } else { false }
            }
        }
        #expect(container.isSuspended)
        #expect(throws: StoreError.self) { try container.resume() }
        expectSuspended { try ModelContext(container).fetch(Article.all) }
        end.signal()
        let result = await transaction.result
        expectSuspended { try result.get() }
        try container.suspend()
        #expect(try openFiles().isEmpty)
        try container.resume()
        #expect(try ModelContext(container).fetchCount(Article.all) == 0)
    }

    @Test func aClosureThatWritesCannotSuspend() throws {
        let container = try container()
        let context = ModelContext(container)
        try context.transaction {
            context.insert(Article(title: "first"))
            try context.save()
            #expect {
                try container.suspend()
            } throws: {
                if case StoreError.nestedWriting = $0 { true } else { false }
            }
        }
        #expect(!container.isSuspended)
        #expect(try ModelContext(container).fetchCount(Article.all) == 1)
    }

    // MARK: Changes by others

    @Test func whatOthersCommittedIsToldAfterwards() async throws {
        let options = StoreOptions(historyTracking: true)
        let (container, other) = (try container(options), try container(options))
        try insert("before", other)
        var changes = container.remoteChanges.makeAsyncIterator()
        var history = container.history().makeAsyncIterator()
        #expect(try await history.next()?.changes.count == 1)
        var results = container.results(Article.order { $0.title.ascending }).makeAsyncIterator()
        #expect(try await results.next()?.map(\.title) == ["before"])
        try container.suspend()
        try insert("meanwhile", other)
        try container.resume()
        #expect(await changes.next()?.storeIdentifier == container.storeIdentifier)
        #expect(try await history.next()?.changes.count == 1)
        #expect(try await results.next()?.map(\.title) == ["before", "meanwhile"])
        // The sequences go on.
        try insert("nearby", other)
        #expect(await changes.next()?.kind == .commit)
        #expect(try await results.next()?.map(\.title) == ["before", "meanwhile", "nearby"])
    }

    @Test func whetherOthersCommittedIsKnown() throws {
        let container = try container()
        try insert("first", container)
        try age()
        try container.suspend()
        try container.resume()
        let store = container.stores[0]
        let before = try #require(store.dataVersion())
        #expect(!container.pool.foreignCommits.exist)
        try age()
        try container.suspend()
        #expect(store.dataVersion() == before)
        let other = try Connection(path: folder.file().path, flags: SQLITE_OPEN_READWRITE)
        try other.execute("UPDATE Article SET title = 'changed'")
        try container.resume()
        let after = try #require(store.dataVersion())
        #expect(after != before)
        #expect(container.pool.foreignCommits.exist)
        // The dates of a file that was written just now are inconclusive, so that it counts as written.
        try insert("second", container)
        #expect(store.dataVersion() == after)
        try container.suspend()
        try container.resume()
        #expect(store.dataVersion() != after)
    }

    @Test func theMainContextSavesAfterwards() async throws {
        let container = try container()
        try await Task { @MainActor in
            let context = container.mainContext
            try container.suspend()
            context.insert(Article(title: "pending"))
            context.processPendingChanges()
            #expect(context.hasChanges)
            try container.resume()
            while context.hasChanges { await Task.yield() }
        }.value
        #expect(try ModelContext(container).fetchCount(Article.all) == 1)
    }

    @Test func aStoreThatIsGoneAfterwards() throws {
        let container = try container()
        try insert("first", container)
        try container.suspend()
        let away = folder.file("away.store")
        try FileManager.default.moveItem(at: folder.file(), to: away)
        #expect {
            try container.resume()
        } throws: {
            if case StoreError.removedWhileOpen = $0 { true } else { false }
        }
        #expect(container.isSuspended)
        #expect(!FileManager.default.fileExists(atPath: folder.file().path))
        try FileManager.default.moveItem(at: away, to: folder.file())
        try container.resume()
        #expect(try ModelContext(container).fetchCount(Article.all) == 1)
    }

    @Test(arguments: [false, true]) func theLogIsLookedAtWhereTheSystemTellsNothing(
        isHeld: Bool
    ) async throws {
        let (container, other) = (try container(), try container())
        let told = AsyncStream.makeStream(of: Void.self)
        let watcher = RemoteChangeWatcher(store: container.stores[0], polls: true) { _ in told.continuation.yield() }
        watcher.start()
        if isHeld {
            try container.suspend()
            try container.resume()
        }
        try insert("other", other)
        var tells = told.stream.makeAsyncIterator()
        await tells.next()
        watcher.stop()
    }
}
