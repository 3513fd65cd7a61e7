import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// The folder beside a store with the values that are too large for their rows, a file each.
///
/// It is `.NAME_SUPPORT/_EXTERNAL_DATA` for the file `NAME`, with Core Data's names but for the extension, which is part
/// of `NAME` so that no two stores share a folder. A file is written once and never changed.
struct ExternalDataFolder {
    /// The hidden folder that belongs to the store.
    let support: URL
    /// The folder of the files.
    let url: URL

    /// The folder of the store at a path, which need not exist.
    init(storePath: String) {
        support = StoreFile(url: URL(fileURLWithPath: storePath)).supportFolder
        url = support.appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
    }

    /// The folder of the store that a connection has open; nil for a store in memory.
    init?(of database: OpaquePointer) {
        guard let path = sqlite3_db_filename(database, "main"), path.pointee != 0 else { return nil }
        self.init(storePath: String(cString: path))
    }

    /// The folder of the store that a statement reads; nil for a store in memory.
    init?(ofStatement statement: OpaquePointer) {
        guard let database = sqlite3_db_handle(statement) else { return nil }
        self.init(of: database)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }

    /// The content of a file. It is mapped, so that only what is looked at is read from the disk; the mapping outlives
    /// the file's deletion.
    func data(of name: String) throws -> Data {
        try Data(contentsOf: file(name), options: .alwaysMapped)
    }

    /// The names of the files that hold values.
    func names() throws -> Set<String> {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        return Set(try FileManager.default.contentsOfDirectory(atPath: url.path).filter(TaggedBlob.isFileName))
    }

    /// Deletes a file; one that is gone already is as good.
    func remove(_ name: String) throws {
        do {
            try FileManager.default.removeItem(at: file(name))
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        }
    }
}
