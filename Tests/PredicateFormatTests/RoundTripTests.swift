import PredicateFormat
import RandomNumbers
import RandomSeeds
import Testing

@Suite("Printing and reading again")
struct RoundTripTests {
    @Test func givesTheSameTree() throws {
        for seed in seeds(3000) {
            var tree = RandomTree(generator: SeededGenerator(seed: seed))
            let predicate = tree.predicate(4)
            let text = predicate.description
            do {
                let again = try ParsedPredicate(parsing: text)
                guard again.withoutRanges != predicate || again.description != text else { continue }
                Issue.record("seed \(seed): \(text)\nbecame \(again)")
            } catch {
                Issue.record("seed \(seed): \(text)\n\(error)")
            }
            return
        }
    }
}
