import AshlarSQLite
import Synchronization

/// Whether others than a container's own writer have committed anything since the stores were opened.
///
/// Writers that use this library change the version of a row with each change. Other programs may write plain SQL that
/// does not, so values are compared too from their first commit on.
final class ForeignCommits: Sendable {
    private let dataVersions = Mutex<[String: Int64]>([:])
    private let isKnown = Atomic(false)
    private let isExcluded = Atomic(false)

    /// Whether there were any.
    var exist: Bool { isKnown.load(ordering: .relaxed) }

    /// Whether the container's own writer holds the stores, and has noted what others committed before, so that ``exist`` is right
    /// without asking it.
    var areExcluded: Bool {
        get { isExcluded.load(ordering: .acquiring) }
        set { isExcluded.store(newValue, ordering: .releasing) }
    }

    /// Notes what the connection that writes knows: the number of a store is another one after a commit by others.
    func note(_ dataVersion: Int64, of schemaName: String) {
        dataVersions.withLock { versions in
            if let before = versions.updateValue(dataVersion, forKey: schemaName), before != dataVersion {
                isKnown.store(true, ordering: .relaxed)
            }
        }
    }
}
