import RandomNumbers

/// Determines a random test's choices. A failure shows it beside the test's name, with the line that keeps it.
package struct Seed: Hashable, Sendable, CustomStringConvertible {
    package let number: UInt64

    /// The file of the test, by which ``failedSeeds`` know it, such as `AshlarTests/GraphTests`.
    package let file: String

    package init(_ number: UInt64, in file: String) {
        self.number = number
        self.file = file.hasSuffix(".swift") ? String(file.dropLast(".swift".count)) : file
    }

    package var description: String { "\(number), which FailedSeeds.swift keeps as Seed(\(number), in: \"\(file)\")" }
}

extension SeededGenerator {
    /// Makes a generator for a random test's seed.
    package init(seed: Seed) { self.init(seed: seed.number) }
}
