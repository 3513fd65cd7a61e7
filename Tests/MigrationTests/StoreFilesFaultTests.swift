import AshlarSQLite
import CFaultInjection
import Foundation
import RandomNumbers
import Synchronization
import Testing
import ThreadTraits

@testable import Ashlar

/// Each step of operations on entire stores fails in turn, or ends the process.
@Suite(.serialized, .ownThreads) struct StoreFilesFaultTests {
    /// An operation on the store `harbour.store` of a folder.
    enum Work: String, CaseIterable, CustomTestStringConvertible {
        case destroy, move, replace, backUp

        var testDescription: String { rawValue }

        func run(_ folder: URL) throws {
            let url = folder.appendingPathComponent("harbour.store")
            switch self {
            case .destroy: try ModelContainer.destroyStore(at: url)
            case .move: try ModelContainer.moveStore(from: url, to: folder.appendingPathComponent("moved.store"))
            case .replace:
                try ModelContainer.replaceStore(
                    at: url, withStoreFrom: folder.appendingPathComponent("other.store"))
            case .backUp:
                try ModelContainer.backUpStore(at: url, to: folder.appendingPathComponent("moved.store"))
            }
        }
    }

    init() { #expect(fault_install() == SQLITE_OK) }

    private func makeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try Harbour.makeStore(at: folder.file(), ships: 2)
        try Harbour.makeStore(at: folder.file("other.store"), ships: 3)
        for name in ["harbour.store", "other.store"] {
            let files = ExternalDataFolder(storePath: folder.file(name).path)
            try FileManager.default.createDirectory(at: files.url, withIntermediateDirectories: true)
            let reference = TaggedBlob.Reference(name: UUID().uuidString, byteCount: name.utf8.count)
            try Data(name.utf8).write(to: files.file(reference.name))
            let connection = try Harbour.connect(folder.file(name))
            let statement = try connection.statement("UPDATE Ship SET photo = ?1 WHERE id$ = 1")
            TaggedBlob.blob(reference).withUnsafeBytes { statement.bindBytes($0, 1) }
            try statement.run()
        }
        return folder
    }

