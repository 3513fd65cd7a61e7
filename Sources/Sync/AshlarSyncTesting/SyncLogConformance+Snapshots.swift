import AshlarSync
import Digests
import Foundation

extension SyncLogConformance {
    func checkBeginning(_ log: TestedLog) async throws {
        let files = try TestedFiles(snapshotByteCount)
        defer { files.remove() }
        let first = files.snapshot(at: 0)
        try await log.first.add(first, from: files.file)
        // Sent again, like the retry of a client that got no answer.
        try await log.second.add(first, from: files.file)
        for access in [log.first, log.second] {
            try await log.requireRefusal("a second beginning", with: .alreadyBegun) {
                try await access.add(files.snapshot(at: 0), from: files.file)
            }
            let snapshots = try await access.snapshots()
            try log.require(snapshots == [first], "its snapshots are \(snapshots)")
        }
        let head = try await log.first.head()
        try log.require(head == 0, "the head is \(head) after a beginning")
    }

    func checkBeginners(_ log: TestedLog) async throws {
        let files = try TestedFiles(10_000)
        defer { files.remove() }
        let successes = try await withThrowingTaskGroup(of: SyncSnapshot?.self) { group in
            for access in [log.first, log.second, log.first, log.second] {
                let snapshot = files.snapshot(at: 0)
                group.addTask {
                    do {
                        try await access.add(snapshot, from: files.file)
                        return snapshot
                    } catch SyncLogError.alreadyBegun {
                        return nil
                    }
                }
            }
            return try await group.reduce(into: [SyncSnapshot]()) { if let snapshot = $1 { $0.append(snapshot) } }
        }
        try log.require(successes.count == 1, "of four stores that began it \(successes.count) succeeded")
        let snapshots = try await log.second.snapshots()
        try log.require(snapshots == successes, "its snapshots are not that of the store that began it: \(snapshots)")
    }

    func checkSnapshots(_ log: TestedLog) async throws {
        let files = try TestedFiles(snapshotByteCount)
        defer { files.remove() }
        for position in 0..<3 as Range<Int64> {
            try await log.append(.made(UUID(), 1), after: position, by: log.first)
        }
        try await log.requireRefusal("a beginning of a log with entries", with: .alreadyBegun) {
            try await log.first.add(files.snapshot(at: 0), from: files.file)
        }
        let snapshots = [files.snapshot(at: 1), files.snapshot(at: 3)]
        for snapshot in snapshots { try await log.first.add(snapshot, from: files.file) }
        let found = try await log.second.snapshots()
        try log.require(found == snapshots, "of snapshots at 1 and 3 it has \(found)")
        for snapshot in snapshots {
            let copy = files.copy()
            try await log.second.read(snapshot, to: copy)
            let isSame = try Data(contentsOf: copy) == Data(contentsOf: files.file)
            try log.require(isSame, "the snapshot at \(snapshot.position) came back with other bytes")
        }
        for position in [4, -1, .max] as [Int64] {
            try await log.requireRefusal("a snapshot at \(position) of a log with three entries") {
                try await log.first.add(files.snapshot(at: position), from: files.file)
            }
        }
        var other = files.snapshot(at: 3)
        other.rows = String(repeating: "1", count: 64)
        try await log.requireRefusal("a second snapshot at 3 with other rows") {
            try await log.first.add(other, from: files.file)
        }
        (other.rows, other.byteCount) = (nil, other.byteCount + 1)
        try await log.requireRefusal("a snapshot with fewer bytes than it says") {
            try await log.first.add(other, from: files.file)
        }
        try await log.requireRefusal("to read a snapshot that was not added", Self.isMissing) {
            try await log.first.read(files.snapshot(at: 2), to: files.copy())
        }
    }

    func checkProposals(_ log: TestedLog) async throws {
        let files = try TestedFiles(100_000)
        defer { files.remove() }
        try await log.append(.made(UUID(), 1), after: 0, by: log.first)
        try await log.requireRefusal("an entry that names a snapshot that was not added", Self.isMissing) {
            _ = try await log.first.append(.made(UUID(), 1, snapshot: UUID()), after: 1)
        }
        let (proposed, other) = (files.snapshot(at: 2, isProposed: true), files.snapshot(at: 2, isProposed: true))
        for snapshot in [proposed, other] { try await log.first.add(snapshot, from: files.file) }
        let before = try await log.second.snapshots()
        try log.require(before.isEmpty, "a proposed snapshot counts before its entry")
        let head = try await log.second.head()
        try log.require(head == 1, "the head is \(head) after an entry that was refused")
        let entry = SyncEntry.made(UUID(), 1, snapshot: proposed.id)
        try await log.append(entry, after: 1, by: log.second)
        let result = try await log.first.append(entry, after: 1)
        try log.require(result == .appended(position: 2), "its entry again gave \(result)")
        var counted = proposed
        counted.isProposed = false
        let after = try await log.first.snapshots()
        try log.require(after == [counted], "after its entry there are the snapshots \(after)")
        // The other one was for a position that is taken.
        try await log.requireRefusal("an entry that names a snapshot of another position", Self.isMissing) {
            _ = try await log.first.append(.made(UUID(), 1, snapshot: other.id), after: 2)
        }
    }

