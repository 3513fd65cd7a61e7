import Ashlar
import AshlarSync
import Foundation
import SyncLogs
import Synchronization
import Testing

/// Stores that were put back to an older state.
@Suite struct BackupTests {
    let crew: Crew
    init() throws { crew = try Crew() }

    /// The bytes of a store's file, which no program has open.
    private func bytes(of name: String) throws -> Data { try Data(contentsOf: crew.url(name)) }

    /// Overwrites a store's file in place, so that the file system keeps its number.
    private func overwrite(_ name: String, with bytes: Data) throws {
        for suffix in ["-wal", "-shm"] {
            let other = URL(fileURLWithPath: crew.url(name).path + suffix)
            if FileManager.default.fileExists(atPath: other.path) { try FileManager.default.removeItem(at: other) }
        }
        let handle = try FileHandle(forWritingTo: crew.url(name))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    /// Opens a store, runs a closure, and closes the store.
    private func session(_ name: String, log: (any SyncLog)? = nil, _ body: (Peer) async throws -> Void) async throws {
        let peer = try crew.peer(name, log: log)
        try await body(peer)
    }

    private func requireEqual(_ names: String..., expected: [String]? = nil) async throws {
        let peers = try names.map { try crew.peer($0) }
        for _ in 0..<2 { for peer in peers { try await peer.sync.synchronize() } }
        let texts = try peers.map { try $0.texts() }
        for (peer, text) in zip(peers, texts) {
            #expect(text == expected ?? texts[0], "\(peer.name)")
            #expect(try peer.container.integrityProblems() == [])
            #expect(await peer.sync.status.pendingCount == 0)
        }
    }

    @Test("A store's file that is overwritten with a backup loses nothing") func overwrittenStore() async throws {
        try await session("a") {
            try $0.change { $0.insert(Counter(name: "old", total: 1)) }
            try await $0.sync.synchronize()
        }
        let backup = try bytes(of: "a")
        try await session("a") {
            try $0.change { $0.insert(Counter(name: "after the backup", total: 2)) }
            try await $0.sync.synchronize()
        }
        try overwrite("a", with: backup)
        try await session("a") { try $0.change { $0.insert(Counter(name: "after the restoration", total: 3)) } }
        try await requireEqual(
            "a", "b",
            expected: ["counter after the backup 2 -", "counter after the restoration 3 -", "counter old 1 -"])
    }

    @Test("A restored store loses nothing if the log was compacted meanwhile") func compactedLog() async throws {
        try await session("a") {
            try $0.change { $0.insert(Counter(name: "old", total: 1)) }
            try await $0.sync.synchronize()
        }
        let backup = try bytes(of: "a")
        try await session("a") {
            try $0.change { $0.insert(Counter(name: "after the backup", total: 2)) }
            try await $0.sync.synchronize()
            try await $0.sync.makeSnapshot()
        }
        try overwrite("a", with: backup)
        try await session("a") { try $0.change { $0.insert(Counter(name: "after the restoration", total: 3)) } }
        try await requireEqual(
            "a", "b",
            expected: ["counter after the backup 2 -", "counter after the restoration 3 -", "counter old 1 -"])
    }

    /// A log that cannot be reached. Unchecked like its superclass; it has no state.
    private final class AbsentLog: ForwardingLog, @unchecked Sendable {
        override func call<Result>(_ body: () async throws -> Result) async throws -> Result {
            throw SyncLogError.unreachable(reason: "there is no network")
        }
    }

    /// A log whose answers to appends are lost. Unchecked like its superclass; it has no state.
    private final class DeafLog: ForwardingLog, @unchecked Sendable {
        override func append(_ entry: SyncEntry, after head: Int64) async throws -> SyncAppendResult {
            _ = try await log.append(entry, after: head)
            throw SyncLogError.unreachable(reason: "the answer was lost")
        }
    }

    @Test("A backup that was made with an entry on its way goes on", arguments: [false, true], [false, true])
    func entryOnItsWay(_ isCopied: Bool, _ isCompacted: Bool) async throws {
        try await session("a") {
            try $0.change { $0.insert(Counter(name: "meter", total: 10)) }
            try await $0.sync.synchronize()
        }
        // The log receives the entry, and the store does not receive the answer.
        try await session("a", log: DeafLog(try StoreLog(at: crew.logURL))) { peer in
            try peer.change {
                try $0.fetch(Counter.all).first?.total += 5
                $0.insert(Counter(name: "on its way", total: 1))
            }
            await #expect(throws: SyncLogError.self) { try await peer.sync.synchronize() }
        }
        let backup = try bytes(of: "a")
        // The other stores go on, and so does this one.
        try await session("b") {
            try await $0.sync.synchronize()
            try $0.change { try $0.fetch(Counter.where { $0.name == "meter" }).first?.total += 100 }
            try await $0.sync.synchronize()
        }
        try await session("a") {
            try await $0.sync.synchronize()
            try $0.change { try $0.fetch(Counter.where { $0.name == "meter" }).first?.total += 1000 }
            try await $0.sync.synchronize()
            if isCompacted { try await $0.sync.makeSnapshot() }
        }
        if isCopied {
            try FileManager.default.removeItem(at: crew.url("a"))
            try backup.write(to: crew.folder.appendingPathComponent("copy"))
            try FileManager.default.moveItem(at: crew.folder.appendingPathComponent("copy"), to: crew.url("a"))
        } else {
            try overwrite("a", with: backup)
        }
        try await session("a") {
            try $0.change { try $0.fetch(Counter.where { $0.name == "meter" }).first?.total += 10_000 }
        }
        try await requireEqual("a", "b", expected: ["counter meter 11115 -", "counter on its way 1 -"])
    }

    @Test("Changes that a copy shares with the original are counted once", arguments: [false, true])
    func sharedChanges(_ isSent: Bool) async throws {
        try await session("a") {
            try $0.change { $0.insert(Counter(name: "meter", total: 10)) }
            try await $0.sync.synchronize()
        }
        try await session("a") {
            try $0.change {
                try $0.fetch(Counter.all).first?.total += 5
                $0.insert(Counter(name: "unsent", total: 1))
            }
        }
        try FileManager.default.copyItem(at: crew.url("a"), to: crew.url("copy"))
        try await session("b") {
            try await $0.sync.synchronize()
            try $0.change { try $0.fetch(Counter.all).first?.total += 100 }
            try await $0.sync.synchronize()
        }
        if isSent { try await session("a") { try await $0.sync.synchronize() } }
        try await session("copy") {
            try $0.change { try $0.fetch(Counter.where { $0.name == "meter" }).first?.total += 1000 }
        }
        if !isSent { try FileManager.default.removeItem(at: crew.url("a")) }
        try await requireEqual("copy", "b", expected: ["counter meter 1115 -", "counter unsent 1 -"])
        if isSent { try await requireEqual("a", "copy", "b") }
    }

    @Test("Unsent changes of a backup that is put back twice are counted once") func twice() async throws {
        try await session("a") {
            try $0.change { $0.insert(Counter(name: "meter", total: 10)) }
            try await $0.sync.synchronize()
        }
        try await session("a") { try $0.change { try $0.fetch(Counter.all).first?.total += 5 } }
        let backup = try bytes(of: "a")
        try await session("b") { try await $0.sync.synchronize() }
        for gain in [100, 1000] as [Int64] {
            // The old file stays, so that the file system does not give its number to a copy.
            try FileManager.default.moveItem(
                at: crew.url("a"), to: crew.folder.appendingPathComponent("before \(gain)"))
            try backup.write(to: crew.url("a"))
            try await session("a") {
                try $0.change { try $0.fetch(Counter.all).first?.total += gain }
                try await $0.sync.synchronize()
            }
        }
        try await requireEqual("a", "b", expected: ["counter meter 1115 -"])
    }

    @Test("Two living stores of one identity become two sites") func twins() async throws {
        try await session("a") {
            try $0.change { $0.insert(Counter(name: "old", total: 1)) }
            try await $0.sync.synchronize()
        }
        let backup = try bytes(of: "a")
        try await session("a") {
            try $0.change { $0.insert(Counter(name: "first twin", total: 2)) }
            try await $0.sync.synchronize()
        }
        let later = try bytes(of: "a")
        try overwrite("a", with: backup)
        try await session("a") {
            try $0.change { $0.insert(Counter(name: "second twin", total: 3)) }
            try await $0.sync.synchronize()
        }
        // The first twin goes on as before.
        try overwrite("a", with: later)
        try await session("a") {
            try $0.change { $0.insert(Counter(name: "first twin again", total: 4)) }
            try await $0.sync.synchronize()
        }
        try await requireEqual(
            "a", "b",
            expected: [
                "counter first twin 2 -", "counter first twin again 4 -", "counter old 1 -", "counter second twin 3 -",
            ])
    }
}
