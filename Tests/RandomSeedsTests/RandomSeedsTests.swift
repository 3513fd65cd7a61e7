import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@Suite struct RandomSeedsTests {
    @Test(.enabled(if: TestEffort.seed == nil, "ASHLAR_TEST_SEED asks for one seed"))
    func followEachOther() {
        let found = seeds(3)
        #expect(found.count == 3 * TestEffort.factor)
        #expect(found.allSatisfy { $0.file == "RandomSeedsTests/RandomSeedsTests" })
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.number + 1 == $1.number })
        #expect(seeds(3) == found, "one run, one beginning")
        if let first = TestEffort.firstSeed { #expect(found[0].number == first) }
    }

    @Test(.enabled(if: TestEffort.seed == nil, "ASHLAR_TEST_SEED asks for one seed"), arguments: failedSeeds)
    func failedOnesAreKept(_ seed: Seed) {
        #expect(seeds(1, file: seed.file + ".swift").contains(seed))
    }

    @Test(.enabled(if: TestEffort.seed != nil, "ASHLAR_TEST_SEED is not set")) func oneAlone() {
        #expect(seeds(3).map(\.number) == [TestEffort.seed])
    }

    /// Seeds of a file that does not exist would be skipped in silence.
    @Test(arguments: failedSeeds) func failedOnesAreOfTestsThatAreThere(_ seed: Seed) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: tests.appendingPathComponent("\(seed.file).swift"), encoding: .utf8)
        #expect(text.contains("seeds("))
    }

    @Test func aFailureSaysTheLineThatKeepsIt() {
        #expect("\(Seed(17, in: "A/B.swift"))".hasSuffix("Seed(17, in: \"A/B\")"))
    }
}
