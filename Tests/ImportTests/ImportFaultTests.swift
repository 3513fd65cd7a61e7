import CFaultInjection
import Foundation
import RandomNumbers
import Synchronization
import Testing
import ThreadTraits

@testable import Ashlar
@testable import AshlarImport

/// Each step of an import fails in turn, or ends the process. The old store stays unchanged, and the next import begins
/// anew.
@Suite(.serialized, .ownThreads) struct ImportFaultTests {
    /// Where the new store comes.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case beside, inPlace

        var testDescription: String { rawValue }

        func configuration(_ folder: URL) -> ModelConfiguration {
            let old = folder.appendingPathComponent("Museum.sqlite")
            return ModelConfiguration(
                url: self == .beside ? folder.appendingPathComponent("new.store") : old, importing: old)
        }

        func open(_ folder: URL) throws -> ModelContainer {
            try ModelContainer(for: MuseumModel.self, configurations: configuration(folder))
        }
    }

    init() { #expect(fault_install() == 0) }

    private func make() throws -> (folder: TemporaryFolder, content: [String: Data]) {
        let folder = try TemporaryFolder()
        let store = try MuseumStore(folder.file("Museum.sqlite"))
        try store.fill()
        return (folder, try store.content())
    }

    /// The files of the old store, wherever they are: during a move, some may be here and some there.
    private func expectOld(_ content: [String: Data], _ folder: TemporaryFolder, _ comment: Comment) throws {
        for (path, data) in content {
            let found = [folder.file(path), folder.file("Museum.sqlite.coredata/\(path)")].compactMap {
                try? Data(contentsOf: $0)
            }
            #expect(found.contains(data), "\(comment): \(path)")
        }
    }

    private func check(
        _ place: Place, _ folder: TemporaryFolder, _ content: [String: Data], _ comment: Comment
    ) throws {
        try expectOld(content, folder, comment)
        do {
            let context = ModelContext(try place.open(folder.url))
            #expect(try context.fetchCount(Person.all) == 3, comment)
            #expect(try context.fetch(Person.where { $0.name == "Ö" })[0].portrait == MuseumStore.largeValue, comment)
        }
        try expectOld(content, folder, comment)
        let left = try folder.names().filter { $0.contains("importing") || $0.contains("-journal") }
        #expect(left == [], comment)
        let files = ExternalDataFolder(storePath: place.configuration(folder.url).url.path)
        #expect(try files.names().count == 1, comment)
    }

    private func numbers(_ count: Int, samples: Int) -> [Int] {
        TestEffort.factor > 1 ? Array(1...count) : Array(stride(from: 1, through: count, by: max(1, count / samples)))
    }

    @Test("row 168: an operation of SQLite's fails", arguments: Place.allCases)
    func anOperationFails(_ place: Place) throws {
        let (folder, _) = try make()
        fault_arm(folder.url.path, .max, 0, FAULT_FAIL, 0)
        _ = try place.open(folder.url)
        let count = Int(fault_disarm())
        #expect(count > 20)
        for number in numbers(count, samples: 12) {
            for (code, isSticky) in [(13, true), (10 | 4 << 8, false)] as [(Int32, Bool)] {
                let (folder, content) = try make()
                fault_arm(folder.url.path, Int32(number), code, FAULT_FAIL, isSticky ? 1 : 0)
                let result = Result { _ = try place.open(folder.url) }
                _ = fault_disarm()
                if case .failure(let error) = result { #expect(error is any AshlarError, "\(error)") }
                try check(place, folder, content, "\(place), operation \(number) of \(count), \(code)")
            }
        }
    }

    @Test("row 168: a change of a file fails", arguments: Place.allCases)
    func aChangeOfAFileFails(_ place: Place) throws {
        let (folder, _) = try make()
        let all = Atomic(0)
        let look: @Sendable (URL) throws -> Void = { _ in all.add(1, ordering: .relaxed) }
        _ = try FileSystem.$observer.withValue(look) { try place.open(folder.url) }
        #expect(all.load(ordering: .relaxed) > 5)
        for number in 1...all.load(ordering: .relaxed) {
            let (folder, content) = try make()
            let count = Atomic(0)
            let fail: @Sendable (URL) throws -> Void = { url in
                if count.add(1, ordering: .relaxed).newValue == number {
                    throw StoreError.fileOperationFailed(url, doing: "a test", reason: "it fails")
                }
            }
            let result = Result { _ = try FileSystem.$observer.withValue(fail) { try place.open(folder.url) } }
            if case .failure(let error) = result { #expect(error is any AshlarError) }
            try check(place, folder, content, "\(place), change \(number)")
        }
    }

    @Test("row 168: it is cancelled at any moment")
    func cancelled() throws {
        var number = 0
        while true {
            let (folder, content) = try make()
            let count = Atomic(0)
            let monitor = Mutex<MigrationMonitor?>(nil)
            let wanted = number
            let cancel: @Sendable (MigrationProgress) -> Void = { _ in
                if count.add(1, ordering: .relaxed).newValue == wanted + 1 { monitor.withLock { $0?.cancel() } }
            }
            let watching = MigrationMonitor(report: cancel)
            monitor.withLock { $0 = watching }
            let opener = StoresOpener(
                model: MuseumModel.modelDescription, configurations: [Place.beside.configuration(folder.url)],
                monitor: watching)
            let result = Result { _ = try opener.open() }
            guard case .failure(let error) = result else { break }
            #expect(error is CancellationError)
            #expect(try folder.names() == [".Museum_SUPPORT", "Museum.sqlite"])
            try check(.beside, folder, content, "told \(number) times")
            number += 1
        }
        #expect(number > 3)
    }

    @Test("row 168: too little room is told before anything is made")
    func noRoom() throws {
        let (folder, content) = try make()
        let configuration = Place.beside.configuration(folder.url)
        var importer = StoreImporter(
            content: StoreContent(allOf: MuseumModel.modelDescription), configuration: configuration,
            source: StoreImport(url: folder.file("Museum.sqlite")), monitor: MigrationMonitor())
        importer.freeSpace = FreeSpace { _ in (300_000, 1) }
        #expect {
            _ = try importer.importIfNeeded()
        } throws: {
            if case StoreError.insufficientSpace = $0 { true } else { false }
        }
        try check(.beside, folder, content, "no room")
    }

    #if os(Linux) || os(macOS)
        @Test("row 168: killed at any change of a file", arguments: Place.allCases)
        func killed(_ place: Place) async throws {
            for number in stride(from: 1, through: 20, by: TestEffort.factor > 1 ? 1 : 3) {
                let (folder, content) = try make()
                let (path, name) = (folder.url.path, place.rawValue)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, name = name as String, number = number as Int] in
                    let count = Atomic(0)
                    let kill: @Sendable (URL) -> Void = { _ in
                        if count.add(1, ordering: .relaxed).newValue == number { raise(SIGKILL) }
                    }
                    _ = try FileSystem.$observer.withValue(kill) {
                        try Place(rawValue: name)?.open(URL(fileURLWithPath: path))
                    }
                    raise(SIGKILL)
                }
                try check(place, folder, content, "\(place), killed before change \(number)")
            }
        }

        @Test("row 168: killed at any operation of SQLite's", arguments: Place.allCases)
        func killedAtAnOperation(_ place: Place) async throws {
            for number in stride(from: 1, through: 60, by: TestEffort.factor > 1 ? 1 : 15) {
                let (folder, content) = try make()
                let (path, name) = (folder.url.path, place.rawValue)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, name = name as String, number = number as Int] in
                    _ = fault_install()
                    fault_arm(path, Int32(number), 0, FAULT_KILL, 0)
                    _ = try Place(rawValue: name)?.open(URL(fileURLWithPath: path))
                    raise(SIGKILL)
                }
                try check(place, folder, content, "\(place), killed at operation \(number)")
            }
        }

        @Test("row 168: several processes at once, of which one imports")
        func severalProcesses() async throws {
            let (folder, content) = try make()
            let path = folder.url.path
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        await #expect(processExitsWith: .success) { [path = path as String] in
                            do {
                                let container = try Place.beside.open(URL(fileURLWithPath: path))
                                #expect(try ModelContext(container).fetchCount(Person.all) == 3)
                            } catch {
                                // No other place reports this error.
                                Issue.record(error)
                            }
                        }
                    }
                }
            }
            try check(.beside, folder, content, "four processes")
            let records = try ModelContainer.migrationHistory(ofStoreAt: folder.file("new.store"))
            #expect(records.filter { $0.kind == .imported }.count == 1)
        }
    #endif
}
