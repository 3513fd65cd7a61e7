import Ashlar

/// A program's migration plan when an older version was the current one: without later stages, which would be refused.
enum EarlierPlan: SchemaMigrationPlan {
    struct Shortened: Sendable {
        var plan: any SchemaMigrationPlan.Type
        /// The versions to which no stage leads yet.
        var laterVersionNames: Set<String>
    }

    /// The plan for the store that is being opened. It is a task-local value, because a plan is a type.
    @TaskLocal static var shortened: Shortened?

    static var stages: [MigrationStage] {
        guard let shortened else { return [] }
        return shortened.plan.stages.filter { !shortened.laterVersionNames.contains($0.destination.versionName) }
    }
}
