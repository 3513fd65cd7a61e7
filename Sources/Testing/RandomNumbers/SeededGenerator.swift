/// Random numbers that a seed determines (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Mixes the seed. Otherwise the numbers of one seed would repeat those of a nearby one from some step on.
    package init(seed: some BinaryInteger) { state = Self.mixed(UInt64(truncatingIfNeeded: seed)) }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ state: UInt64) -> UInt64 {
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns true with the probability 1/`count`.
    package mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// Returns true with a probability from 0 to 1.
    package mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }

    package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
