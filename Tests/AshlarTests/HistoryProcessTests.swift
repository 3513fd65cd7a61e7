import AshlarSQLite
import CFaultInjection
import Foundation
import RandomNumbers
import RandomSeeds
import Testing
import ThreadTraits

@testable import Ashlar

#if os(Linux) || os(macOS)
    /// The history is written in the same transaction as the rows, whatever interrupts it and whichever process writes.
    @Suite(.serialized, .ownThreads) struct HistoryProcessTests {
        let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        func makeStore() throws -> PersistentHistoryToken {
            let configuration = ModelConfiguration(url: folder.file(), options: StoreOptions(historyTracking: true))
            let container = try ModelContainer(for: TortureModel.self, configurations: configuration)
            let context = ModelContext(container)
            for index in 0..<8 { context.insert(Label(name: "old \(index)")) }
            try context.save()
            return try container.currentHistoryToken()
        }

        /// Expects the save of ``ProcessTests/change(_:)`` in the history if and only if the rows contain it.
        func expectWhole(
            after token: PersistentHistoryToken, _ comment: Testing.Comment
        ) throws {
            let container = try ModelContainer(for: TortureModel.self, at: folder.file())
            let isThere = try ModelContext(container).fetchCount(Label.all) != 8
            let counts = try container.fetchHistory(.fetchHistory(after: token)).map { transaction in
                PersistentHistoryChange.ChangeType.allCases.map { type in
                    transaction.changes.count { $0.changeType == type }
                }
            }
            #expect(counts == (isThere ? [[50, 3, 2]] : []), comment)
            try container.expectSound(comment)
        }

        @Test(arguments: seeds(1)) func killedAtAnyStatement(_ seed: Seed) async throws {
            var generator = SeededGenerator(seed: seed)
            for number in (1...20).shuffled(using: &generator).prefix(4) {
                let test = try HistoryProcessTests()
                let token = try test.makeStore()
                let path = test.folder.file().path
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, number = number as Int] in
                    let context = try ProcessTests.context(path)
                    try StatementCounter.kill(at: number, context.container)
                    try ProcessTests.change(context)
                    raise(SIGKILL)
                }
                try test.expectWhole(after: token, "killed at statement \(number)")
            }
        }

        private static func expectSaves(_ path: String) async {
            await #expect(processExitsWith: .success) { [path = path as String] in
                let container = try ModelContainer(for: TortureModel.self, at: URL(fileURLWithPath: path))
                let context = ModelContext(container)
                context.author = "child"
                for index in 0..<40 {
                    context.insert(Label(name: "child \(index)"))
                    try context.save()
                }
            }
        }

        @Test("two processes") func twoProcesses() async throws {
            let token = try makeStore()
            async let child: Void = Self.expectSaves(folder.file().path)
            let container = try ModelContainer(for: TortureModel.self, at: folder.file())
            let context = ModelContext(container)
            context.author = "parent"
            for index in 0..<40 {
                context.insert(Label(name: "parent \(index)"))
                try context.save()
            }
            var seen: [PersistentHistoryTransaction] = []
            for try await transaction in container.history(.fetchHistory(after: token)) {
                seen.append(transaction)
                if seen.count == 80 { break }
            }
            await child
            #expect(try seen == container.fetchHistory(.fetchHistory(after: token)))
            for author in ["child", "parent"] {
                let names = try seen.filter { $0.author == author }.flatMap(\.changes).map { change in
                    let label: Label = try context.model(for: change.changedObjectID)
                    return label.name
                }
                #expect(names == (0..<40).map { "\(author) \($0)" })
            }
            #expect(Set(seen.map(\.processID)).count == 2)
        }
    }

    extension FaultTests {
        @Test(arguments: [SQLITE_FULL, SQLITE_IOERR | 3 << 8]) func aSaveThatIsRecorded(_ code: Int32) throws {
            var number: Int32 = 1
            while true {
                let test = try HistoryProcessTests()
                let token = try test.makeStore()
                let context = try ProcessTests.context(test.folder.file().path)
                fault_arm(test.folder.url.path, number, code, FAULT_FAIL, 0)
                var failure: (any Error)?
                do {
                    try ProcessTests.change(context)
                } catch {
                    failure = error
                }
                let count = fault_disarm()
                try test.expectWhole(after: token, "operation \(number): \(failure.map { "\($0)" } ?? "no error")")
                if count < number { return }
                number += number < 5 ? 1 : Int32(max(1, 15 / TestEffort.factor))
            }
        }
    }
#endif
