import Foundation

/// How many times longer than usual the tests may take, from the environment.
let effort = max(1, ProcessInfo.processInfo.environment["ASHLAR_TEST_EFFORT"].flatMap { Int($0) } ?? 1)

/// The seed of the random tests, from the environment.
let seed = ProcessInfo.processInfo.environment["ASHLAR_TEST_SEED"].flatMap { UInt64($0) } ?? 1

/// Random numbers that a seed decides (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
