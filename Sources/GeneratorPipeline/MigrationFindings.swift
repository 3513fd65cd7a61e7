public import DataModel
import SchemaMigration

/// What only a comparison of the current version with the one before it finds.
public enum MigrationFindings {
    /// The findings about the last step of a model's versions; none where a version has errors of its own.
    ///
    /// The lock file beside the model says whether what is deleted must be named.
    public static func find(in bundle: ModelBundle) -> Diagnostics {
        guard let index = bundle.versions.firstIndex(where: { $0.name == bundle.currentVersionName }), index > 0
        else { return Diagnostics() }
        let (old, new) = (bundle.versions[index - 1], bundle.versions[index])
        if ModelChecker.check(old).hasErrors || ModelChecker.check(new).hasErrors { return Diagnostics() }
        var ignored = Diagnostics()
        let lockFile = LockFile.read(for: bundle, reportingTo: &ignored)
        let difference = ModelDifference(from: old, to: new)
        if difference.isEmpty { return Diagnostics() }
        return MigrationPlan(
            from: ModelGraph(difference.old), to: ModelGraph(difference.new),
            isReviewed: lockFile.map { !$0.versionNames.contains(new.name) } ?? false
        ).diagnostics
    }
}
