import Ashlar

/// A program's migration plan as it was when an older version was the current one: without the stages that lead beyond it,
/// which would be refused.
enum EarlierPlan: SchemaMigrationPlan {
    struct Shortened: Sendable {
        var plan: any SchemaMigrationPlan.Type
        /// The versions to which no stage leads yet.
        var laterVersionNames: Set<String>
    }

    /// The plan of a store that is being opened, because a plan is a type and not a value.
    @TaskLocal static var shortened: Shortened?

    static var stages: [MigrationStage] {
        guard let shortened else { return [] }
        return shortened.plan.stages.filter { !shortened.laterVersionNames.contains($0.destination.versionName) }
    }
}
