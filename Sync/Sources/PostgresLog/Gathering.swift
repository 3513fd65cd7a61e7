import AshlarSync
import Synchronization

/// Collects questions that come while others are being answered, and asks them together.
///
/// Commits of PostgreSQL that notify wait for one another, each for the disk. So many appends need as many writes to
/// the disk, unless they share a transaction. A question that comes alone is asked at once, without waiting for others.
final class Gathering<Question: Sendable, Answer: Sendable>: Sendable {
    private struct Waiting {
        var question: Question
        var size: Int
        var continuation: CheckedContinuation<Answer, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isAsking = false
    }

    /// The greatest number of questions that are asked at once.
    private let count: Int
    /// The greatest size of them together, unless one is larger by itself.
    private let size: Int
    private let state = Mutex(State())
    private let answers: @Sendable ([Question]) async throws -> [Answer]

    /// - Parameter answers: Returns the answers to questions, in their order.
    init(
        count: Int = 64, size: Int = 4 << 20, answers: @escaping @Sendable ([Question]) async throws -> [Answer]
    ) {
        self.count = count
        self.size = size
        self.answers = answers
    }

    func ask(_ question: Question, size: Int = 0) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting.append(Waiting(question: question, size: size, continuation: continuation))
                defer { state.isAsking = true }
                return !state.isAsking
            }
            if isFirst { Task { await askAll() } }
        }
    }

    private func askAll() async {
        while let some = next() {
            do {
                try await answer(some)
            } catch let error as SyncLogError where some.count > 1 && !error.isTransient {
                // The refusal of one question does not refuse the others.
                for waiting in some {
                    do { try await answer([waiting]) } catch { waiting.continuation.resume(throwing: error) }
                }
            } catch {
                for waiting in some { waiting.continuation.resume(throwing: error) }
            }
        }
    }

    /// Resumes all questions, or throws and resumes none.
    private func answer(_ some: [Waiting]) async throws {
        let found = try await answers(some.map(\.question))
        guard found.count == some.count else {
            throw SyncLogError.malformed(reason: "\(some.count) questions got \(found.count) answers")
        }
        for (waiting, answer) in zip(some, found) { waiting.continuation.resume(returning: answer) }
    }

    /// The questions to ask next; nil if there are none.
    private func next() -> [Waiting]? {
        state.withLock { state in
            var (count, size) = (0, 0)
            for waiting in state.waiting.prefix(self.count) {
                size += waiting.size
                if count > 0, size > self.size { break }
                count += 1
            }
            let some = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(count)
            if some.isEmpty { state.isAsking = false }
            return some.isEmpty ? nil : some
        }
    }
}
