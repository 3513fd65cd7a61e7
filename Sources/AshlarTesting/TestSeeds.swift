import Foundation

/// The seeds of random tests, as the environment says.
enum TestSeeds {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// The seed that `ASHLAR_TEST_SEED` names.
    static var chosen: UInt64? { number("ASHLAR_TEST_SEED") }

    /// That one, or as many as `ASHLAR_TEST_EFFORT` says, from 1 on; one unless it says so.
    static var all: [UInt64] { chosen.map { [$0] } ?? Array(1...max(1, number("ASHLAR_TEST_EFFORT") ?? 1)) }
}
