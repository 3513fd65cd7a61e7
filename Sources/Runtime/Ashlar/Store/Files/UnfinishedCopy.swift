import AshlarSQLite
import SystemFoundation

/// A copy of a store that has not yet its name: `NAME.copy-UUID` beside where `NAME` will be.
///
/// It is locked while somebody works on it, so that one that is not was left by a process that was killed.
final class UnfinishedCopy {
    private static let infix = ".copy-"

    /// The suffix of the name.
    let identifier: String
    /// Nil once the copy has its name, where files that are open cannot get one.
    private(set) var connection: Connection?
    private let file: StoreFile

    /// Makes an empty one.
    init(of target: StoreFile) throws {
        while true {
            let identifier = UUID().uuidString
            let file = StoreFile(url: URL(fileURLWithPath: target.path + Self.infix + identifier))
            let connection = try Connection(path: file.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            do {
                // What is written is written once, and removed after an error.
                _ = try connection.rows("PRAGMA journal_mode = OFF")
                try connection.lockForGood()
                // Somebody may have taken it for an old one before it was locked.
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

    /// Gives the copy its name, in the place of what has it. The lock lasts until this object goes.
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

    // MARK: Those of killed processes

    /// Removes all copies that nobody works on in the folder of a store, with the large values that were brought for them.
    /// What cannot be removed stays for the next time: it keeps nobody from anything.
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
                // The file goes last, so that whoever is killed here leaves enough to be found.
                if !FileSystem.exists(target), FileSystem.exists(marker.path) { try FileSystem.remove(folder.support) }
                for url in file.companions + [file.url] { try FileSystem.remove(url) }
            } catch {
                return
            }
        }
    }

    /// Locks a file that nobody else has locked; nil where somebody has, or the file cannot be locked at all.
    private static func lock(_ path: String) -> (connection: Connection?, Void)? {
        guard let connection = try? Connection(path: path, flags: SQLITE_OPEN_READWRITE, busyTimeout: 0) else {
            return nil
        }
        do {
            try connection.lockForGood()
            return (connection, ())
        } catch {
            // A part of a store is no database, which is only found by who may read it.
            return error.code == SQLITE_NOTADB || error.code == SQLITE_CORRUPT ? (nil, ()) : nil
        }
    }
}

extension Connection {
    /// Keeps everybody else out of the file for as long as the connection lives.
    package func lockForGood() throws(SQLiteError) {
        // In the mode that keeps locks, a transaction that cannot begin keeps its lock for reading: two that want to be alone would
        // wait for each other for ever.
        try execute("BEGIN EXCLUSIVE")
        // The lock stays when the transaction ends, so that the connection can be read for a copy.
        try execute("PRAGMA main.locking_mode = EXCLUSIVE")
        try execute("COMMIT")
    }
}
