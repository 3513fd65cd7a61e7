import DataModel
import RelationalSchema

/// Runs a migration on stores in memory and compares the results with new stores.
public struct MigrationProof {
    private let plan: MigrationPlan
    /// The number of tables that are proven together. More are proven in parts, so that the time grows linearly with
    /// their number.
    private let tableLimit: Int

    /// Prepares the proof of a plan that has no errors.
    public init(_ plan: MigrationPlan) {
        self.init(plan, tableLimit: 100)
    }

    init(_ plan: MigrationPlan, tableLimit: Int) {
        self.plan = plan
        self.tableLimit = tableLimit
    }

    /// Runs the proof; no findings mean that the migration is right.
    ///
    /// The store has objects of all entities, other than those that a check of the migration itself refuses.
    public func run() -> Diagnostics {
        // If a part is wrong, proving the whole finds the error to report.
        isRightInParts ? Diagnostics() : PartProof(plan: plan, part: ProofPart(allOf: plan)).run()
    }

    /// Whether there are so many tables that the proof is divided, and each part is right.
    var isRightInParts: Bool {
        guard max(plan.source.tables.count, plan.destination.tables.count) > tableLimit,
            let parts = ProofDivision.parts(of: plan, tableLimit: tableLimit)
        else { return false }
        return Concurrency.map(parts) { [plan] in PartProof(plan: plan, part: $0).run().all.isEmpty }.allSatisfy(\.self)
    }
}
