import BenchmarkHarness
import Foundation
import Synchronization

/// Threads that get ready first, then begin at the same time, and are waited for.
final class SimultaneousThreads: Sendable {
    /// The work of a thread. It returns a checksum if there is something to compare.
    typealias Work = () throws -> Checksum?

    private let ready = DispatchGroup()
    private let done = DispatchGroup()
    private let start = DispatchSemaphore(value: 0)
    private let results = Mutex<(threads: Int, checksums: [Checksum], failure: (any Error)?)>((0, [], nil))

    /// Adds a thread, which makes its work before any begins.
    func add(_ make: @escaping @Sendable () throws -> Work) {
        results.withLock { $0.threads += 1 }
        ready.enter()
        done.enter()
        Thread { [self] in
            defer { done.leave() }
            do {
                let work = Result { try make() }
                ready.leave()
                start.wait()
                if let checksum = try work.get()() { results.withLock { $0.checksums.append(checksum) } }
            } catch {
                results.withLock { $0.failure = error }
            }
        }.start()
    }

    /// Waits until all threads are ready.
    func prepare() { ready.wait() }

    /// Lets all threads begin, and waits until they are done. Throws the error of one of them.
    func run() throws {
        for _ in 0..<results.withLock({ $0.threads }) { start.signal() }
        done.wait()
        if let failure = results.withLock({ $0.failure }) { throw failure }
    }

    /// The checksum of the threads' work, which must be the same for all.
    func checksum() throws -> Checksum {
        let checksums = results.withLock { $0.checksums }
        guard let first = checksums.first, checksums.allSatisfy({ $0 == first }) else {
            throw LoopError(description: "the threads read \(checksums)")
        }
        return first
    }
}
