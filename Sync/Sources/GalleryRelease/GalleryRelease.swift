public import Ashlar
public import Foundation

/// One release of the program whose stores are tested, with the versions of the model up to that release.
public protocol GalleryRelease: Sendable {
    static var number: Int { get }
    static func open(_ url: URL) throws -> ModelContainer
    /// Makes and saves a number of random changes, and records each in the journal before it is saved.
    static func write(_ container: ModelContainer, operations: Int, seed: UInt64, journal: Journal) throws
    /// All objects, one in a line: the entity, the tag, and the values of the counters.
    static func list(_ container: ModelContainer) throws -> [String]
}

/// Records the changes of a program, so that the test can look for them in the end.
public final class Journal {
    private let name: String
    private let write: (String) -> Void
    private var count: Int
    private var lines: [String] = []

    public init(_ name: String, _ write: @escaping (String) -> Void) {
        self.name = name
        self.write = write
        count = 0
    }

    /// A tag that no other object has.
    public func tag() -> String {
        count += 1
        return "\(name).\(count)"
    }

    /// Records a change that is to be saved.
    public func add(_ line: String) { lines.append(line) }

    /// Writes the recorded changes, before they are saved.
    public func begin() { for line in lines { write("try " + line) } }

    /// Writes whether the changes were saved or refused.
    public func end(isSaved: Bool) {
        lines = []
        write(isSaved ? "saved" : "refused")
    }
}

/// The same numbers for the same seed, on every machine.
public struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    public init(_ seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    public mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
