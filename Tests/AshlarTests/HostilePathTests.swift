import Foundation
import Testing

@testable import Ashlar

/// A path at which SQLite and this process would block, because it does not lead to a regular file.
@Suite struct HostilePathTests {
    private let folder: TemporaryFolder
    private var url: URL { folder.file() }

    init() throws { folder = try TemporaryFolder() }

    /// Operations that each read the file.
    private func works() -> [(String, () throws -> Void)] {
        [
            ("opening", { _ = try ModelContainer(for: PhotoFeedModel.self, at: url) }),
            (
                "opening to read",
                {
                    _ = try ModelContainer(
                        for: PhotoFeedModel.self,
                        configurations: ModelConfiguration(url: url, allowsSave: false))
                }
            ),
            ("reading the metadata", { _ = try ModelContainer.metadata(ofStoreAt: url) }),
            ("reading the ledger", { _ = try ModelContainer.migrationHistory(ofStoreAt: url) }),
            ("planning", { _ = try ModelContainer.plannedMigration(ofStoreAt: url, for: PhotoFeedModel.self) }),
            ("destroying", { try ModelContainer.destroyStore(at: url) }),
            ("moving", { try ModelContainer.moveStore(from: url, to: folder.file("moved.store")) }),
            ("replacing", { try ModelContainer.replaceStore(at: folder.file("other.store"), withStoreFrom: url) }),
            ("being replaced", { try ModelContainer.replaceStore(at: url, withStoreFrom: folder.file("other.store")) }),
            ("backing up", { try ModelContainer.backUpStore(at: url, to: folder.file("backup.store")) }),
        ]
    }

    private func expectRefused(_ isExpected: (StoreError) -> Bool) throws {
        _ = try ModelContainer(for: PhotoFeedModel.self, at: folder.file("other.store"))
        for (name, work) in works() {
            #expect("\(name)") {
                try work()
            } throws: {
                ($0 as? StoreError).map(isExpected) ?? false
            }
        }
        // Other stores of the process still open.
        _ = try ModelContainer(for: PhotoFeedModel.self, at: folder.file("other.store"))
    }

    private func isNoDatabase(_ error: StoreError) -> Bool {
        // For a link, the error names the target of the link.
        if case .notADatabase = error { true } else { false }
    }

    @Test func aFolder() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try expectRefused(isNoDatabase)
    }

    #if !os(Windows)
        @Test func aPipe() throws {
            #expect(mkfifo(url.path, 0o600) == 0)
            try expectRefused(isNoDatabase)
        }

        @Test func aLinkToAPipe() throws {
            #expect(mkfifo(folder.file("pipe").path, 0o600) == 0)
            try FileManager.default.createSymbolicLink(at: url, withDestinationURL: folder.file("pipe"))
            try expectRefused(isNoDatabase)
        }

        @Test(arguments: ["/dev/null", "/dev/zero", "/dev/tty"]) func aDevice(_ path: String) throws {
            try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: path)
            try expectRefused(isNoDatabase)
        }

        /// SQLite reads these files beside a store when it opens it.
        @Test(arguments: ["-wal", "-shm", "-journal"]) func aPipeBesideAStore(_ suffix: String) throws {
            _ = try ModelContainer(for: PhotoFeedModel.self, at: url)
            #expect(mkfifo(url.path + suffix, 0o600) == 0)
            try expectRefused {
                if case .unreadable(url, let reason) = $0 { reason.contains(suffix) } else { false }
            }
        }
    #endif
}
