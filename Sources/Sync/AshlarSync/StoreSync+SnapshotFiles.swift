import Ashlar
import AshlarSQLite
import Foundation

/// Reads the files of snapshots, which are not trusted.
extension StoreSync {
    /// Calls a closure with the file of a snapshot: a sound store of its version, with its rows.
    func withFile<Result>(of snapshot: SyncSnapshot, _ body: (URL) async throws -> Result) async throws -> Result {
        try await withBytes(of: snapshot) { file in
            try await reading(snapshot) {
                try SnapshotFile.check(file, of: snapshot)
                // The derived columns are known only for the store's own version.
                if let rows = snapshot.rows, try container.versionHash() == snapshot.modelHash,
                    try self.rows(of: SnapshotFile.open(file)) != rows
                {
                    throw SyncError.badSnapshot(snapshot.id, reason: "its rows are others than its description says")
                }
                return try await body(file)
            }
        }
    }

    /// Returns whether the file of a snapshot proves that its version of the model comes after another one: it is a
    /// sound store of that version, whose history has the other one. All stores read the same bytes and get the same
    /// result.
    func proves(_ snapshot: SyncSnapshot, after modelHash: String) async throws -> Bool {
        let step = ModelStep(snapshot: snapshot.id, before: modelHash)
        if let known = provenSteps[step] { return known }
        let isProven = try await withBytes(of: snapshot) { try snapshot.proves(versionAfter: modelHash, in: $0) }
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

    /// Runs a closure that reads the file of a snapshot, and turns its errors into those of the snapshot.
    private func reading<Result>(_ snapshot: SyncSnapshot, _ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch { throw SnapshotFile.error(error, of: snapshot) }
    }
}

/// A step of a log from one version of the model to another, by the snapshot that makes it.
struct ModelStep: Hashable {
    var snapshot: UUID
    /// The hash of the version before.
    var before: String
}