    /// The number of ships with the content of a large value's file, or nil where there is no store.
    private func content(_ url: URL) throws -> String? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let connection = try Harbour.connect(url)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        var text = "nothing"
        try connection.forEachExternalReference(in: "main") { found in
            let folder = ExternalDataFolder(storePath: url.path)
            text =
                (try? folder.data(of: found.reference)).map { String(decoding: $0, as: UTF8.self) } ?? "a missing file"
        }
        return "\(try connection.integer("SELECT count(*) FROM Ship") ?? 0) \(text)"
    }

    private func fileCount(_ url: URL) throws -> Int { try ExternalDataFolder(storePath: url.path).names().count }

    private static let old = "1 harbour.store"
    private static let other = "2 other.store"

    private func check(_ work: Work, _ folder: TemporaryFolder, hasFailed: Bool?, _ comment: Comment) throws {
        let (found, moved) = (try content(folder.file()), try content(folder.file("moved.store")))
        switch work {
        case .destroy:
            #expect(found == nil || found == Self.old, comment)
            try ModelContainer.destroyStore(at: folder.file())
            #expect(try folder.names().filter { !$0.contains("other") } == [], comment)
        case .move:
            #expect(moved == nil ? found == Self.old : moved == Self.old, comment)
            if let hasFailed, !hasFailed { #expect(found == nil, comment) }
            // If both are left, the old one can be destroyed.
            if moved == nil {
                try ModelContainer.moveStore(from: folder.file(), to: folder.file("moved.store"))
            } else {
                try ModelContainer.destroyStore(at: folder.file())
            }
            #expect(try content(folder.file("moved.store")) == Self.old, comment)
        case .replace:
            #expect(found == Self.old || found == Self.other, comment)
            if let hasFailed, !hasFailed { #expect(found == Self.other, comment) }
            try ModelContainer.replaceStore(at: folder.file(), withStoreFrom: folder.file("other.store"))
            #expect(try content(folder.file()) == Self.other, comment)
            #expect(try fileCount(folder.file()) == 1, comment)
            #expect(
                try folder.names().sorted()
                    == [".harbour.store_SUPPORT", ".other.store_SUPPORT", "harbour.store", "other.store"], comment)
        case .backUp:
            #expect(found == Self.old && (moved == nil || moved == Self.old), comment)
            if let hasFailed { #expect(hasFailed == (moved == nil), comment) }
            if moved == nil { try work.run(folder.url) }
            #expect(try content(folder.file("moved.store")) == Self.old, comment)
            #expect(try !folder.names().contains { $0.contains("copy-") }, comment)
        }
        #expect(try content(folder.file("other.store")) == Self.other, comment)
    }

    @Test("row 54: an operation of SQLite's fails", arguments: Work.allCases)
    func anOperationFails(_ work: Work) throws {
        var number = 1
        var seen = 1
        while number <= seen {
            for (code, isSticky) in [(SQLITE_FULL, true), (SQLITE_IOERR | 4 << 8, false)] as [(Int32, Bool)] {
                let folder = try makeFolder()
                fault_arm(folder.url.path, Int32(number), code, FAULT_FAIL, isSticky ? 1 : 0)
                let result = Result { try work.run(folder.url) }
                seen = max(seen, Int(fault_disarm()))
                var hasFailed = false
                if case .failure(let error) = result {
                    hasFailed = true
                    #expect(error is StoreError)
                }
                try check(work, folder, hasFailed: hasFailed, "\(work), operation \(number)")
            }
            number += TestEffort.factor > 1 ? 1 : max(1, seen / 8)
        }
    }

    @Test("row 54: a change of a file fails", arguments: Work.allCases)
    func aChangeOfAFileFails(_ work: Work) throws {
        let folder = try makeFolder()
        let all = Atomic(0)
        try observing({ _ in all.add(1, ordering: .relaxed) }, work, folder.url)
        #expect(all.load(ordering: .relaxed) > 3)
        for number in 1...all.load(ordering: .relaxed) {
            let folder = try makeFolder()
            let count = Atomic(0)
            let fail: @Sendable (URL) throws -> Void = { url in
                if count.add(1, ordering: .relaxed).newValue == number {
                    throw StoreError.fileOperationFailed(url, doing: "a test", reason: "it fails")
                }
            }
            let result = Result { try observing(fail, work, folder.url) }
            if case .failure(let error) = result { #expect(error is StoreError) }
            try check(work, folder, hasFailed: nil, "\(work), change \(number)")
        }
    }

    #if os(Linux) || os(macOS)
        @Test("row 54: killed before a change of a file", arguments: Work.allCases)
        func killed(_ work: Work) async throws {
            for number in stride(from: 1, through: 16, by: TestEffort.factor > 1 ? 1 : 3) {
                let folder = try makeFolder()
                let (path, name) = (folder.url.path, work.rawValue)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, name = name as String, number = number as Int] in
                    let count = Atomic(0)
                    let kill: @Sendable (URL) -> Void = { _ in
                        if count.add(1, ordering: .relaxed).newValue == number { raise(SIGKILL) }
                    }
                    try Work(rawValue: name).map { try observing(kill, $0, URL(fileURLWithPath: path)) }
                    raise(SIGKILL)
                }
                try check(work, folder, hasFailed: nil, "\(work), killed before change \(number)")
            }
        }
    #endif
}

/// Performs an operation on an entire store, and calls a closure before each change of a file.
private func observing(
    _ observer: @escaping @Sendable (URL) throws -> Void, _ work: StoreFilesFaultTests.Work, _ folder: URL
) throws {
    try FileSystem.$observer.withValue(observer) { try work.run(folder) }
}
