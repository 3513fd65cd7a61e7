import Foundation
import RandomNumbers

/// The seeds of a random test: those that it failed with before, then a number of new ones, which `ASHLAR_TEST_EFFORT`
/// multiplies.
///
///     @Test(arguments: seeds(3)) func anyOrderIsKept(_ seed: Seed)
///
/// `ASHLAR_TEST_SEED` is one seed, which alone is used then: the failure's. `ASHLAR_TEST_FIRST_SEED` is where new seeds
/// begin, as a run before printed it.
package func seeds(_ count: Int = 2, file: String = #fileID) -> [Seed] {
    if let seed = TestEffort.seed { return [Seed(seed, in: file)] }
    let new = (0..<UInt64(count * TestEffort.factor)).map { Seed(firstSeed &+ $0, in: file) }
    return failedSeeds.filter { $0.file == new[0].file } + new
}

/// The first of the new seeds of this run. All tests of a run have one process.
private let firstSeed: UInt64 = {
    if let seed = TestEffort.firstSeed { return seed }
    // Small enough to add to, multiply and print.
    let seed = UInt64.random(in: 1..<1_000_000_000)
    FileHandle.standardError.write(
        Data("Random tests begin at the seed \(seed): ASHLAR_TEST_FIRST_SEED=\(seed) repeats them.\n".utf8))
    return seed
}()
