import Foundation

/// The effort that the environment demands of random tests.
package enum TestEffort {
    /// The factor by which they do more than usual: `ASHLAR_TEST_EFFORT`, 1 by default.
    package static let factor = max(1, number("ASHLAR_TEST_EFFORT").flatMap { Int(exactly: $0) } ?? 1)

    /// The seed to repeat, of a failure: `ASHLAR_TEST_SEED`.
    package static let seed = number("ASHLAR_TEST_SEED")

    /// The first of the seeds to use: `ASHLAR_TEST_FIRST_SEED`.
    package static let firstSeed = number("ASHLAR_TEST_FIRST_SEED")

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}
