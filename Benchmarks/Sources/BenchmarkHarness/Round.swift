import CLoops

/// One round of one contestant: its time, and the checksum of its work.
package final class Round {
    /// Whether this is the round whose results are verified, and whose time does not count.
    package let isVerifying: Bool
    package private(set) var duration = Duration.zero
    package private(set) var checksum: Checksum?
    /// The number of SQLite statements, or 0 if they are not counted.
    private(set) var statements = 0
    private let heartbeat: Heartbeat?

    package init(isVerifying: Bool) {
        self.isVerifying = isVerifying
        heartbeat = nil
    }

    /// Makes a round that also observes the main thread.
    init(observing heartbeat: Heartbeat) {
        isVerifying = false
        self.heartbeat = heartbeat
    }

    /// Measures a part of the work. All parts of a round are added up.
    package func measure<Value>(_ body: () throws -> Value) throws -> Value {
        var outcome: Result<Value, any Error>?
        heartbeat?.begin()
        let statementsBefore = CLoopsStatements()
        let start = ContinuousClock.now
        withoutActuallyEscaping(body) { body in
            var work = { outcome = Result { try body() } }
            withUnsafeMutablePointer(to: &work) { work in
                CLoopsMeasured({ $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, work)
            }
        }
        duration += start.duration(to: .now)
        statements += CLoopsStatements() - statementsBefore
        heartbeat?.end()
        guard let outcome else { throw LoopError(description: "nothing was measured") }
        return try outcome.get()
    }

    /// Records the checksum of the work, in the verifying round only.
    package func verify(_ checksum: @autoclosure () throws -> Checksum) rethrows {
        if isVerifying { self.checksum = try checksum() }
    }
}
