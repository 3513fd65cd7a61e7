import Ashlar
import AshlarSQLite
import Foundation

extension StoreSync {
    /// The log goes on with another version of the model.
    func changeVersion(_ entry: SyncEntry) async throws {
        if entry.modelHash == (try container.versionHash()) { return try await adoptNewestSnapshot() }
        if container.knowsEarlierVersion(entry.modelHash) { return }
        throw SyncError.newerModelVersion(entry.modelHash)
    }

    /// The newest snapshot is of another version than the rows that are kept.
    func adoptVersion(of snapshot: SyncSnapshot) async throws {
        throw SyncError.newerModelVersion(snapshot.modelHash)
    }
}
