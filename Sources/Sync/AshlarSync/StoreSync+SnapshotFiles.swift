import Ashlar
import AshlarSQLite
import Foundation

/// Reads the files of snapshots, which are not trusted.
extension StoreSync {
    /// Calls a closure with the file of a snapshot: a sound store of its version, with its rows.
    func withFile<Result>(of snapshot: SyncSnapshot, _ body: (URL) async throws -> Result) async throws -> Result {
        try await withBytes(of: snapshot) { file in
            try await reading(snapshot) {
                try checkFile(file, of: snapshot)
                // Which columns are derived is known of the store's own version alone.
                if let rows = snapshot.rows, try container.versionHash() == snapshot.modelHash,
                    try self.rows(of: SnapshotFile.open(file)) != rows
                {
                    throw SyncError.badSnapshot(snapshot.id, reason: "its rows are others than its description says")
                }
                return try await body(file)
            }
        }
    }

    /// Returns whether the file of a snapshot proves that its version of the model comes after another one: it is a sound store
    /// of that version, whose history has the other one. All stores read the same bytes and get the same result.
    func proves(_ snapshot: SyncSnapshot, after modelHash: String) async throws -> Bool {
        let step = ModelStep(snapshot: snapshot.id, before: modelHash)
        if let known = provenSteps[step] { return known }
        let isProven = try await withBytes(of: snapshot) { file in
            do {
                return try await reading(snapshot) {
                    try checkFile(file, of: snapshot).knows(versionHash: modelHash)
                }
            } catch SyncError.badSnapshot {
                return false
            }
        }
        provenSteps[step] = isProven
        return isProven
    }

    /// Calls a closure with the bytes of a snapshot in a file.
    private func withBytes<Result>(
        of snapshot: SyncSnapshot, _ body: (URL) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("snapshot.store")
        try await log.read(snapshot, to: file)
        guard try snapshot.hasBytes(of: file) else {
            throw SyncError.badSnapshot(snapshot.id, reason: "its bytes are others than its description says")
        }
        return try await body(file)
    }

    /// Requires that a file is a sound store of a snapshot's version, and returns its metadata.
    @discardableResult
    private func checkFile(_ file: URL, of snapshot: SyncSnapshot) throws -> StoreMetadata {
        let connection = try SnapshotFile.open(file)
        guard try connection.rows("PRAGMA quick_check(1)").first?.first == .text("ok") else {
            throw SyncError.badSnapshot(snapshot.id, reason: "the file is damaged")
        }
        guard let metadata = try StoreMetadata(connection), metadata.versionHash == snapshot.modelHash else {
            throw SyncError.badSnapshot(
                snapshot.id, reason: "its file is no store of the version that its description names")
        }
        return metadata
    }

    /// Runs a closure that reads the file of a snapshot, and turns its errors into those of the snapshot.
    private func reading<Result>(_ snapshot: SyncSnapshot, _ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as SQLiteError where error.isOfMachine {
            throw SyncLogError.unreachable(reason: "its snapshot cannot be read here now: \(error)")
        } catch let error as SQLiteError where error.code == SQLITE_NOTADB || error.code == SQLITE_CORRUPT {
            throw SyncError.badSnapshot(snapshot.id, reason: "its file is damaged, or no store")
        } catch let error as SQLiteError {
            throw SyncError.badSnapshot(snapshot.id, reason: "\(error)")
        } catch let error as RowFolder.Mismatch {
            throw SyncError.badSnapshot(snapshot.id, reason: error.reason)
        } catch let error as EntryBody.Malformed {
            throw SyncError.badSnapshot(snapshot.id, reason: error.reason)
        }
    }
}

/// A step of a log from one version of the model to another, by the snapshot that makes it.
struct ModelStep: Hashable {
    var snapshot: UUID
    /// The hash of the version before.
    var before: String
}

extension SQLiteError {
    /// True if the machine failed, and the file may be sound.
    fileprivate var isOfMachine: Bool {
        [SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_CANTOPEN, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY]
            .contains(code)
    }
}
