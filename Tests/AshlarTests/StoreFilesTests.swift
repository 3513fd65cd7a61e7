import Foundation
import Testing

@testable import Ashlar

/// Stores that are destroyed, replaced, moved, copied, checked and vacuumed.
@Suite struct StoreFilesTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makeStore(_ name: String, _ labels: String...) throws {
        let context = ModelContext(try ModelContainer(for: TortureModel.self, at: folder.file(name)))
        for label in labels { context.insert(Label(name: label)) }
        try context.save()
    }

    private func labels(_ name: String) throws -> [String] {
        let container = try ModelContainer(for: TortureModel.self, at: folder.file(name))
        try container.expectSound()
        return try ModelContext(container).fetch(Label.all).map(\.name).sorted()
    }

    private func makeSupportFolder(_ name: String) throws -> URL {
        let support = StoreFile(url: folder.file(name)).supportFolder
        try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
        try Data("large".utf8).write(to: support.appendingPathComponent("blob"))
        return support
    }

    /// Makes a store as a killed process leaves it, with its newest save in the log.
    private func makeKilledStore(_ name: String) throws {
        let elsewhere = try TemporaryFolder()
        let context = ModelContext(try ModelContainer(for: TortureModel.self, at: elsewhere.file()))
        context.insert(Label(name: "in the log"))
        try context.save()
        try ForeignDatabase.copyFiles(of: elsewhere.file(), to: folder.file(name))
    }

    @Test("row 54: destroying") func destroying() throws {
        try makeStore("a.store", "a")
        #expect(try makeSupportFolder("a.store").lastPathComponent == ".a.store_SUPPORT")
        try ModelContainer.destroyStore(at: folder.file("a.store"))
        #expect(try folder.contents().isEmpty)
        try ModelContainer.destroyStore(at: folder.file("a.store"))
        try makeKilledStore("b.store")
        try ModelContainer.destroyStore(at: folder.file("b.store"))
        #expect(try folder.contents().isEmpty)
    }

    @Test func whatIsNoStoreIsNotDestroyed() throws {
        try ForeignDatabase.make(at: folder.file("b.store"), "CREATE TABLE notes (text)")
        try Data("hello".utf8).write(to: folder.file("c.store"))
        try makeStore("d.store")
        let before = try folder.contents()
        for name in ["b.store", "c.store"] {
            #expect(throws: StoreError.self) { try ModelContainer.destroyStore(at: folder.file(name)) }
            #expect(throws: StoreError.self) {
                try ModelContainer.replaceStore(at: folder.file(name), withStoreFrom: folder.file("d.store"))
            }
            #expect(throws: StoreError.self) {
                try ModelContainer.replaceStore(at: folder.file("d.store"), withStoreFrom: folder.file(name))
            }
        }
        #expect(try folder.contents().filter { $0.key != "d.store" } == before.filter { $0.key != "d.store" })
    }

    // MARK: Files beside a target

    /// The ways to put a store at a place. The source is `b.store`.
    enum Way: CaseIterable {
        case replacing, moving, copying, backingUp

        func run(_ source: URL, _ target: URL) throws {
            switch self {
            case .replacing: try ModelContainer.replaceStore(at: target, withStoreFrom: source)
            case .moving: try ModelContainer.moveStore(from: source, to: target)
            case .copying: try ModelContainer.backUpStore(at: source, to: target)
            case .backingUp: try ModelContainer(for: TortureModel.self, at: source).backUp(to: target)
            }
        }
    }

    /// A store that a killed process left was removed, but its log or its rollback journal stayed.
    @Test("row 54: what a removed store left is not taken for the copy's", arguments: Way.allCases, [true, false])
    func staleFiles(_ way: Way, isLog: Bool) throws {
        try makeStore("b.store", "b")
        let elsewhere = try TemporaryFolder()
        let living = elsewhere.file()
        do {
            let context = ModelContext(try ModelContainer(for: TortureModel.self, at: living))
            for index in 0..<2000 { context.insert(Label(name: "label \(index)")) }
            try context.save()
        }
        let connection = try ForeignDatabase.connect(living)
        _ = try connection.rows("PRAGMA journal_mode = \(isLog ? "WAL" : "DELETE")")
        _ = try connection.rows("PRAGMA cache_size = 1")
        try connection.execute("BEGIN")
        try connection.execute("UPDATE Label SET name = 'changed ' || name")
        if isLog { try connection.execute("COMMIT") }
        let suffix = isLog ? "-wal" : "-journal"
        let stale = folder.file("a.store").path + suffix
        try FileManager.default.copyItem(atPath: living.path + suffix, toPath: stale)
        #expect(FileSystem.length(ofFile: stale) ?? 0 > 4096)
        try way.run(folder.file("b.store"), folder.file("a.store"))
        #expect(!FileManager.default.fileExists(atPath: stale))
        #expect(try labels("a.store") == ["b"])
        // The log disappears with the last connection.
        _ = try connection.integer("SELECT count(*) FROM Label")
    }

    @Test("row 54: a store whose beginning is damaged can be destroyed and replaced", arguments: [16, 100, 4096, 5000])
    func damagedBeginnings(_ length: Int) throws {
        try makeStore("b.store", "b")
        for byte in [0, 0xA5] as [UInt8] {
            for isKilled in [false, true] {
                for isReplaced in [false, true] {
                    if isKilled { try makeKilledStore("a.store") } else { try makeStore("a.store", "a") }
                    let handle = try FileHandle(forWritingTo: folder.file("a.store"))
                    try handle.write(contentsOf: Data(repeating: byte, count: length))
                    try handle.close()
                    if !isKilled {
                        #expect {
                            _ = try ModelContainer(for: TortureModel.self, at: folder.file("a.store"))
                        } throws: {
                            if case StoreError.notADatabase = $0 { true } else { false }
                        }
                    }
                    if isReplaced {
                        try ModelContainer.replaceStore(
                            at: folder.file("a.store"), withStoreFrom: folder.file("b.store"))
                        #expect(try labels("a.store") == ["b"])
                    }
                    try ModelContainer.destroyStore(at: folder.file("a.store"))
                    #expect(try folder.contents().keys.sorted() == ["b.store"])
                }
            }
        }
    }

    /// Files that are not recognizable as stores stay.
    @Test func damagedFilesOfOtherPrograms() throws {
        try ForeignDatabase.make(
            at: folder.file("a.store"), "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('schemaHash')")
        let handle = try FileHandle(forWritingTo: folder.file("a.store"))
        try handle.write(contentsOf: Data(count: 100))
        try handle.close()
        try Data("storeIdentifier versionHash schemaHash".padding(toLength: 512, withPad: " ", startingAt: 0).utf8)
            .write(
                to: folder.file("b.store"))
        try makeStore("c.store")
        let before = try folder.contents()
        for name in ["a.store", "b.store"] {
            #expect(throws: StoreError.self) { try ModelContainer.destroyStore(at: folder.file(name)) }
            #expect(throws: StoreError.self) {
                try ModelContainer.replaceStore(at: folder.file(name), withStoreFrom: folder.file("c.store"))
            }
        }
        #expect(try folder.contents() == before)
    }

    @Test func anEmptyFileWithAFullLog() throws {
        try makeStore("b.store", "b")
        try makeKilledStore("a.store")
        try Data().write(to: folder.file("a.store"))
        let log = try Data(contentsOf: folder.file("a.store-wal"))
        for _ in 0..<2 {
            #expect {
                _ = try ModelContainer(for: TortureModel.self, at: folder.file("a.store"))
            } throws: {
                guard case StoreError.truncated(_, 0, let expected) = $0 else { return false }
                return expected > 4096
            }
        }
        #expect(throws: StoreError.self) {
            try ModelContainer.moveStore(from: folder.file("a.store"), to: folder.file("c.store"))
        }
        #expect(try Data(contentsOf: folder.file("a.store-wal")) == log)
        try ModelContainer.replaceStore(at: folder.file("a.store"), withStoreFrom: folder.file("b.store"))
        #expect(try labels("a.store") == ["b"])
    }

    @Test func copiesOfKilledProcessesGo() throws {
        try makeStore("a.store", "a")
        func name(_ store: String) -> String { "\(store).copy-\(UUID().uuidString)" }
        let (whole, part, empty, orphan) = (name("b.store"), name("b.store"), name("c.store"), name("a.store"))
        try ModelContainer.backUpStore(at: folder.file("a.store"), to: folder.file(whole))
        try Data(repeating: 7, count: 4096).write(to: folder.file(part))
        try Data().write(to: folder.file(empty))
        for suffix in ["-journal", "-wal"] { try Data([1]).write(to: folder.file(orphan + suffix)) }
        // Large values that were copied for a store that does not exist.
        let support = StoreFile(url: folder.file("c.store")).supportFolder
        try FileManager.default.createDirectory(
            at: support.appendingPathComponent("_EXTERNAL_DATA"), withIntermediateDirectories: true)
        try Data().write(to: support.appendingPathComponent("pending-\(empty.suffix(36))"))
        try Data([1]).write(to: support.appendingPathComponent("_EXTERNAL_DATA/\(UUID().uuidString)"))
        let others = ["b.store.copy-1", "copy-\(UUID().uuidString)", "b.store.copy-\(UUID().uuidString).old"]
        for other in others { try Data([1]).write(to: folder.file(other)) }
        // Another connection works on this one.
        let locked = name("b.store")
        let connection = try ForeignDatabase.connect(folder.file(locked))
        try connection.lockForGood()
        try withExtendedLifetime(connection) {
            try ModelContainer.backUpStore(at: folder.file("a.store"), to: folder.file("d.store"))
        }
        // The connection that works on a copy may have a journal beside it.
        let left = try folder.contents().keys.filter { $0 != locked + "-journal" }.sorted()
        #expect(left == (["a.store", "d.store", locked] + others).sorted(), "\(left)")
        #expect(try labels("d.store") == ["a"])
    }

    @Test("row 54: who cannot be alone with a file keeps nobody else from being so") func locks() throws {
        let connections = try (0..<3).map { _ in try ForeignDatabase.connect(folder.file("b.store")) }
        for connection in connections { try connection.execute("PRAGMA busy_timeout = 0") }
        try connections[0].execute("BEGIN IMMEDIATE")
        for connection in connections[1...] { #expect(throws: (any Error).self) { try connection.lockForGood() } }
        try connections[0].execute("COMMIT")
        try connections[1].lockForGood()
        #expect(throws: (any Error).self) { try connections[2].lockForGood() }
        #expect(throws: (any Error).self) { try connections[0].execute("CREATE TABLE t (a)") }
    }

    @Test("row 54: links stay, and what they lead to is replaced") func links() throws {
        try makeStore("b.store", "b")
        let elsewhere = try TemporaryFolder()
        let link = folder.file("link.store")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: elsewhere.file("a.store"))
        try ModelContainer.replaceStore(at: link, withStoreFrom: folder.file("b.store"))
        #expect(try elsewhere.contents().keys.sorted() == ["a.store"])
        #expect(try labels("link.store") == ["b"])
        try ModelContainer.destroyStore(at: link)
        #expect(try elsewhere.contents().isEmpty)
    }

    @Test func aStoreThatIsOpenHere() throws {
        try makeStore("b.store", "b")
        let link = folder.file("link.store")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.file("a.store"))
        do {
            let container = try ModelContainer(for: TortureModel.self, at: folder.file("a.store"))
            for url in [folder.file("a.store"), link] {
                #expect { try ModelContainer.destroyStore(at: url) } throws: {
                    if case StoreError.storeInUse(url) = $0 { true } else { false }
                }
                #expect(throws: StoreError.self) { try ModelContainer.moveStore(from: url, to: folder.file("c.store")) }
                #expect(throws: StoreError.self) {
                    try ModelContainer.replaceStore(at: url, withStoreFrom: folder.file("b.store"))
                }
            }
            #expect(try ModelContext(container).fetchCount(Label.all) == 0)
        }
        try ModelContainer.destroyStore(at: folder.file("a.store"))
    }

    @Test("row 54: replacing") func replacing() throws {
        try makeStore("a.store", "old")
        try makeKilledStore("b.store")
        _ = try makeSupportFolder("b.store")
        let identifier = try ModelContainer.metadata(ofStoreAt: folder.file("b.store")).storeIdentifier
        for name in ["a.store", "new.store"] {
            try ModelContainer.replaceStore(at: folder.file(name), withStoreFrom: folder.file("b.store"))
            #expect(try labels(name) == ["in the log"])
            #expect(try ModelContainer.metadata(ofStoreAt: folder.file(name)).storeIdentifier == identifier)
            let support = StoreFile(url: folder.file(name)).supportFolder
            #expect(try Data(contentsOf: support.appendingPathComponent("blob")) == Data("large".utf8))
        }
        #expect(try labels("b.store") == ["in the log"])
        #expect(
            try folder.contents().keys.sorted()
                == [".a.store_SUPPORT", ".b.store_SUPPORT", ".new.store_SUPPORT", "a.store", "b.store", "new.store"])
    }

    @Test("row 54: moving") func moving() throws {
        try makeKilledStore("a.store")
        try makeStore("b.store", "b")
        _ = try makeSupportFolder("a.store")
        #expect { try ModelContainer.moveStore(from: folder.file("a.store"), to: folder.file("b.store")) } throws: {
            if case StoreError.fileExists = $0 { true } else { false }
        }
        #expect { try ModelContainer.moveStore(from: folder.file("x.store"), to: folder.file("c.store")) } throws: {
            if case StoreError.missingFile = $0 { true } else { false }
        }
        try ModelContainer.moveStore(from: folder.file("a.store"), to: folder.file("c.store"))
        #expect(try labels("c.store") == ["in the log"])
        #expect(try folder.contents().keys.sorted() == [".c.store_SUPPORT", "b.store", "c.store"])
    }

    // MARK: Backups

    @Test("row 54: a backup is of one moment", arguments: [true, false])
    func aBackupIsOfOneMoment(isInMemory: Bool) throws {
        let url = folder.file("a.store")
        let container =
            isInMemory ? try memoryContainer() : try ModelContainer(for: TortureModel.self, at: url)
        let context = ModelContext(container)
        for index in 0..<20_000 { context.insert(Label(name: "label of some length, number \(index)")) }
        try context.save()
        var progress: [StoreProgress] = []
        try container.backUp(to: folder.file("copy.store")) { step in
            progress.append(step)
            // Rows that are saved meanwhile are in the store, and not in the copy.
            if !isInMemory { try? container.execute("INSERT INTO Label (name) VALUES ('late')") }
        }
        #expect(progress.count > 1 && progress.last?.fractionCompleted == 1)
        #expect(progress.map(\.completedPages) == progress.map(\.completedPages).sorted())
        let copy = try ModelContainer(for: TortureModel.self, at: folder.file("copy.store"))
        #expect(try ModelContext(copy).fetchCount(Label.all) == 20_000)
        #expect(copy.storeIdentifier == container.storeIdentifier)
        #expect(try copy.metadata().schemaVersion == copy.integer("PRAGMA schema_version"))
        try copy.expectSound()
        #expect { try container.backUp(to: folder.file("copy.store")) } throws: {
            if case StoreError.fileExists = $0 { true } else { false }
        }
        #expect(try ModelContext(container).fetchCount(Label.all) == 20_000 + (isInMemory ? 0 : progress.count))
    }

    @Test func aCancelledBackupLeavesNothing() async throws {
        try makeStore("a.store", "a")
        let source = folder.file("a.store")
        let target = folder.file("copy.store")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try ModelContainer.backUpStore(at: source, to: target)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try folder.contents().keys.sorted() == ["a.store"])
        try ModelContainer.backUpStore(at: source, to: target)
        #expect(try labels("copy.store") == ["a"])
    }

    // MARK: Maintenance

    @Test("row 51: vacuuming and checkpoints") func vacuumingAndCheckpoints() throws {
        let container = try ModelContainer(for: TortureModel.self, at: folder.file())
        let context = ModelContext(container)
        for index in 0..<5000 { context.insert(Label(name: "\(index)")) }
        try context.save()
        try container.execute("DELETE FROM Label")
        let before = try #require(try container.integer("PRAGMA page_count"))
        try container.vacuum()
        #expect(try #require(try container.integer("PRAGMA page_count")) < before)
        let result = try container.checkpoint(.truncate)
        #expect(result.isComplete)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file().path + "-wal")).isEmpty)
        #expect(try memoryContainer().checkpoint(.passive).isComplete)
        #expect(try container.integrityProblems() == [])
    }

    @Test func brokenReferencesAreTold() throws {
        let container = try ModelContainer(for: TortureModel.self, at: folder.file())
        try ForeignDatabase.make(
            at: folder.file(), "PRAGMA foreign_keys = OFF", "INSERT INTO Node (name, parent) VALUES ('orphan', 99)")
        #expect(try container.integrityProblems() == ["Row 1 of Node refers to a missing row of Node."])
    }
}
