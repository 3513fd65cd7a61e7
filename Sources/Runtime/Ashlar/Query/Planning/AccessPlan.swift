/// The way in which a statement finds its rows, and an alternative if that takes too long.
struct AccessPlan {
    var path: AccessPath
    var detour: Detour?
    /// The condition with a chosen search for each relationship; nil if there was no choice.
    var condition: SQLExpression?

    /// Whether it requires an index or an R-tree, which may have been dropped.
    var usesIndex: Bool { path.usesIndex || detour?.path.usesIndex == true || condition != nil }

    /// A path that replaces another one after it has read too many rows.
    struct Detour {
        /// The maximum number of steps of SQLite's virtual machine on the first path.
        let stepLimit: Int
        let path: AccessPath

        init(rows: Double, path: AccessPath) {
            // A row takes 4 to 12 steps, depending on the number of conditions.
            stepLimit = Int(rows * 8)
            self.path = path
        }
    }
}
