import AshlarSQLite
import SystemFoundation

/// A copy of a store that does not have its final name yet: `NAME.copy-UUID` beside the place of `NAME`.
///
/// It is locked while a process works on it. A copy without a lock was left by a killed process.
final class UnfinishedCopy {
    private static let infix = ".copy-"

    /// The suffix of the name.
    let identifier: String
    /// Nil once the copy has its name, on systems where an open file cannot be renamed.
    private(set) var connection: Connection?
    private let file: StoreFile

    /// Makes an empty one.
    init(of target: StoreFile) throws {
        while true {
            let identifier = UUID().uuidString
            let file = StoreFile(url: URL(fileURLWithPath: target.path + Self.infix + identifier))
            let connection = try Connection(path: file.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            do {
                // Each page is written once, and the file is removed after an error.
                _ = try connection.rows("PRAGMA journal_mode = OFF")
                try connection.lockForGood()
                // Another process may have removed it as a leftover before it was locked.
                if !connection.hasMoved() {
                    (self.identifier, self.file, self.connection) = (identifier, file, connection)
                    return
                }
            } catch {
                try? FileSystem.remove(file.url)
                throw error
            }
        }
    }

    /// Gives the copy its name, and replaces the file that had it. The lock lasts as long as this object.
    func finish(as target: StoreFile) throws {
        #if os(Windows)
            connection = nil
        #endif
        try FileSystem.rename(file.url, to: target.url)
    }

    /// Removes the copy.
    func remove() {
        connection = nil
        for url in [file.url] + file.companions { try? FileSystem.remove(url) }
    }

    // MARK: Copies of killed processes

    /// Removes all copies in the folder of a store that no process works on, with the large values that were copied for
    /// them.
    ///
    /// A copy that cannot be removed has no effect, and is tried again the next time.
    static func removeAll(besideStoreAt path: String) {
        let folder = FileSystem.parts(of: path).folder
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        var found: Set<String> = []
        for name in names {
            guard let range = name.ranges(of: infix).last else { continue }
            let identifier = String(name[range.upperBound...].prefix(36))
            let rest = name[range.upperBound...].dropFirst(36)
            guard TaggedBlob.isFileName(identifier), ["", "-wal", "-shm", "-journal"].contains(String(rest)) else {
                continue
            }
            found.insert(String(name[..<range.lowerBound]) + infix + identifier)
        }
        for name in found.sorted() { remove("\(folder)/\(name)") }
    }

    private static func remove(_ path: String) {
        let file = StoreFile(url: URL(fileURLWithPath: path))
        var connection: Connection?
        if FileSystem.exists(path) {
            guard let lock = lock(path) else { return }
            connection = lock.connection
        }
        withExtendedLifetime(connection) {
            let target = String(path.dropLast(infix.count + 36))
            let folder = ExternalDataFolder(storePath: target)
            let marker = folder.support.appendingPathComponent(
                ExternalDataWriter.markerPrefix + path.suffix(36), isDirectory: false)
            do {
                // The file is removed last, so that a process that is killed here leaves enough to continue from.
                if !FileSystem.exists(target), FileSystem.exists(marker.path) { try FileSystem.remove(folder.support) }
                for url in file.companions + [file.url] { try FileSystem.remove(url) }
            } catch {
                return
            }
        }
    }

    /// Locks a file that no other process has locked. Returns nil if it is locked, or cannot be locked.
    private static func lock(_ path: String) -> (connection: Connection?, Void)? {
        guard let connection = try? Connection(path: path, flags: SQLITE_OPEN_READWRITE, busyTimeout: 0) else {
            return nil
        }
        do {
            try connection.lockForGood()
            return (connection, ())
        } catch {
            // A part of a store is not a database, which only a process that may read it detects.
            return error.code == SQLITE_NOTADB || error.code == SQLITE_CORRUPT ? (nil, ()) : nil
        }
    }
}

extension Connection {
    /// Keeps all other connections out of the file as long as the connection lives.
    package func lockForGood() throws(SQLiteError) {
        // In exclusive locking mode, a transaction that cannot begin keeps its lock for reading: two connections that
        // both need exclusive access would wait for each other forever.
        try execute("BEGIN EXCLUSIVE")
        // The lock stays when the transaction ends, so that the connection can be read for a copy.
        try execute("PRAGMA main.locking_mode = EXCLUSIVE")
        try execute("COMMIT")
    }
}
