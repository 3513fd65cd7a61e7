import Foundation
import RandomNumbers
import Synchronization
import Testing
import ThreadTraits

@testable import Ashlar

/// Complete stores with large values, written by others during the operations.
@Suite struct StoreFilesExternalDataTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static func photo(_ number: Int) -> Data { Data("photo \(number) ".utf8) + Data(repeating: 9, count: 110_000) }

    /// Makes a store with items whose photos depend on their names.
    static func make(at url: URL, _ numbers: Range<Int>) throws {
        let context = ModelContext(try ModelContainer(for: AtticModel.self, at: url))
        for number in numbers { context.insert(Item(counts: [], name: "\(number)", photo: photo(number))) }
        try context.save()
    }

    /// Returns the names of a store's items. Fails the test unless each has its photo, and there are no superfluous
    /// files.
    @discardableResult
    static func expectWhole(
        _ url: URL, _ comment: Testing.Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [Int] {
        let container = try ModelContainer(for: AtticModel.self, at: url)
        let context = ModelContext(container)
        let items = try context.fetch(Item.all)
        #expect(context.invalidValues.isEmpty, comment, sourceLocation: sourceLocation)
        let isRight = items.allSatisfy { item in Int(item.name).map { item.photo == photo($0) } ?? false }
        #expect(isRight, comment, sourceLocation: sourceLocation)
        #expect(try container.integrityProblems() == [], comment, sourceLocation: sourceLocation)
        let files = try ExternalDataFolder(storePath: url.path).names()
        #expect(files.count == items.count, comment, sourceLocation: sourceLocation)
        return items.compactMap { Int($0.name) }.sorted()
    }

    @Test("row 54: large values go along", arguments: [0, 2]) func largeValues(_ count: Int) throws {
        let (a, b, c, d) = (folder.file("a"), folder.file("b"), folder.file("c"), folder.file("d"))
        try Self.make(at: a, 0..<5)
        try Self.make(at: b, 10..<10 + count)
        try ModelContainer.replaceStore(at: a, withStoreFrom: b)
        #expect(try Self.expectWhole(a) == Array(10..<10 + count))
        // The files of both have the same names now.
        try ModelContainer.replaceStore(at: a, withStoreFrom: b)
        #expect(try Self.expectWhole(a) == Array(10..<10 + count))
        try ModelContainer.moveStore(from: a, to: c)
        #expect(try Self.expectWhole(c) == Array(10..<10 + count))
        try ModelContainer(for: AtticModel.self, at: c).backUp(to: d)
        #expect(try Self.expectWhole(d) == Array(10..<10 + count))
        #expect(try Self.expectWhole(b) == Array(10..<10 + count))
        for url in [b, c, d] { try ModelContainer.destroyStore(at: url) }
        #expect(try folder.contents().isEmpty)
    }

    /// A store that lacks a large value is not backed up, and replaces another store only on request.
    @Test func aStoreWithoutAFile() throws {
        let (a, b) = (folder.file("a"), folder.file("b"))
        try Self.make(at: a, 0..<3)
        let files = ExternalDataFolder(storePath: a.path)
        try files.remove(try #require(try files.names().min()))
        let before = try folder.contents().keys.sorted()
        for work in [
            { try ModelContainer.backUpStore(at: a, to: b) },
            { try ModelContainer.replaceStore(at: b, withStoreFrom: a) },
            { try ModelContainer(for: AtticModel.self, at: a).backUp(to: b) },
        ] as [() throws -> Void] {
            #expect {
                try work()
            } throws: {
                guard case StoreError.incompleteExternalData(_, let problems) = $0 else { return false }
                return problems.count == 1
            }
        }
        #expect(try folder.contents().keys.sorted() == before)
        let warnings = Mutex<[String]>([])
        let note: @Sendable (String) -> Void = { text in warnings.withLock { $0.append(text) } }
        try RuntimeWarning.$observer.withValue(note) {
            try ModelContainer.replaceStore(at: b, withStoreFrom: a, allowingMissingLargeValues: true)
            try ModelContainer.moveStore(from: b, to: folder.file("c"))
        }
        let texts = warnings.withLock { $0 }
        #expect(texts.count == 2 && texts.allSatisfy { $0.contains("is missing") }, "\(texts)")
        let context = ModelContext(try ModelContainer(for: AtticModel.self, at: folder.file("c")))
        #expect(throws: StoreError.self) { try context.fetch(Item.all) }
        #expect(try context.fetch(Item.all).compactMap(\.photo).count == 2)
        #expect(context.invalidValues.count == 1)
    }

    /// A backup without its folder of large values does not replace a whole store. Values that the store itself has are
    /// not missing.
    @Test func aBackupWithoutItsFolderReplacesNothing() throws {
        let (store, backup) = (folder.file("store"), folder.file("backup"))
        try Self.make(at: store, 0..<3)
        try ModelContainer.backUpStore(at: store, to: backup)
        try FileManager.default.removeItem(at: ExternalDataFolder(storePath: backup.path).support)
        try ModelContainer.replaceStore(at: store, withStoreFrom: backup)
        #expect(try Self.expectWhole(store) == [0, 1, 2])
        do {
            let context = ModelContext(try ModelContainer(for: AtticModel.self, at: store))
            for item in try context.fetch(Item.all) { item.photo = Self.photo(7) }
            try context.save()
            try context.container.removeOrphanedExternalData()
        }
        #expect {
            try ModelContainer.replaceStore(at: store, withStoreFrom: backup)
        } throws: {
            guard case StoreError.incompleteExternalData(_, let problems) = $0 else { return false }
            return problems.count == 3
        }
        let context = ModelContext(try ModelContainer(for: AtticModel.self, at: store))
        #expect(try context.fetch(Item.all).map(\.photo) == Array(repeating: Self.photo(7), count: 3))
    }

    /// The files of a damaged store may be longer than those of its backup.
    @Test func aBackupReplacesFilesOfAnotherLength() throws {
        let (store, backup) = (folder.file("store"), folder.file("backup"))
        try Self.make(at: store, 0..<3)
        try ModelContainer.backUpStore(at: store, to: backup)
        let files = ExternalDataFolder(storePath: store.path)
        for (number, name) in try files.names().sorted().enumerated() {
            let file = try FileHandle(forUpdating: files.file(name))
            if number == 0 { try file.truncate(atOffset: 10) } else { try file.seekToEnd() }
            if number == 1 { try file.write(contentsOf: Data("more".utf8)) }
            try file.close()
        }
        try ModelContainer.replaceStore(at: store, withStoreFrom: backup)
        #expect(try Self.expectWhole(store) == [0, 1, 2])
    }

    /// A backup has the state of its beginning, whatever other contexts save between any two of its steps.
    @Test("row 54: a backup has the large values of its moment", arguments: [true, false])
    func aBackupWhileOthersSave(isOpen: Bool) throws {
        let source = folder.file("a")
        try Self.make(at: source, 0..<4)
        let container = try ModelContainer(for: AtticModel.self, at: source)
        let counter = Atomic(100)
        let changes = Atomic(0)
        let save: @Sendable (URL) throws -> Void = { _ in
            let context = ModelContext(container)
            for item in try context.fetch(Item.all) {
                let number = counter.add(1, ordering: .relaxed).newValue
                (item.name, item.photo) = ("\(number)", Self.photo(number))
            }
            try context.save()
            changes.add(1, ordering: .relaxed)
        }
        for round in 0..<3 {
            let target = folder.file("copy \(round)")
            let names = try ModelContext(container).fetch(Item.all).compactMap { Int($0.name) }.sorted()
            try FileSystem.$observer.withValue(save) {
                if isOpen {
                    try container.backUp(to: target)
                } else {
                    try ModelContainer.backUpStore(at: source, to: target)
                }
            }
            #expect(try Self.expectWhole(target) == names)
        }
        #expect(changes.load(ordering: .relaxed) > 12)
        try container.removeOrphanedExternalData()
        try Self.expectWhole(source)
    }

    /// A replacement leaves the old store and its values unchanged until the new one is in place.
    @Test func aReplacementThatFails() throws {
        let (a, b) = (folder.file("a"), folder.file("b"))
        let all = Atomic(0)
        try Self.make(at: a, 0..<3)
        try Self.make(at: b, 10..<12)
        let count: @Sendable (URL) -> Void = { _ in all.add(1, ordering: .relaxed) }
        try FileSystem.$observer.withValue(count) { try ModelContainer.replaceStore(at: a, withStoreFrom: b) }
        #expect(all.load(ordering: .relaxed) > 8)
        for number in 1...all.load(ordering: .relaxed) {
            try ModelContainer.destroyStore(at: a)
            try Self.make(at: a, 0..<3)
            let left = Atomic(number)
            let fail: @Sendable (URL) throws -> Void = { url in
                // From then on every operation fails, as on a full disk.
                if left.subtract(1, ordering: .relaxed).newValue <= 0 {
                    throw StoreError.fileOperationFailed(url, doing: "a test", reason: "it fails")
                }
            }
            let result = Result {
                try FileSystem.$observer.withValue(fail) { try ModelContainer.replaceStore(at: a, withStoreFrom: b) }
            }
            let found = try Self.expectWhole(a, "failed at change \(number)")
            if case .success = result { #expect(found == [10, 11], "failed at change \(number)") }
            #expect(found == [0, 1, 2] || found == [10, 11], "failed at change \(number)")
            #expect(try Self.expectWhole(b) == [10, 11])
        }
    }
}

