import Ashlar
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

/// Actors that change one graph at the same time, on threads of their own, with saves, rollbacks and batches.
@Suite struct GraphActorOracleTests {
    @Test(arguments: seeds(4)) func actorsLeaveASoundStore(_ seed: Seed) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = try ModelContainer(
            for: YardModel.self,
            configurations: ModelConfiguration(
                url: folder.appending(path: "yard.store"), options: StoreOptions(historyTracking: true)))
        var history = try YardHistory(container)
        let first = ModelContext(container)
        for key in 1...YardWorker.kept { first.insert(Keeper(key: key, points: 39)) }
        try first.save()
        let workers = (0..<4).map { _ in YardWorker(modelContainer: container) }
        let tally = try await withThrowingTaskGroup(of: Int64.self) { group in
            for (number, worker) in workers.enumerated() {
                group.addTask { try await worker.work(seed.number &* 4 &+ UInt64(number), share: Int64(number)) }
            }
            return try await group.reduce(0, +)
        }
        let stored = try YardReading(ModelContext(container))
        #expect(stored.problems.isEmpty)
        let wrong = try history.failure(stored)
        #expect(wrong == nil)
        #expect(try container.integrityProblems().isEmpty)
        let tallies = try ModelContext(container).fetchValues(Keeper.where { $0.key <= YardWorker.kept }).map(\.tally)
        #expect(tallies.count == Int(YardWorker.kept) && tallies.reduce(0, +) == tally)
        for worker in workers {
            let held = try await worker.reading
            #expect(held.yard.difference(from: stored.yard) == nil && held.problems.isEmpty)
        }
    }
}

private actor YardWorker: ModelActor {
    /// The keepers that are never deleted, whose tallies add up.
    static let kept: Int64 = 3

    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor

    init(modelContainer: ModelContainer) {
        self.modelContainer = modelContainer
        modelExecutor = DefaultSerialModelExecutor(modelContainer: modelContainer)
    }

    var reading: (yard: Yard, problems: [String]) {
        get throws {
            modelContext.processPendingChanges()
            let reading = try YardReading(modelContext)
            return (reading.yard, reading.problems)
        }
    }

    /// Changes the graph, and returns how much the saved changes added to the tallies.
    func work(_ seed: UInt64, share: Int64) throws -> Int64 {
        var random = SeededGenerator(seed: seed)
        modelContext.automaticallyMergesChangesFromParent = true
        var (saved, pending) = (Int64(0), Int64(0))
        for step in 0..<60 {
            let newKey = 100 + Int64(step) * 4 + share
            modelContext.mergePolicy = (Policy.allCases.randomElement(using: &random) ?? .error).policy
            let yard = try YardReading(modelContext).yard
            switch random.number(0..<12) {
            case 0, 1:
                do {
                    try modelContext.save()
                    saved += pending
                } catch is SaveError {
                    modelContext.rollback()
                }
                pending = 0
            case 2:
                try modelContext.keeper(1 + Int64(random.number(0..<Int(Self.kept)))).tally += 1
                pending += 1
            case 3: try modelContext.batchUpdate(Keeper.where { $0.points < 20 }) { $0.points += 1 }
            case 4:
                let kind = Yard.Kind.allCases.randomElement(using: &random) ?? .keeper
                do { try modelContext.batchDelete(kind, below: 4) } catch is BatchError {}
            case 5: try modelContext.batchInsert(contentsOf: [Keeper.Values(key: newKey, points: 5)])
            default:
                let edit = YardEdit.any(&random, yard, newKey: newKey)
                if case .delete(let kind, let key) = edit, yard.denies(kind, key) || key <= Self.kept { continue }
                if case .setPoints(.keeper, let key, _) = edit, key <= Self.kept { continue }
                // Another actor may have deleted an object since the actor read the yard.
                do {
                    try modelContext.perform(edit)
                    _ = try modelContext.fetchCount(Keeper.all)
                } catch is YardError {
                } catch ContextError.deletedObject {}
            }
        }
        do { try modelContext.save() } catch is SaveError {
            modelContext.rollback()
            return saved
        }
        return saved + pending
    }
}
