import AshlarSQLite
import Synchronization
import SystemFoundation

/// The large values of a store that are in the log which it follows, and are read from there on first use.
///
/// The column stores the hash in place of such a value. A value that was read is cached in a file of that name, in a
/// folder beside the store. The folder can be deleted: the values are then read again.
package struct LoggedValues: Sendable {
    /// A closure that reads a value from the log, and waits for it.
    package typealias Source = @Sendable (_ hash: String) throws -> Data

    /// An error if this process does not follow the log.
    struct Unreachable: Error, CustomStringConvertible {
        var description: String {
            "it was not read from the log before, and this process has no StoreSync of the store that could do so"
        }
    }

    /// The sources of values in this process, by the paths of their stores' folders.
    private static let sources = Mutex<[String: [UUID: Source]]>([:])

    private let folder: ExternalDataFolder

    /// - Parameter path: The path of the store's file.
    package init(storePath path: String) { folder = ExternalDataFolder(storePath: path) }

    private init(_ folder: ExternalDataFolder) { self.folder = folder }

    /// Returns the value of a hash that a statement read.
    static func content(_ hash: String, of statement: OpaquePointer) throws -> Data {
        let stores = ExternalDataFolder.folders(ofStatement: statement).map { LoggedValues($0) }
        if let store = stores.first(where: { $0.has(hash) }) { return try store.content(hash) }
        // SQLite does not report to which of several stores a row belongs.
        return try (stores.first { $0.source != nil } ?? stores.first)?.content(hash) ?? { throw Unreachable() }()
    }

    /// Returns the file in which the value of a hash is cached.
    package func file(_ hash: String) -> URL { folder.loggedValues.appendingPathComponent(hash, isDirectory: false) }

    /// Returns whether a value is cached.
    package func has(_ hash: String) -> Bool { FileSystem.exists(file(hash).path) }

    /// Returns a value. It is read from the log unless it is cached.
    package func content(_ hash: String) throws -> Data {
        if has(hash) { return try Data(contentsOf: file(hash), options: .alwaysMapped) }
        guard let source else { throw Unreachable() }
        try keep(try source(hash), hash)
        return try Data(contentsOf: file(hash), options: .alwaysMapped)
    }

    private var source: Source? { Self.sources.withLock { $0[folder.support.path]?.first?.value } }

    // MARK: Functions for following a log

    /// Reads values with a closure while the returned object exists.
    package func read(with source: @escaping Source) -> Reading {
        let (path, id) = (folder.support.path, UUID())
        Self.sources.withLock { $0[path, default: [:]][id] = source }
        return Reading(path: path, id: id)
    }

    /// A registration of ``LoggedValues/read(with:)``, which ends with this object.
    package final class Reading: Sendable {
        private let path: String
        private let id: UUID

        fileprivate init(path: String, id: UUID) { (self.path, self.id) = (path, id) }

        deinit {
            sources.withLock {
                $0[path]?[id] = nil
                if $0[path]?.isEmpty == true { $0[path] = nil }
            }
        }
    }

    /// Caches a value. Its hash is that of the stored form.
    package func keep(_ stored: Data, _ hash: String) throws {
        // A file needs no tag, because it cannot be confused with a reference.
        let isTagged = stored.starts(with: TaggedBlob.inlineTag) && TaggedBlob.isTagged(stored)
        let value = isTagged ? stored.dropFirst(TaggedBlob.inlineTag.count) : stored
        try FileSystem.createFolder(folder.loggedValues)
        let temporary = folder.loggedValues.appendingPathComponent(UUID().uuidString, isDirectory: false)
        do {
            try value.write(to: temporary)
            // The file gets its name when it is complete. Without synchronizing, a crash of the machine could lose the
            // content only.
            let file = try FileHandle(forWritingTo: temporary)
            try file.synchronize()
            try file.close()
            try FileSystem.rename(temporary, to: self.file(hash))
        } catch {
            try? FileSystem.remove(temporary)
            throw error
        }
    }

    /// Removes the cached values except some. Temporary files, which may belong to a process that was killed, are
    /// removed after a day.
    package func removeAll(but kept: Set<String>) throws {
        guard FileSystem.exists(folder.loggedValues.path) else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.loggedValues.path)
        where !kept.contains(name) {
            let file = folder.loggedValues.appendingPathComponent(name, isDirectory: false)
            if UUID(uuidString: name) != nil {
                let written = try? FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
                if let written, written.timeIntervalSinceNow > -86_400 { continue }
            }
            try FileSystem.remove(file)
        }
    }
}
