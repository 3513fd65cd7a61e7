import AshlarSQLite
import FileErrors
import SystemFoundation

/// The copy of a store that is made before it is migrated.
///
/// The connection that migrates holds a lock, and another connection copies the state before. The copy gets its name
/// when it is complete and on the disk, and replaces an older copy of the same store.
struct MigrationBackup {
    let source: StoreFile
    let target: StoreFile
    let storeIdentifier: String

    /// Makes the copy with `VACUUM INTO`, which omits free pages.
    ///
    /// - Throws: ``StoreError/fileExists(_:)`` if another file is in its place, or `CancellationError`.
    func make(_ monitor: MigrationMonitor) throws {
        try checkTarget()
        removeUnfinished()
        let temporary = StoreFile(url: target.url.appendingPathExtension(Self.infix + UUID().uuidString))
        do {
            try writeFile(temporary.url, monitor)
            try addLargeValues()
            // SQLite would treat it as the copy's.
            for url in target.companions where FileSystem.exists(url.path) { try FileSystem.remove(url) }
            try FileSystem.rename(temporary.url, to: target.url)
            try FileSystem.synchronize(target.url.deletingLastPathComponent())
        } catch {
            // Nothing uses the copy. The original error matters more than one from removing it.
            for url in [temporary.url] + temporary.companions { try? FileSystem.remove(url) }
            if let error = error as? SQLiteError {
                throw StoreError(error, target.url, doing: "backing up \(source.url.path) before its migration")
            }
            throw error
        }
    }

    /// The text between the target's name and a UUID in the name of an incomplete copy.
    private static let infix = "backup-"

    /// Removes the files of killed processes. Only this process makes a backup of the store while it holds the lock.
    private func removeUnfinished() {
        let (folder, name) = FileSystem.parts(of: target.path)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        for found in names.sorted() where found.hasPrefix("\(name).\(Self.infix)") {
            let rest = found.dropFirst(name.count + 1 + Self.infix.count)
            guard TaggedBlob.isFileName(String(rest.prefix(36))) else { continue }
            // A file that stays has no effect, and is removed the next time.
            try? FileSystem.remove(URL(fileURLWithPath: "\(folder)/\(found)"))
        }
    }

    private func checkTarget() throws {
        guard target.hasWritableFolder else { throw StoreError.missingFolder(target.url) }
        guard FileManager.default.fileExists(atPath: target.url.path) else { return }
        let other: StoreMetadata
        do {
            other = try StoreFile(url: target.url).readMetadata()
        } catch is StoreError {
            throw StoreError.fileExists(target.url)
        }
        let isSameFile =
            target.url.resolvingSymlinksInPath().standardizedFileURL
            == source.url.resolvingSymlinksInPath().standardizedFileURL
        if other.storeIdentifier != storeIdentifier || isSameFile { throw StoreError.fileExists(target.url) }
    }

    private func writeFile(_ url: URL, _ monitor: MigrationMonitor) throws {
        let reader = try Connection(path: source.url.path, flags: SQLITE_OPEN_READWRITE)
        // The copy must be on the disk before anything changes.
        try reader.execute("PRAGMA synchronous = FULL")
        let known = try StoreMetadata(reader)?.schemaVersion == reader.integer("PRAGMA schema_version")
        try monitor.watching(reader) {
            let statement = try reader.statement("VACUUM INTO ?1")
            statement.bind(url.path, 1)
            try statement.run()
        }
        // SQLite counts the copy as a change of the schema.
        guard known else { return }
        let copy = try Connection(path: url.path, flags: SQLITE_OPEN_READWRITE)
        try copy.execute("PRAGMA synchronous = FULL")
        guard var metadata = try StoreMetadata(copy) else { throw StoreError.foreignDatabase(url) }
        try copy.transaction { try metadata.writeSchemaVersion(to: copy) }
    }

    /// Adds the files of large values to those of an older copy, whose own files are needed until it is replaced.
    private func addLargeValues() throws {
        let manager = FileManager.default
        guard let names = try? manager.subpathsOfDirectory(atPath: source.supportFolder.path) else { return }
        for name in names {
            let original = source.supportFolder.appendingPathComponent(name)
            let copy = target.supportFolder.appendingPathComponent(name)
            // A file of another length was left by a killed process.
            if let found = FileSystem.length(ofFile: copy.path), found == FileSystem.length(ofFile: original.path) {
                continue
            }
            do {
                try manager.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
                switch try FileSystem.kind(ofFile: original.path) {
                case .missing: continue
                case .other: try manager.createDirectory(at: copy, withIntermediateDirectories: true)
                case .file:
                    let temporary = copy.deletingLastPathComponent().appendingPathComponent(UUID().uuidString)
                    try FileSystem.copy(original, to: copy, by: temporary)
                }
            } catch let error as StoreError {
                throw error
            } catch {
                throw StoreError.fileOperationFailed(
                    original, doing: "copying it", reason: FileErrorReason.text(error))
            }
        }
    }
}
