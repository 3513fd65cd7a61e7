import AshlarSQLite
import AshlarSync
import CFaultInjection
import Foundation
import RandomNumbers
import Testing

@testable import Ashlar

/// The disk of a store, or of a log, fails at one operation after the other. Afterwards all saved objects are there,
/// no entry is partial, and the store goes on when the disk does.
@Suite(.serialized) struct SyncFaultTests {
    /// The side whose disk fails.
    enum Side: String, CaseIterable { case store, log }

    init() { #expect(fault_install() == SQLITE_OK) }

    @Test("a full or broken disk on either side leaves nothing by halves", arguments: Side.allCases, [true, false])
    func disks(side: Side, isFull: Bool) async throws {
        let code = isFull ? SQLITE_FULL : SQLITE_IOERR | 3 << 8
        var number = 1
        while true {
            let count = try await fail(at: number, side, code, isLasting: number % 2 == 0)
            if count < number { break }
            // The first operations open and lock; later ones are similar.
            number += number < 5 ? 1 : max(1, 12 / TestEffort.factor)
        }
        #expect(number > 5)
    }

    /// - Returns: The number of operations.
    private func fail(at number: Int, _ side: Side, _ code: Int32, isLasting: Bool) async throws -> Int {
        let folder = try TemporaryFolder()
        let comment: Testing.Comment = "operation \(number) of the \(side.rawValue)"
        let log = try StoreLog(at: folder.file("log"))
        let (writer, reader) = (try store("writer", folder, log), try store("store", folder, log))
        for peer in [writer, reader] { try await peer.sync.synchronize() }
        try save(writer.container) { context in
            for number in 0..<20 { context.insert(Port(name: "port \(number)")) }
            context.insert(Vessel(name: "Argo", tonnage: 5))
        }
        try await writer.sync.synchronize()
        try save(reader.container) { context in
            context.insert(Port(name: "mine"))
            context.insert(Vessel(name: "Argo", tonnage: 7))
        }
        fault_arm(folder.file(side.rawValue).path, Int32(number), code, FAULT_FAIL, isLasting ? 1 : 0)
        var seen = 0
        do {
            defer { seen = Int(fault_disarm()) }
            do {
                try await reader.sync.synchronize()
                try await reader.sync.makeSnapshot()
            } catch {
                #expect(error is StoreError || error is SyncLogError, "\(comment): \(error)")
            }
        }
        // The reader's own saves are there, whether the writer's are or not.
        let vessel = try #require(try ModelContext(reader.container).fetch(Vessel.all).first)
        #expect(vessel.tonnage == 7 || vessel.tonnage == 12, comment)
        #expect(try ModelContext(reader.container).fetchCount(Port.where { $0.name == "mine" }) == 1, comment)
        try reader.container.expectSound(comment)
        for peer in [reader, writer, reader] { try await peer.sync.synchronize() }
        let late = try store("late", folder, log)
        try await late.sync.synchronize()
        let expected = try StoredRows(writer.container)
        for peer in [reader, late] {
            let difference = try StoredRows(peer.container).difference(from: expected)
            #expect(difference == nil, comment)
            try peer.container.expectSound(comment)
        }
        #expect(try ModelContext(late.container).fetch(Vessel.all).map(\.tonnage) == [12], comment)
        #expect(try ModelContext(late.container).fetchCount(Port.all) == 21, comment)
        return seen
    }

    private func save(_ container: ModelContainer, _ body: (ModelContext) -> Void) throws {
        let context = ModelContext(container)
        body(context)
        try context.save()
    }

    private func store(
        _ name: String, _ folder: TemporaryFolder, _ log: StoreLog
    ) throws -> (container: ModelContainer, sync: StoreSync) {
        let container = try ModelContainer(
            for: HarborModel.self,
            configurations: ModelConfiguration(
                url: folder.file("\(name).store"), options: StoreOptions(historyTracking: true)))
        return (container, try StoreSync(container, with: log))
    }
}
