import CLoops

/// One piece of work that every contestant does in its own way.
protocol Workload: SendableMetatype {
    /// The name that the table shows and that `--only` takes.
    static var name: String { get }
    /// What one run of it is, such as `100,000 rows`.
    static var unit: String { get }

    /// Whether it is about what SQLite does with files, the write-ahead log say.
    static var needsFile: Bool { get }

    /// Opens what the contestants use in all rounds.
    init(_ stores: Stores) throws

    /// Does the work once. What `round` measures counts; what is done before and after does not.
    func run(_ contestant: Contestant, _ round: Round) throws

    /// Those that take part.
    static var contestants: [Contestant] { get }
}

extension Workload {
    static var needsFile: Bool { false }
    static var contestants: [Contestant] { [.cLoop, .swiftLoop, .ashlar, .grdbRecord, .grdbCodable] }
}

/// One round of one contestant: its time, and the proof of what it did.
final class Round {
    /// Whether this is the round whose results are looked at, and whose time does not count.
    let isVerifying: Bool
    private(set) var duration = Duration.zero
    private(set) var checksum: Checksum?

    init(isVerifying: Bool) {
        self.isVerifying = isVerifying
    }

    /// Measures a part of the work. All parts of a round are added up.
    func measure<Value>(_ body: () throws -> Value) throws -> Value {
        var outcome: Result<Value, any Error>?
        let start = ContinuousClock.now
        withoutActuallyEscaping(body) { body in
            var work = { outcome = Result { try body() } }
            withUnsafeMutablePointer(to: &work) { work in
                CLoopsMeasured({ $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, work)
            }
        }
        duration += start.duration(to: .now)
        guard let outcome else { throw LoopError(description: "nothing was measured") }
        return try outcome.get()
    }

    /// Takes the proof of what was done, which is looked at in the verifying round only.
    func verify(_ checksum: @autoclosure () throws -> Checksum) rethrows {
        if isVerifying { self.checksum = try checksum() }
    }
}
