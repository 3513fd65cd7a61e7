import Ashlar
import Foundation
import Testing
import ThreadTraits

/// Several tasks and processes that save new objects with the same unique values, under a merge policy.
@Suite struct UpsertRaceTests {
    private static let numbers: Int64 = 3

    /// Saves accounts whose numbers others save too, each in a context of its own.
    private static func upsert(_ rounds: Int, _ container: ModelContainer) throws {
        for round in 0..<rounds {
            let context = ModelContext(container)
            context.mergePolicy = .mergeByPropertyObjectTrump
            for number in 0..<numbers {
                context.insert(Account(balance: Int64(round), holder: "h\(round)", moves: 1, number: number))
            }
            try context.save()
        }
    }

    private static func expectOneRowForEachNumber(_ container: ModelContainer) throws {
        let rows = try ModelContext(container).fetchValues(Account.order { $0.number.ascending })
        #expect(rows.map(\.number) == Array(0..<numbers))
        #expect(try container.integrityProblems().isEmpty)
    }

    @Test(arguments: [false, true]) func tasks(_ isInMemory: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for round in 0..<8 {
            let container = try ModelContainer(
                for: BankModel.self,
                configurations: isInMemory
                    ? ModelConfiguration(isStoredInMemoryOnly: true)
                    : ModelConfiguration(url: folder.appending(path: "\(round).store")))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { try Self.upsert(6, container) } }
                try await group.waitForAll()
            }
            try Self.expectOneRowForEachNumber(container)
        }
    }

    @Test(.ownThreads) func processes() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "race.store").path
        // The store is made before, so that the processes only compete for rows.
        let container = try ModelContainer(for: BankModel.self, at: URL(filePath: path))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String] in
                        let container = try ModelContainer(for: BankModel.self, at: URL(filePath: path))
                        try Self.upsert(20, container)
                    }
                }
            }
        }
        try Self.expectOneRowForEachNumber(container)
    }
}
