import DataModel
import RandomNumbers
import RandomSeeds
import RelationalSchema
import SchemaMigration
import Testing

/// The generator plans and checks only the differences between two versions; the result must be the same as for all of
/// both.
@Suite("Migrations of differences")
struct DifferenceTests {
    @Test(arguments: seeds(60))
    func aDifferenceHasThePlanOfTheWhole(seed: Seed) {
        var history = RandomHistory(seed: seed)
        for _ in 0..<6 {
            let old = history.model
            history.edit()
            let new = history.model
            // Mistakes of the older version were found before.
            if ModelChecker.check(old).hasErrors { return }
            let difference = ModelDifference(from: old, to: new)
            let isWrong = ModelChecker.check(new).hasErrors
            #expect(ModelChecker.check(difference.new).hasErrors == isWrong)
            if isWrong { return }
            let whole = MigrationPlan(from: ModelGraph(old), to: ModelGraph(new))
            let part = MigrationPlan(from: ModelGraph(difference.old), to: ModelGraph(difference.new))
            #expect(part.statements == whole.statements)
            #expect(part.steps == whole.steps)
            #expect(part.diagnostics.all == whole.diagnostics.all)
            if whole.diagnostics.hasErrors || whole.statements.isEmpty { continue }
            #expect(MigrationProof(part).run().all == MigrationProof(whole).run().all)
        }
    }
}
