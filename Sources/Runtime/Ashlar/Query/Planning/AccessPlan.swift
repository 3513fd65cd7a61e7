/// How a statement finds its rows, and what to do when that takes too long.
struct AccessPlan {
    var path: AccessPath
    var detour: Detour?
    /// The condition with a way to look through each relationship; nil where there was nothing to choose.
    var condition: SQLExpression?

    /// Whether it relies on an index or an R-tree that the store may have no longer.
    var usesIndex: Bool { path.usesIndex || detour?.path.usesIndex == true || condition != nil }

    /// A way that is taken instead once another has looked at more rows than it should.
    struct Detour {
        /// How many steps SQLite's machine may take on the first way.
        let stepLimit: Int
        let path: AccessPath

        init(rows: Double, path: AccessPath) {
            // Of 4 to 12 steps for a row, by the number of conditions.
            stepLimit = Int(rows * 8)
            self.path = path
        }
    }
}
