import AshlarSQLite
import Synchronization

/// Whether others than a container's own writer have committed changes since the stores were opened.
///
/// Writers that use this library change the version of a row with each change. Other programs may write plain SQL
/// without it, so values are also compared from their first commit on.
final class ForeignCommits: Sendable {
    private let dataVersions = Mutex<[String: Int64]>([:])
    private let isKnown = Atomic(false)
    private let isExcluded = Atomic(false)

    /// Whether there were any such commits.
    var exist: Bool { isKnown.load(ordering: .relaxed) }

    /// Whether the container's own writer has locked the stores and noted all earlier commits of others, so that
    /// ``exist`` is up to date without a query.
    var areExcluded: Bool {
        get { isExcluded.load(ordering: .acquiring) }
        set { isExcluded.store(newValue, ordering: .releasing) }
    }

    /// Records a store's data version on the connection that writes, which changes with a commit by others.
    func note(_ dataVersion: Int64, of schemaName: String) {
        dataVersions.withLock { versions in
            if let before = versions.updateValue(dataVersion, forKey: schemaName), before != dataVersion {
                isKnown.store(true, ordering: .relaxed)
            }
        }
    }
}
