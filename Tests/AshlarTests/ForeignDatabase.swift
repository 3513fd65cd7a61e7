import AshlarSQLite
import Foundation

@testable import Ashlar

/// Databases of other programs, created with SQLite alone.
enum ForeignDatabase {
    static func connect(_ url: URL) throws -> Connection {
        try Connection(path: url.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    }

    static func make(at url: URL, _ statements: String...) throws {
        let connection = try connect(url)
        for statement in statements { try connection.execute(statement) }
    }

    /// Leaves a database as a killed program would: the newest pages are in the write-ahead log only.
    static func makeKilled(at url: URL, in folder: TemporaryFolder, _ statements: String...) throws {
        let connection = try connect(folder.file("living.db"))
        try connection.execute("PRAGMA journal_mode = WAL")
        for statement in statements { try connection.execute(statement) }
        try copyFiles(of: folder.file("living.db"), to: url)
    }

    /// Copies a database that is in use, with its write-ahead log.
    static func copyFiles(of source: URL, to target: URL) throws {
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: source.path + suffix, toPath: target.path + suffix)
        }
    }
}

/// Makes files and folders immutable for all users, including root. Some file systems do not support this.
enum Immutability {
    static func set(_ isImmutable: Bool, _ url: URL) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/chattr")
        process.arguments = [isImmutable ? "+i" : "-i", url.path]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    static let isAvailable: Bool = {
        guard let folder = try? TemporaryFolder(), set(true, folder.url) else { return false }
        return set(false, folder.url)
    }()

    /// Runs a closure while a file or folder cannot be changed.
    static func hold(_ url: URL, _ body: () throws -> Void) rethrows {
        _ = set(true, url)
        defer { _ = set(false, url) }
        try body()
    }
}
