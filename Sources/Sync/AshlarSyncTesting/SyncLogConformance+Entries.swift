import AshlarSync
import Foundation
import RandomNumbers

extension SyncLogConformance {
    func checkEmptiness(_ log: TestedLog) async throws {
        for access in [log.first, log.second] {
            let head = try await access.head()
            try log.require(head == 0, "its head is \(head)")
            let entries = try await access.entries(after: 0, limit: 10)
            try log.require(entries.isEmpty, "it has \(entries.count) entries")
            let snapshots = try await access.snapshots()
            try log.require(snapshots.isEmpty, "it has \(snapshots.count) snapshots")
        }
    }

    func checkContents(_ log: TestedLog) async throws {
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let entries = [
            SyncEntry.made(UUID(), 1), .made(UUID(), 1, Data("a\0b\u{FFFD}\"\\".utf8), author: "Ada \"the\" \\ 🐙\n"),
            .made(UUID(), 7, bytes, author: ""), .made(UUID(), .max, Data([0, 255])),
        ]
        for (position, entry) in entries.enumerated() {
            try await log.append(entry, after: Int64(position), by: position % 2 == 0 ? log.first : log.second)
        }
        let logged = entries.enumerated().map { LoggedSyncEntry(position: Int64($0) + 1, entry: $1) }
        for access in [log.first, log.second] {
            for after in 0...entries.count {
                for limit in [1, 2, 10, .max] {
                    let found = try await access.entries(after: Int64(after), limit: limit)
                    let wanted = logged.dropFirst(after)
                    try log.require(
                        found.count <= limit && found == Array(wanted.prefix(found.count))
                            && found.isEmpty == wanted.isEmpty,
                        "\(limit) entries after \(after) are \(found.map(\.position)), or others than were appended")
                }
            }
        }
    }

