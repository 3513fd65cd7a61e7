public import DataModel
import SchemaMigration

/// The findings of comparing a version with the one before it.
public enum MigrationFindings {
    /// Returns the findings about the step that leads to a version.
    ///
    /// There are none if one of the two versions has errors of its own, or if the version is newer than the current one
    /// or older than the oldest. The lock file beside the model determines whether deletions must be named.
    public static func find(
        in bundle: ModelBundle, leadingTo versionName: String, oldestVersionName: String? = nil
    ) -> Diagnostics {
        let names = bundle.versionNames
        guard let index = names.firstIndex(of: versionName), index > 0,
            let current = names.firstIndex(of: bundle.currentVersionName), index <= current,
            index > oldestVersionName.flatMap({ names.firstIndex(of: $0) }) ?? 0
        else { return Diagnostics() }
        var (old, new) = (bundle.versions[index - 1], bundle.versions[index])
        // An older version's stores record which configurations they were divided into.
        old.configurations = []
        if index < current { new.configurations = [] }
        let difference = ModelDifference(from: old, to: new)
        if difference.isEmpty { return Diagnostics() }
        if ModelChecker.check(old, isCurrent: false).hasErrors
            || ModelChecker.check(new, isCurrent: index == current).hasErrors
        {
            return Diagnostics()
        }
        var ignored = Diagnostics()
        let lockFile = LockFile.read(for: bundle, reportingTo: &ignored)
        return MigrationPlan(
            from: ModelGraph(difference.old), to: ModelGraph(difference.new),
            isReviewed: lockFile.map { !$0.versionNames.contains(new.name) } ?? false
        ).diagnostics
    }
}
