import Ashlar
import AshlarSync
import Foundation
import Testing

/// A log that has objects of another model.
@Suite struct OtherModelTests {
    @Test("A store is refused by a log of another model, and goes on working") func otherModel() async throws {
        let crew = try Crew()
        let peer = try crew.peer("first")
        try peer.change { $0.insert(Counter(name: "meter")) }
        try await peer.sync.synchronize()
        let configuration = ModelConfiguration(
            url: crew.url("quarry"), options: StoreOptions(historyTracking: true))
        let container = try ModelContainer(for: QuarryModel.self, configurations: configuration)
        let sync = try StoreSync(container, with: StoreLog(at: crew.logURL))
        for _ in 0..<2 {
            await #expect(
                performing: { try await sync.synchronize() },
                throws: { if case SyncError.otherModel = $0 { true } else { false } })
        }
        // `run()` ends, as no retry can succeed.
        await #expect(throws: SyncError.self) { try await sync.run() }
        let context = ModelContext(container)
        context.insert(Stone(weight: 2))
        try context.save()
        #expect(try await StoreLog(at: crew.logURL).head() == 1)
    }
}
