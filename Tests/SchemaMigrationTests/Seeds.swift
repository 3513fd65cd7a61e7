import RandomNumbers

/// The seeds of a random test: so many, more with more effort, from `ASHLAR_TEST_FIRST_SEED` on, or the one that
/// `ASHLAR_TEST_SEED` names.
func seeds(_ count: Int) -> [Int] {
    let first = Int(TestEffort.firstSeed ?? 0)
    return TestEffort.seed.map { [Int($0)] } ?? Array(first..<first + count * TestEffort.factor)
}