    func checkContention(_ log: TestedLog) async throws {
        for round in 0..<5 as Range<Int64> {
            let results = try await withThrowingTaskGroup(of: SyncAppendResult.self) { group in
                for number in 0..<12 {
                    let access = number % 2 == 0 ? log.first : log.second
                    group.addTask { try await access.append(.made(UUID(), 1, Data("\(number)".utf8)), after: round) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let successes = results.filter { $0 == .appended(position: round + 1) }
            try log.require(successes.count == 1, "of twelve after \(round) \(successes.count) succeeded")
            for case .moved(let head, _) in results {
                try log.require(head == round + 1, "a late append got the head \(head)")
            }
        }
        let head = try await log.second.head()
        try log.require(head == 5, "the head is \(head) after five appends")
    }

    func checkRepetition(_ log: TestedLog) async throws {
        let (first, second) = (UUID(), UUID())
        try await log.append(.made(first, 1), after: 0, by: log.first)
        try await log.append(.made(second, 1), after: 1, by: log.second)
        for (access, head) in [(log.first, 0), (log.second, 0), (log.second, 2), (log.first, 9)]
            as [(any SyncLog, Int64)]
        {
            let result = try await access.append(.made(first, 1), after: head)
            try log.require(result == .appended(position: 1), "the first entry again, after \(head), gave \(result)")
        }
        // The same count of another site, and another of the same, are other entries.
        try await log.append(.made(UUID(), 1), after: 2, by: log.first)
        try await log.append(.made(first, 2), after: 3, by: log.second)
        // Sent several times at once, like the retries of an impatient client.
        let results = try await withThrowingTaskGroup(of: SyncAppendResult.self) { group in
            for access in [log.first, log.second, log.first, log.second] {
                group.addTask { try await access.append(.made(second, 2), after: 4) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try log.require(
            results.allSatisfy { $0 == .appended(position: 5) }, "one entry four times at once gave \(results)")
        let head = try await log.first.head()
        try log.require(head == 5, "the head is \(head) after five entries")
    }

    func checkCounts(_ log: TestedLog) async throws {
        let site = UUID()
        for count in 1...2 as ClosedRange<Int64> {
            try await log.append(.made(site, count), after: count - 1, by: log.first)
        }
        for access in [log.first, log.second] {
            for head in [0, 1, 2] as [Int64] {
                var other = SyncEntry.made(site, 2, Data("other".utf8))
                other.id = UUID()
                try await log.requireRefusal("a second entry of the same count", with: .countTaken(2)) {
                    _ = try await access.append(other, after: head)
                }
                // One of an earlier version of Ashlar, which has no identity.
                other.id = nil
                let result = try await access.append(other, after: head)
                try log.require(result == .appended(position: 2), "an entry without an identity gave \(result)")
            }
        }
        let head = try await log.second.head()
        try log.require(head == 2, "the head is \(head) after two entries")
    }

    func checkPrevious(_ log: TestedLog) async throws {
        let site = UUID()
        var before: UUID?
        for count in 1...3 as ClosedRange<Int64> {
            var entry = SyncEntry.made(site, count)
            entry.previous = before
            before = entry.id
            try await log.append(entry, after: count - 1, by: count == 2 ? log.second : log.first)
        }
        for access in [log.first, log.second] {
            var entry = SyncEntry.made(UUID(), 1)
            entry.previous = UUID()
            try await log.requireRefusal("an entry after another one than the newest", with: .otherEntry(position: 3)) {
                _ = try await access.append(entry, after: 3)
            }
            for position in [1, 3] as [Int64] {
                let standing = try await access.standing(of: site, at: position)
                let wanted = SyncStanding(head: 3, entry: SyncEntry.made(site, position).id, count: 3)
                try log.require(standing == wanted, "the standing at \(position) is \(standing)")
            }
            for position in [0, 4] as [Int64] {
                let standing = try await access.standing(of: UUID(), at: position)
                let wanted = SyncStanding(head: 3, entry: nil, count: 0)
                try log.require(standing == wanted, "the standing of an unknown site at \(position) is \(standing)")
            }
        }
    }

    func checkPositions(_ log: TestedLog) async throws {
        let entry = SyncEntry.made(UUID(), 1)
        try await log.append(entry, after: 0, by: log.first)
        let known = [LoggedSyncEntry(position: 1, entry: entry)]
        for position in [0, 2, 1000, .max] as [Int64] {
            try await log.appendLate(.made(UUID(), 1), after: position, known: known, by: log.second)
        }
        let head = try await log.first.head()
        try log.require(head == 1, "the head is \(head) after one entry")
        let entries = try await log.first.entries(after: 1000, limit: 10)
        try log.require(entries.isEmpty, "there are entries after 1000")
    }

    func checkWaiting(_ log: TestedLog) async throws {
        try await log.append(.made(UUID(), 1), after: 0, by: log.first)
        let now = try await log.second.waitForEntries(after: 0, atMost: .seconds(50))
        try log.require(now == 1, "a wait for an existing entry gave \(now)")
        let none = try await log.second.waitForEntries(after: 1, atMost: .milliseconds(20))
        try log.require(none == 1, "a wait in vain gave \(none)")
        for round in 1...3 as ClosedRange<Int64> {
            let start = ContinuousClock.now
            async let waited = log.second.waitForEntries(after: round, atMost: .seconds(50))
            try await Task.sleep(for: .milliseconds(30))
            try await log.append(.made(UUID(), 1), after: round, by: log.first)
            let head = try await waited
            try log.require(head == round + 1, "a wait gave \(head) and not \(round + 1)")
            // Very late is not woken at all, but come to its end.
            try log.require(ContinuousClock.now - start < .seconds(40), "a wait was not woken by an append")
        }
    }

    func checkCancellation(_ log: TestedLog) async throws {
        let start = ContinuousClock.now
        let task = Task { try? await log.first.waitForEntries(after: 0, atMost: .seconds(50)) }
        try await Task.sleep(for: .milliseconds(30))
        task.cancel()
        _ = await task.value
        try log.require(ContinuousClock.now - start < .seconds(40), "a wait went on after its task was cancelled")
        let head = try await log.first.head()
        try log.require(head == 0, "the log does not answer any more as it should: its head is \(head)")
    }

    func checkNumbers(_ log: TestedLog) async throws {
        let site = UUID()
        let ranges = try await withThrowingTaskGroup(of: ClosedRange<Int64>.self) { group in
            for number in 0..<16 {
                let access = number % 2 == 0 ? log.first : log.second
                group.addTask { try await access.leaseIdentifiers(site: site, count: Int64(number % 5) * 1000 + 1) }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.lowerBound < $1.lowerBound }
        }
        for range in ranges {
            try log.require(
                range.lowerBound >= SyncIdentifiers.firstLeased && range.upperBound < SyncIdentifiers.firstProvisional,
                "it gave the numbers \(range)")
        }
        let counts = ranges.map(\.count).sorted()
        let wanted = (0..<16).map { $0 % 5 * 1000 + 1 }.sorted()
        try log.require(counts == wanted, "of wishes for \(wanted) came \(counts) numbers")
        for (left, right) in zip(ranges, ranges.dropFirst()) {
            try log.require(left.upperBound < right.lowerBound, "\(left) and \(right) have numbers in common")
        }
        for count in [0, -1, .min, .max, SyncIdentifiers.greatestLeaseCount + 1] as [Int64] {
            try await log.requireRefusal("\(count) numbers") {
                _ = try await log.first.leaseIdentifiers(site: site, count: count)
            }
        }
        let next = try await log.second.leaseIdentifiers(site: site, count: 1)
        try log.require(
            ranges.allSatisfy { !$0.overlaps(next) }, "after wishes that were refused it gave \(next) once more")
    }

    /// Appends at random through two accesses, which do not always have the log's newest state.
    func checkAtRandom(_ log: TestedLog, _ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var known: [LoggedSyncEntry] = []
        let sites = [UUID(), UUID(), UUID()]
        var counts: [Int64] = [0, 0, 0]
        for step in 0..<randomAppendCount {
            let number = Int.random(in: 0..<sites.count, using: &generator)
            let access = Bool.random(using: &generator) ? log.first : log.second
            let head = Int64(known.count)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                let position = Int64.random(in: 0...(head + 2), using: &generator)
                if position == head { continue }
                try await log.appendLate(
                    .made(sites[number], counts[number] + 1), after: position, known: known, by: access)
            case 1 where !known.isEmpty:
                let old = known[Int.random(in: 0..<known.count, using: &generator)]
                let result = try await access.append(old.entry, after: Int64.random(in: 0...head, using: &generator))
                try log.require(
                    result == .appended(position: old.position),
                    "step \(step), seed \(seed): the entry \(old.position) again gave \(result)")
            default:
                counts[number] += 1
                let size = Int.random(in: 0...200, using: &generator)
                let entry = SyncEntry.made(
                    sites[number], counts[number], Data(repeating: UInt8(step % 256), count: size))
                try await log.append(entry, after: head, by: access)
                known.append(LoggedSyncEntry(position: head + 1, entry: entry))
            }
        }
        var found: [LoggedSyncEntry] = []
        while true {
            let limit = Int.random(in: 1...20, using: &generator)
            let next = try await log.second.entries(after: Int64(found.count), limit: limit)
            if next.isEmpty { break }
            found += next
            if found.count > known.count { break }
        }
        try log.require(found == known, "seed \(seed): \(known.count) entries were appended, and others are there")
    }
}