#if os(Linux) || os(macOS)
    /// Processes that are killed while they replace, copy, move or destroy a store. Other processes write the store,
    /// or prevent the operation.
    @Suite(.serialized, .ownThreads) struct StoreFilesProcessTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        enum Work: String, CaseIterable {
            case replace, backUp, backUpOpen, move, destroy

            /// Whether the source may be in use.
            var sharesSource: Bool { [.replace, .backUp, .backUpOpen].contains(self) }

            func run(_ folder: URL) throws {
                let (source, target) = (folder.appendingPathComponent("a"), folder.appendingPathComponent("b"))
                switch self {
                case .replace: try ModelContainer.replaceStore(at: target, withStoreFrom: source)
                case .backUp: try ModelContainer.backUpStore(at: source, to: target)
                case .backUpOpen: try ModelContainer(for: AtticModel.self, at: source).backUp(to: target)
                case .move: try ModelContainer.moveStore(from: source, to: target)
                case .destroy: try ModelContainer.destroyStore(at: source)
                }
            }
        }

        /// Counts the changes of files that an operation makes.
        private func changes(_ work: Work) throws -> Int {
            let test = try StoreFilesProcessTests()
            try test.makeStores(work)
            let all = Atomic(0)
            let count: @Sendable (URL) -> Void = { _ in all.add(1, ordering: .relaxed) }
            try FileSystem.$observer.withValue(count) { try work.run(test.folder.url) }
            return all.load(ordering: .relaxed)
        }

        private func makeStores(_ work: Work) throws {
            try StoreFilesExternalDataTests.make(at: folder.file("a"), 0..<3)
            if work == .replace { try StoreFilesExternalDataTests.make(at: folder.file("b"), 10..<14) }
        }

        /// Replaces all values of a store, while a closure runs.
        private func whileAnotherWrites(_ url: URL, _ isWriting: Bool, _ body: () async -> Void) async throws {
            guard isWriting else { return await body() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                let container = try ModelContainer(for: AtticModel.self, at: url)
                let done = Done()
                group.addTask {
                    let context = ModelContext(container)
                    var number = 100
                    while !done.value.load(ordering: .relaxed) {
                        for item in try context.fetch(Item.all) {
                            number += 1
                            (item.name, item.photo) = ("\(number)", StoreFilesExternalDataTests.photo(number))
                        }
                        try context.save()
                        await Task.yield()
                    }
                }
                await body()
                done.value.store(true, ordering: .relaxed)
                try await group.waitForAll()
            }
        }

        private final class Done: Sendable {
            let value = Atomic(false)
        }

        @Test("row 54: killed at any change of a file, while another process writes", arguments: Work.allCases)
        func killed(_ work: Work) async throws {
            let count = try changes(work)
            #expect(count > 2)
            let step = max(1, count / (4 * TestEffort.factor))
            for number in stride(from: 1, through: count, by: step) {
                let test = try StoreFilesProcessTests()
                try test.makeStores(work)
                let (source, target) = (test.folder.file("a"), test.folder.file("b"))
                let (path, name) = (test.folder.url.path, work.rawValue)
                try await test.whileAnotherWrites(source, work.sharesSource) {
                    await #expect(processExitsWith: .signal(SIGKILL)) {
                        [path = path as String, name = name as String, number = number as Int] in
                        let left = Atomic(number)
                        let kill: @Sendable (URL) -> Void = { _ in
                            if left.subtract(1, ordering: .relaxed).newValue == 0 { raise(SIGKILL) }
                        }
                        try FileSystem.$observer.withValue(kill) {
                            try Work(rawValue: name)?.run(URL(fileURLWithPath: path))
                        }
                        raise(SIGKILL)
                    }
                }
                try expect(work, source, target, "\(work), killed before change \(number)")
            }
        }

        private func expect(_ work: Work, _ source: URL, _ target: URL, _ comment: Testing.Comment) throws {
            let manager = FileManager.default
            func content(_ url: URL) throws -> [Int]? {
                guard manager.fileExists(atPath: url.path) else { return nil }
                return try StoreFilesExternalDataTests.expectWhole(url, comment)
            }
            let (old, new) = (try content(source), try content(target))
            switch work {
            case .replace: #expect(old?.count == 3 && (new?.count == 3 || new == [10, 11, 12, 13]), comment)
            case .backUp, .backUpOpen: #expect(old?.count == 3 && (new == nil || new?.count == 3), comment)
            case .move: #expect(new == nil ? old == [0, 1, 2] : new == [0, 1, 2], comment)
            case .destroy: #expect(old == nil || old == [0, 1, 2], comment)
            }
            // The next operation removes the leftover files.
            try ModelContainer.destroyStore(at: source)
            try ModelContainer.destroyStore(at: target)
            let left = try manager.contentsOfDirectory(atPath: source.deletingLastPathComponent().path)
            #expect(left == [], comment)
        }

        /// A process that has a store open prevents others from moving or deleting it, and loses no data when they
        /// try.
        @Test func anotherProcessHasTheStoreOpen() async throws {
            try makeStores(.move)
            let (source, path) = (folder.file("a"), folder.url.path)
            try await whileAnotherWrites(source, true) {
                await #expect(processExitsWith: .success) { [path = path as String] in
                    let folder = URL(fileURLWithPath: path)
                    for work in [Work.move, .destroy] {
                        #expect {
                            try work.run(folder)
                        } throws: {
                            if case StoreError.locked = $0 { true } else { false }
                        }
                    }
                }
            }
            #expect(try StoreFilesExternalDataTests.expectWhole(source).count == 3)
        }
    }
#endif
