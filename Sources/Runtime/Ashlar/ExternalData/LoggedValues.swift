import AshlarSQLite
import Synchronization
import SystemFoundation

/// The large values of a store that the log has which it follows, and that are read from there when they are first asked for.
///
/// A column has the hash in place of such a value, and keeps it. What was read is in a file of that name, in a folder beside
/// the store: it can be read once more at any time, so that losing the folder costs nothing but that.
package struct LoggedValues: Sendable {
    /// Reads a value from the log, and waits for it.
    package typealias Source = @Sendable (_ hash: String) throws -> Data

    /// Nobody in this process follows the log.
    struct Unreachable: Error, CustomStringConvertible {
        var description: String {
            "it was not read from the log before, and this process has no StoreSync of the store that could do so"
        }
    }

    /// Those who follow logs in this process, by the paths of their stores' folders.
    private static let sources = Mutex<[String: [UUID: Source]]>([:])

    private let folder: ExternalDataFolder

    /// - Parameter path: The path of the store's file.
    package init(storePath path: String) { folder = ExternalDataFolder(storePath: path) }

    private init(_ folder: ExternalDataFolder) { self.folder = folder }

    /// The value of a hash that a statement read.
    static func content(_ hash: String, of statement: OpaquePointer) throws -> Data {
        let stores = ExternalDataFolder.folders(ofStatement: statement).map { LoggedValues($0) }
        if let store = stores.first(where: { $0.has(hash) }) { return try store.content(hash) }
        // SQLite does not tell which of several stores a row is of.
        return try (stores.first { $0.source != nil } ?? stores.first)?.content(hash) ?? { throw Unreachable() }()
    }

    /// Where the value of a hash is once it was read.
    package func file(_ hash: String) -> URL { folder.loggedValues.appendingPathComponent(hash, isDirectory: false) }

    /// Returns whether a value was read before.
    package func has(_ hash: String) -> Bool { FileSystem.exists(file(hash).path) }

    /// A value, which is read from the log where nobody did before.
    package func content(_ hash: String) throws -> Data {
        if has(hash) { return try Data(contentsOf: file(hash), options: .alwaysMapped) }
        guard let source else { throw Unreachable() }
        try keep(try source(hash), hash)
        return try Data(contentsOf: file(hash), options: .alwaysMapped)
    }

    private var source: Source? { Self.sources.withLock { $0[folder.support.path]?.first?.value } }

    // MARK: For who follows the log

    /// Has values be read with a closure, as long as what is returned is kept.
    package func read(with source: @escaping Source) -> Reading {
        let (path, id) = (folder.support.path, UUID())
        Self.sources.withLock { $0[path, default: [:]][id] = source }
        return Reading(path: path, id: id)
    }

    /// Ends with its life what ``LoggedValues/read(with:)`` began.
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

    /// Keeps a value that was read, whose hash is that of what a row would have.
    package func keep(_ stored: Data, _ hash: String) throws {
        // A file needs nothing to be told from a name.
        let isTagged = stored.starts(with: TaggedBlob.inlineTag) && TaggedBlob.isTagged(stored)
        let value = isTagged ? stored.dropFirst(TaggedBlob.inlineTag.count) : stored
        try FileSystem.createFolder(folder.loggedValues)
        let temporary = folder.loggedValues.appendingPathComponent(UUID().uuidString, isDirectory: false)
        do {
            try value.write(to: temporary)
            // What is under the name is whole. A crash of the machine could leave less, if the disk had only the name.
            let file = try FileHandle(forWritingTo: temporary)
            try file.synchronize()
            try file.close()
            try FileSystem.rename(temporary, to: self.file(hash))
        } catch {
            try? FileSystem.remove(temporary)
            throw error
        }
    }

    /// Removes what was read but for some. Files that are being written, or were when their process was killed, go after a day.
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
