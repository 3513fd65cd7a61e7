import Ashlar
import AshlarSQLite
import Foundation

/// Checks of snapshot files, which come from others.
extension SnapshotFile {
    /// Requires that a file is a sound store of a snapshot's version, and returns its metadata.
    @discardableResult
    static func check(_ file: URL, of snapshot: SyncSnapshot) throws -> StoreMetadata {
        let connection = try open(file)
        guard try connection.rows("PRAGMA quick_check(1)").first?.first == .text("ok") else {
            throw SyncError.badSnapshot(snapshot.id, reason: "the file is damaged")
        }
        guard let metadata = try StoreMetadata(connection), metadata.versionHash == snapshot.modelHash else {
            throw SyncError.badSnapshot(
                snapshot.id, reason: "its file is not a store of the version that its description names")
        }
        return metadata
    }

    /// Converts an error of reading the file of a snapshot to one of the snapshot.
    static func error(_ error: any Error, of snapshot: SyncSnapshot) -> any Error {
        switch error {
        case let error as SQLiteError where error.isOfMachine:
            SyncLogError.unreachable(reason: "its snapshot cannot be read here now: \(error)")
        case let error as SQLiteError where error.code == SQLITE_NOTADB || error.code == SQLITE_CORRUPT:
            SyncError.badSnapshot(snapshot.id, reason: "its file is damaged, or no store")
        case let error as SQLiteError: SyncError.badSnapshot(snapshot.id, reason: "\(error)")
        case let error as RowFolder.Mismatch: SyncError.badSnapshot(snapshot.id, reason: error.reason)
        case let error as EntryBody.Malformed: SyncError.badSnapshot(snapshot.id, reason: error.reason)
        default: error
        }
    }
}

extension SQLiteError {
    /// True if the machine failed, and the file may be sound.
    fileprivate var isOfMachine: Bool {
        [SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_CANTOPEN, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY]
            .contains(code)
    }
}

/// The snapshots of a log that its stores use, the oldest first: without those of versions that nothing proves.
@_spi(Hub) public struct UsableSnapshots: Sendable {
    /// The snapshots so far.
    public private(set) var all: [SyncSnapshot] = []

    /// Begins with none.
    public init() {}

    /// Adds a snapshot that comes after the others, if the log has its version.
    ///
    /// - Parameter proves: Whether the snapshot proves that its version comes after another one, whose hash is given.
    public mutating func add(_ snapshot: SyncSnapshot, proves: (String) throws -> Bool) rethrows {
        if let last = all.last, last.modelHash != snapshot.modelHash, try !proves(last.modelHash) { return }
        all.append(snapshot)
    }

    /// Returns whether an entry begins another version: with a snapshot of its own position and version.
    public func makesStep(_ logged: LoggedSyncEntry) -> Bool {
        logged.entry.isStep
            && all.contains {
                $0.id == logged.entry.snapshot && $0.position == logged.position
                    && $0.modelHash == logged.entry.modelHash
            }
    }
}

@_spi(Hub) extension SyncSnapshot {
    /// Returns whether a file with the snapshot's bytes proves that the snapshot's version of the model comes after
    /// another one: it is a sound store of that version, whose history has the other one. All readers get the same
    /// result.
    ///
    /// - Throws: ``SyncLogError/unreachable(reason:)`` if the machine fails.
    public func proves(versionAfter modelHash: String, in file: URL) throws -> Bool {
        do {
            return try SnapshotFile.check(file, of: self).knows(versionHash: modelHash)
        } catch {
            let error = SnapshotFile.error(error, of: self)
            if case SyncError.badSnapshot = error { return false }
            throw error
        }
    }
}