    func checkCompaction(_ log: TestedLog) async throws {
        let files = try TestedFiles(50_000)
        defer { files.remove() }
        var entries: [SyncEntry] = []
        for position in 0..<6 as Range<Int64> {
            entries.append(.made(UUID(), 1, Data("\(position)".utf8)))
            try await log.append(entries[Int(position)], after: position, by: log.first)
        }
        try await log.first.compact(through: 6)
        let all = try await log.second.entries(after: 0, limit: 10)
        try log.require(all.count == 6, "entries went that no snapshot has")
        let snapshots = [files.snapshot(at: 2), files.snapshot(at: 4), files.snapshot(at: 5)]
        for snapshot in snapshots { try await log.first.add(snapshot, from: files.file) }
        try await log.first.compact(through: 4)
        for access in [log.first, log.second] {
            for position in 0..<4 as Range<Int64> {
                try await log.requireRefusal("a read of the entries after \(position)", with: .compacted(oldest: 5)) {
                    _ = try await access.entries(after: position, limit: 10)
                }
            }
            let rest = try await access.entries(after: 4, limit: 10)
            try log.require(rest.map(\.position) == [5, 6], "after 4 there are \(rest.map(\.position))")
            let kept = try await access.snapshots()
            try log.require(kept == Array(snapshots.dropFirst()), "the snapshots at \(kept.map(\.position)) are kept")
            let result = try await access.append(entries[1], after: 6)
            try log.require(result == .appended(position: 2), "an entry that went, appended again, gave \(result)")
        }
        guard case .moved(6, _) = try await log.first.append(.made(UUID(), 1), after: 2) else {
            return try log.require(false, "an append after an entry that went did not come too late")
        }
        try await log.append(.made(UUID(), 1), after: 6, by: log.second)
        // To a position before that, nothing is left to do.
        try await log.second.compact(through: 1)
        let rest = try await log.first.entries(after: 4, limit: 10)
        try log.require(rest.map(\.position) == [5, 6, 7], "after 4 there are \(rest.map(\.position))")
    }

    func checkValues(_ log: TestedLog) async throws {
        for (head, count) in [0, 1, 70_000, 2_000_000].enumerated() {
            let value = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) })
            let hash = SHA256.hexadecimal(of: value)
            try await log.requireRefusal("a value that was not added", Self.isMissing) {
                _ = try await log.second.value(hash: hash)
            }
            let entry = SyncEntry.made(UUID(), 1, largeValues: [hash])
            try await log.requireRefusal("an entry that lists an unknown value", Self.isMissing) {
                _ = try await log.first.append(entry, after: Int64(head))
            }
            for access in [log.first, log.first, log.second] { try await access.add(value, hash: hash) }
            try await log.append(entry, after: Int64(head), by: log.first)
            for access in [log.first, log.second] {
                let isSame = try await access.value(hash: hash) == value
                try log.require(isSame, "a value of \(count) bytes came back with others")
            }
        }
    }

    private static func isMissing(_ error: SyncLogError) -> Bool {
        if case .missing = error { true } else { false }
    }
}

/// A folder with the bytes of a snapshot.
private struct TestedFiles {
    private let folder: URL
    let file: URL
    private let hash: String
    private let byteCount: Int

    init(_ byteCount: Int) throws {
        self.byteCount = byteCount
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        file = folder.appendingPathComponent("snapshot")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let bytes = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 4) })
        try bytes.write(to: file)
        hash = SHA256.hexadecimal(of: bytes)
    }

    func snapshot(at position: Int64, isProposed: Bool = false) -> SyncSnapshot {
        SyncSnapshot(
            id: UUID(), position: position, modelHash: "hash", hash: hash, byteCount: Int64(byteCount),
            isProposed: isProposed, rows: String(repeating: "0", count: 64))
    }

    /// The path of a file that does not exist.
    func copy() -> URL { folder.appendingPathComponent(UUID().uuidString) }

    /// Removes the folder. A failure is ignored, because it does not concern the log.
    func remove() { try? FileManager.default.removeItem(at: folder) }
}
