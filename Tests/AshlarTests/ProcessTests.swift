import AshlarSQLite
import CFaultInjection
import Foundation
import RandomNumbers
import RandomSeeds
import Testing
import ThreadTraits

@testable import Ashlar

#if os(Linux) || os(macOS)
    /// Several processes; some are killed.
    @Suite(.serialized, .ownThreads) struct ProcessTests {
        let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            #expect(fault_install() == SQLITE_OK)
        }

        /// The changes during which a process is killed: rows of all kinds, in one save.
        static func change(_ context: ModelContext) throws {
            let labels = try context.fetch(Label.order { $0.name.ascending })
            for label in labels[..<3] { label.name = "changed" }
            for label in labels[3..<5] { context.delete(label) }
            for index in 0..<50 { context.insert(Label(name: "new \(index)")) }
            try context.save()
        }

        private static let old = (0..<8).map { "old \($0)" }
        private static let new =
            (Array(repeating: "changed", count: 3) + ["old 5", "old 6", "old 7"] + (0..<50).map { "new \($0)" })
            .sorted()

        static func context(_ path: String) throws -> ModelContext {
            // A log that is checkpointed at every commit, and few cached pages, make a save touch more files.
            let options = StoreOptions(cacheSize: 0, synchronous: .full, walAutocheckpoint: 1)
            let url = URL(fileURLWithPath: path)
            return ModelContext(
                try ModelContainer(
                    for: TortureModel.self, configurations: ModelConfiguration(url: url, options: options)))
        }

        private func makeStore() throws {
            let context = try Self.context(folder.file().path)
            for name in Self.old { context.insert(Label(name: name)) }
            try context.save()
        }

        /// Expects all of the save in the store, or nothing of it.
        private func expectWhole(_ comment: Testing.Comment) throws {
            let container = try ModelContainer(for: TortureModel.self, at: folder.file())
            let names = try ModelContext(container).fetch(Label.all).map(\.name).sorted()
            #expect(names == Self.old || names == Self.new, comment)
            try container.expectSound(comment)
            let context = ModelContext(container)
            context.insert(Label(name: "after"))
            try context.save()
        }

        private func sample(_ count: Int, _ seed: Seed) -> ArraySlice<Int> {
            var generator = SeededGenerator(seed: seed)
            return (1...count).shuffled(using: &generator).prefix(5)
        }

        @Test(arguments: seeds(1)) func killedAtAnyWrite(_ seed: Seed) async throws {
            try makeStore()
            let context = try Self.context(folder.file().path)
            fault_arm(folder.url.path, .max, 0, FAULT_KILL, 0)
            try Self.change(context)
            let count = Int(fault_disarm())
            #expect(count > 10)
            for number in sample(count, seed) {
                let test = try ProcessTests()
                try test.makeStore()
                let path = test.folder.file().path
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, number = number as Int] in
                    _ = fault_install()
                    let context = try ProcessTests.context(path)
                    fault_arm(path, Int32(number), 0, FAULT_KILL, 0)
                    try ProcessTests.change(context)
                    raise(SIGKILL)
                }
                try test.expectWhole("killed at write \(number)")
            }
        }

        @Test("row 165: killed at any statement", arguments: seeds(1))
        func killedAtAnyStatement(_ seed: Seed) async throws {
            for number in sample(12, seed) {
                let test = try ProcessTests()
                try test.makeStore()
                let path = test.folder.file().path
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, number = number as Int] in
                    let context = try ProcessTests.context(path)
                    try StatementCounter.kill(at: number, context.container)
                    try ProcessTests.change(context)
                    raise(SIGKILL)
                }
                try test.expectWhole("killed at statement \(number)")
            }
        }

        @Test(arguments: seeds(1)) func killedWhileItMakesTheStore(_ seed: Seed) async throws {
            for number in sample(200, seed) {
                let test = try ProcessTests()
                let path = test.folder.file().path
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, number = number as Int] in
                    _ = fault_install()
                    fault_arm(path, Int32(number), 0, FAULT_KILL, 0)
                    _ = try ProcessTests.context(path)
                    raise(SIGKILL)
                }
                let container = try ModelContainer(for: TortureModel.self, at: test.folder.file())
                #expect(try ModelContext(container).fetchCount(Label.all) == 0, "killed at write \(number)")
                try container.expectSound()
            }
        }

        // MARK: Waiting for each other

        private static func wait(for path: String) async throws {
            while !FileManager.default.fileExists(atPath: path) { try await Task.sleep(for: .milliseconds(5)) }
        }

        /// Runs a child that holds the store until the file `done` is there.
        private static func hold(_ path: String, _ statement: String, ready: String, done: String) async {
            await #expect(processExitsWith: .success) {
                [
                    path = path as String, statement = statement as String, ready = ready as String,
                    done = done as String
                ] in
                let connection = try Connection(path: path, flags: SQLITE_OPEN_READWRITE)
                _ = try connection.integer("SELECT count(*) FROM Label")
                try connection.execute(statement)
                _ = FileManager.default.createFile(atPath: ready, contents: nil)
                try await ProcessTests.wait(for: done)
            }
        }

        /// A child that holds the store while the closure runs.
        private func whileAnotherProcess(holds statement: String, _ body: () throws -> Void) async throws {
            let (ready, done) = (folder.file("ready").path, folder.file("done").path)
            async let child: Void = Self.hold(folder.file().path, statement, ready: ready, done: done)
            try await Self.wait(for: ready)
            do {
                try body()
            } catch {
                Issue.record(error)
            }
            _ = FileManager.default.createFile(atPath: done, contents: nil)
            await child
            for name in [ready, done] { try? FileManager.default.removeItem(atPath: name) }
        }

        @Test func aStoreThatAnotherProcessWrites() async throws {
            try makeStore()
            let options = StoreOptions(busyTimeout: .milliseconds(50))
            let configuration = ModelConfiguration(url: folder.file(), options: options)
            let url = folder.file()
            let container = try ModelContainer(for: TortureModel.self, configurations: configuration)
            let context = ModelContext(container)
            context.insert(Label(name: "waiting"))
            try await whileAnotherProcess(holds: "BEGIN IMMEDIATE") {
                #expect {
                    try context.save()
                } throws: {
                    guard case StoreError.locked(url, .milliseconds(50), _) = $0 else { return false }
                    return "\($0)".contains(url.path) && "\($0)".contains("busyTimeout")
                }
                // Readers do not wait.
                let count = try ModelContext(container).fetchCount(Label.all)
                #expect(count == 8)
            }
            try context.save()
            #expect(try ModelContext(container).fetchCount(Label.all) == 9)
        }

        @Test func aStoreThatAnotherProcessHasOpen() async throws {
            try makeStore()
            let url = folder.file()
            let copy = folder.file("copy.store")
            try await whileAnotherProcess(holds: "SELECT 1") {
                for work in [
                    { try ModelContainer.destroyStore(at: url) },
                    { try ModelContainer.moveStore(from: url, to: self.folder.file("moved.store")) },
                    { try ModelContainer.replaceStore(at: url, withStoreFrom: copy) },
                ] as [() throws -> Void] {
                    #expect { try work() } throws: { if case StoreError.locked(url, _, _) = $0 { true } else { false } }
                }
                try ModelContainer.backUpStore(at: url, to: copy)
            }
            try expectWhole("")
            try ModelContainer.replaceStore(at: url, withStoreFrom: copy)
            try ModelContainer.destroyStore(at: url)
        }

        /// When a process closes a file anywhere, POSIX releases all of its locks on that file. Examining an open
        /// store must not do so: another process would find no other user and delete the log.
        @Test func aSecondContainerKeepsTheLocksOfTheFirst() async throws {
            try makeStore()
            let first = try Self.context(folder.file().path)
            _ = try first.fetch(Label.all)
            _ = try ModelContainer(for: TortureModel.self, at: folder.file())
            _ = try ModelContainer.metadata(ofStoreAt: folder.file())
            try ModelContainer.setMetadata(1, forKey: "a", ofStoreAt: folder.file())
            #expect(throws: StoreError.self) { try ModelContainer.destroyStore(at: folder.file()) }
            let path = folder.file().path
            await #expect(processExitsWith: .success) { [path = path as String] in
                let context = try ProcessTests.context(path)
                context.insert(Label(name: "of the child"))
                try context.save()
            }
            #expect(FileManager.default.fileExists(atPath: path + "-wal"))
            first.insert(Label(name: "of the parent"))
            try first.save()
            await #expect(processExitsWith: .success) { [path = path as String] in
                let names = try ProcessTests.context(path).fetch(Label.all).map(\.name)
                guard names.contains("of the parent"), names.contains("of the child") else { exit(1) }
            }
        }

        // MARK: Remote changes

        @Test("row 58: changes of another process")
        func changesOfAnotherProcess() async throws {
            try makeStore()
            let container = try ModelContainer(for: TortureModel.self, at: folder.file())
            var changes = container.remoteChanges.makeAsyncIterator()
            let context = ModelContext(container)
            for round in 0..<3 {
                // The container's own saves are not reported.
                context.insert(Label(name: "own"))
                try context.save()
                let path = folder.file().path
                await #expect(processExitsWith: .success) { [path = path as String, round = round as Int] in
                    let context = try ProcessTests.context(path)
                    context.insert(Label(name: "remote \(round)"))
                    try context.save()
                }
                let change = await changes.next()
                #expect(change == RemoteChange(storeIdentifier: container.storeIdentifier, url: folder.file()))
                #expect(try context.fetch(Label.where { $0.name == "remote \(round)" }).count == 1)
            }
        }

        @Test func changesOfAnotherContainer() async throws {
            try makeStore()
            let container = try ModelContainer(for: TortureModel.self, at: folder.file())
            let other = ModelContext(try ModelContainer(for: TortureModel.self, at: folder.file()))
            let stream = container.remoteChanges
            let own = ModelContext(container)
            for _ in 0..<20 {
                own.insert(Label(name: "own"))
                try own.save()
            }
            // Only changes by the other container are reported, a hundred saves in a few notifications.
            let before = try #require(container.stores[0].dataVersion())
            #expect(container.stores[0].dataVersion() == before)
            for _ in 0..<100 {
                other.insert(Label(name: "other"))
                try other.save()
            }
            var count = 0
            for await _ in stream {
                count += 1
                if try ModelContext(container).fetchCount(Label.where { $0.name == "other" }) == 100 { break }
            }
            #expect(count >= 1 && count < 100)
            for await _ in try memoryContainer().remoteChanges { Issue.record("nobody else can write") }
        }
    }

    /// Kills this process at a statement of a container's writer.
    enum StatementCounter {
        static func kill(at number: Int, _ container: ModelContainer) throws {
            let left = UnsafeMutablePointer<Int>.allocate(capacity: 1)
            left.pointee = number
            _ = try container.pool.write { connection in
                sqlite3_trace_v2(
                    connection.database, UInt32(SQLITE_TRACE_STMT),
                    { _, left, _, _ in
                        guard let left = left?.assumingMemoryBound(to: Int.self) else { return 0 }
                        left.pointee -= 1
                        if left.pointee == 0 { raise(SIGKILL) }
                        return 0
                    }, left)
            }
        }
    }
#endif
