import AshlarSync
import Foundation
import Testing

@testable import HubServer
@testable import PostgresLog

/// Concurrent appends: those to one log run one after another, and those to different logs run together.
@Suite struct AppendTurnsTests {
    /// Accepts or rejects appends as a log does.
    private actor Head {
        private(set) var attempts = 0
        private var head: Int64 = 0

        func append(after position: Int64) -> SyncAppendResult {
            attempts += 1
            guard position == head else { return .moved(head: head) }
            head += 1
            return .appended(position: head)
        }
    }

    private func append(_ count: Int, _ turns: AppendTurns, _ head: Head) async throws {
        let site = UUID()
        var (position, done): (Int64, Int) = (0, 0)
        while done < count {
            let known = position
            switch try await turns.append(of: site, to: "log", { await head.append(after: known) }) {
            case .appended(let new): (position, done) = (new, done + 1)
            case .moved(let new, _): position = new
            }
        }
    }

    @Test("who came too late has the next turn, so that hardly anybody comes too late twice") func turns() async throws
    {
        let (turns, head) = (AppendTurns(reservation: .seconds(60), patience: .seconds(60)), Head())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await append(25, turns, head) } }
            try await group.waitForAll()
        }
        let attempts = await head.attempts
        #expect(attempts >= 200 && attempts <= 500, "\(attempts) attempts for 200 entries")
    }

    @Test("who does not come back, or whose turn never comes, is in nobody's way") func absence() async throws {
        let (turns, head) = (AppendTurns(reservation: .milliseconds(2), patience: .milliseconds(2)), Head())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { try await append(10, turns, head) } }
            for _ in 0..<20 {
                // A caller that asks once and never returns.
                group.addTask {
                    _ = try await turns.append(of: UUID(), to: "log") { await head.append(after: 1_000_000) }
                }
            }
            // A call that fails, and one that takes long.
            group.addTask {
                struct Failure: Error {}
                await #expect(throws: Failure.self) {
                    try await turns.append(of: UUID(), to: "log") { throw Failure() }
                }
                _ = try await turns.append(of: UUID(), to: "log") {
                    try await Task.sleep(for: .milliseconds(50))
                    return .moved(head: 1)
                }
            }
            try await group.waitForAll()
        }
        #expect(await head.attempts >= 80)
    }

    /// Records the requests of each batch.
    private actor Batches {
        private(set) var all: [[Int]] = []

        func add(_ batch: [Int]) { all.append(batch) }
    }

    @Test("what is asked while others wait is asked together, and one that is refused is refused alone") func together()
        async throws
    {
        let batches = Batches()
        let gathering = Gathering<Int, Int>(count: 10, size: 100) { numbers in
            await batches.add(numbers)
            try await Task.sleep(for: .milliseconds(5))
            if numbers.contains(13) { throw SyncLogError.refused(reason: "13") }
            return numbers.map { $0 * 2 }
        }
        let answers = await withTaskGroup(of: (Int, Int?).self) { group in
            for number in 0..<100 {
                group.addTask { (number, try? await gathering.ask(number, size: number == 7 ? 1000 : 11)) }
            }
            return await group.reduce(into: [Int: Int]()) { $0[$1.0] = $1.1 }
        }
        for number in 0..<100 { #expect(answers[number] == (number == 13 ? nil : number * 2)) }
        let all = await batches.all
        #expect(all.count < 60, "\(all.count) times for 100 questions")
        for batch in all { #expect(batch.count * 11 <= 110 && (batch.count == 1 || !batch.contains(7))) }
        #expect(try await gathering.ask(200) == 400)
    }
}
