import AshlarSQLite
import SystemFoundation

/// The folder beside a store with the values that are too large for their rows, each in a file.
///
/// It is `.NAME_SUPPORT/_EXTERNAL_DATA` for the file `NAME`. Unlike in Core Data, `NAME` includes the extension, so
/// that no two stores share a folder. A file is written once and never changed.
package struct ExternalDataFolder {
    private let supportPath: String

    /// The hidden folder that belongs to the store.
    package var support: URL { URL(fileURLWithPath: supportPath, isDirectory: true) }
    /// Whether the hidden folder exists.
    var hasSupport: Bool { FileSystem.exists(supportPath) }
    /// The folder of the files.
    package var url: URL { support.appendingPathComponent("_EXTERNAL_DATA", isDirectory: true) }

    /// Returns the hidden folder of a store, such as `.PhotoFeed.store_SUPPORT` for `PhotoFeed.store`. Without the
    /// extension, two stores could share it.
    ///
    /// - Parameter path: The path of the store's file, with all links resolved.
    private static func supportPath(_ path: String) -> String {
        let (folder, name) = FileSystem.parts(of: path)
        return (folder == "/" ? "/" : folder + "/") + ".\(name)_SUPPORT"
    }

    /// Creates the folder of the store at a path, which need not exist. Links are resolved.
    package init(storePath: String) { supportPath = Self.supportPath(FileSystem.canonicalPath(storePath)) }

    /// The folder of the values that were read from the followed log.
    var loggedValues: URL { support.appendingPathComponent("_LOGGED_VALUES", isDirectory: true) }

    /// The folder of a store that a connection has open; nil for a store in memory.
    init?(of database: OpaquePointer, schemaName: String = "main") {
        guard let path = DatabaseHandle(database).path(of: schemaName) else { return nil }
        #if os(Windows)
            self.init(storePath: path)
        #else
            // SQLite has resolved all links.
            supportPath = Self.supportPath(path)
        #endif
    }

    /// Returns the folder that contains a file whose name a statement read; nil for a store in memory.
    ///
    /// SQLite does not report to which of several stores a row belongs, but a file's name is in the folder of only one
    /// of them.
    init?(ofStatement statement: OpaquePointer, file: String) {
        let folders = Self.folders(ofStatement: statement)
        let isOne = folders.count < 2
        let found = isOne ? nil : folders.first { FileManager.default.fileExists(atPath: $0.file(file).path) }
        guard let found = found ?? folders.first else { return nil }
        self = found
    }

    /// Returns the folders of all stores that a statement may read.
    static func folders(ofStatement statement: OpaquePointer) -> [ExternalDataFolder] {
        guard let database = DatabaseHandle(of: statement) else { return [] }
        if let only = ExternalDataFolder(of: database.pointer) { return [only] }
        return database.attachedNames.compactMap { ExternalDataFolder(of: database.pointer, schemaName: $0) }
    }

    package func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }

    /// Returns the content of a file. It is mapped, so that only the used parts are read from the disk; the mapping
    /// outlives the file's deletion. Throws if the length differs from that in the reference.
    func data(of reference: TaggedBlob.Reference) throws -> Data {
        let data = try Data(contentsOf: file(reference.name), options: .alwaysMapped)
        if let expected = reference.byteCount, data.count != expected {
            throw ExternalDataLengthError(found: data.count, expected: expected)
        }
        return data
    }

    /// Returns the problem of a file, without reading it; nil if it exists with the expected length.
    func problem(of reference: TaggedBlob.Reference) -> String? {
        guard let found = FileSystem.length(ofFile: file(reference.name).path) else { return "is missing" }
        guard let expected = reference.byteCount, found != expected else { return nil }
        return "has \(found) bytes instead of \(expected)"
    }

    /// Returns the names of the files that hold values.
    func names() throws -> Set<String> {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        return Set(try FileManager.default.contentsOfDirectory(atPath: url.path).filter(TaggedBlob.isFileName))
    }

    /// Deletes a file if it exists.
    func remove(_ name: String) throws {
        do {
            try FileManager.default.removeItem(at: file(name))
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        }
    }
}

/// An error for a file that was cut off or replaced.
struct ExternalDataLengthError: Error, CustomStringConvertible {
    var found: Int
    var expected: Int

    var description: String { "it has \(found) bytes instead of \(expected)" }
}
