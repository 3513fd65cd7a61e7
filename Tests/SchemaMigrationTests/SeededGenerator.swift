import Foundation

/// How much the random tests do: 1 by default, more where `ASHLAR_TEST_EFFORT` says so.
let effort = max(1, ProcessInfo.processInfo.environment["ASHLAR_TEST_EFFORT"].flatMap { Int($0) } ?? 1)

/// The seeds of a random test: so many, more with more effort, from `ASHLAR_TEST_FIRST_SEED` on, or the one that
/// `ASHLAR_TEST_SEED` names.
func seeds(_ count: Int) -> [Int] {
    func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
    let first = number("ASHLAR_TEST_FIRST_SEED") ?? 0
    return number("ASHLAR_TEST_SEED").map { [$0] } ?? Array(first..<first + count * effort)
}

/// The same numbers in every run, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: Int) { state = UInt64(seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }
    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
