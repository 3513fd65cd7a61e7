import RandomNumbers

/// The seeds of random tests, from the environment.
enum TestSeeds {
    /// The seed that `ASHLAR_TEST_SEED` names.
    static var chosen: UInt64? { TestEffort.seed }

    /// The chosen seed, or as many as `ASHLAR_TEST_EFFORT` says, from 1 on; one by default.
    static var all: [UInt64] { chosen.map { [$0] } ?? Array(1...UInt64(TestEffort.factor)) }
}
