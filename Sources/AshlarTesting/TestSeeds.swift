import RandomNumbers

/// The seeds of random tests, as the environment says.
enum TestSeeds {
    /// The seed that `ASHLAR_TEST_SEED` names.
    static var chosen: UInt64? { TestEffort.seed }

    /// That one, or as many as `ASHLAR_TEST_EFFORT` says, from 1 on; one unless it says so.
    static var all: [UInt64] { chosen.map { [$0] } ?? Array(1...UInt64(TestEffort.factor)) }
}
