import Foundation
import RandomNumbers
import Testing

@testable import Ashlar

/// One container, used by many tasks at once.
@Suite struct ConcurrencyTests {
    /// Each save moves money from one account to another; no reader sees it in both or in neither.
    @Test("row 52: readers see whole saves", arguments: [true, false])
    func readersSeeWholeSaves(isInMemory: Bool) async throws {
        let folder = try TemporaryFolder()
        let container =
            isInMemory ? try memoryContainer() : try ModelContainer(for: TortureModel.self, at: folder.file())
        let setUp = ModelContext(container)
        for index in 0..<20 { setUp.insert(Account(balance: 100, email: "\(index)", number: Int64(index))) }
        try setUp.save()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let context = ModelContext(container)
                let accounts = try context.fetch(Account.all)
                for round in 0..<(150 * TestEffort.factor) {
                    accounts[round % 20].balance -= 1
                    accounts[(round + 7) % 20].balance += 1
                    try context.save()
                }
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<(100 * TestEffort.factor) {
                        let context = ModelContext(container)
                        let accounts = try context.fetch(Account.all)
                        #expect(accounts.count == 20)
                        #expect(accounts.map(\.balance).reduce(0, +) == 2000)
                    }
                }
            }
            try await group.waitForAll()
        }
        try container.expectSound()
    }

    /// Writers wait for each other. If another writer changed the row first, the save throws a conflict.
    @Test(arguments: [true, false])
    func writersDoNotLoseEachOthersWork(isInMemory: Bool) async throws {
        let folder = try TemporaryFolder()
        let container =
            isInMemory ? try memoryContainer() : try ModelContainer(for: TortureModel.self, at: folder.file())
        let setUp = ModelContext(container)
        let counter = Sample(count: 0)
        setUp.insert(counter)
        try setUp.save()
        let identifier = counter.persistentModelID
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    let context = ModelContext(container)
                    var done = 0
                    while done < 25 * TestEffort.factor {
                        context.rollback()
                        _ = try context.fetch(Sample.where { $0.count >= 0 })
                        let sample: Sample = try context.model(for: identifier)
                        sample.count += 1
                        context.insert(Label(name: "\(task).\(done)"))
                        do {
                            try context.save()
                            done += 1
                        } catch SaveError.conflict(let conflicts) {
                            #expect(conflicts.map(\.object) == [identifier])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let context = ModelContext(container)
        #expect(try (context.model(for: identifier) as Sample).count == Int64(100 * TestEffort.factor))
        #expect(try context.fetchCount(Label.all) == 100 * TestEffort.factor)
        try container.expectSound()
    }

    /// Identifiers and values can be sent to other tasks; objects stay with their context.
    @Test func identifiersAndValuesCross() async throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        let label = Label(name: "a")
        context.insert(label)
        try context.save()
        let identifier = label.persistentModelID
        let values = label.values
        let isSame = try await Task.detached {
            let read: Label = try ModelContext(container).model(for: identifier)
            return read.values == values && read.persistentModelID == identifier
        }.value
        #expect(isSame)
    }

    @Test func containersOfOneStoreShareIt() throws {
        let folder = try TemporaryFolder()
        let first = ModelContext(try ModelContainer(for: TortureModel.self, at: folder.file()))
        let second = ModelContext(try ModelContainer(for: TortureModel.self, at: folder.file()))
        let label = Label(name: "a")
        first.insert(label)
        try first.save()
        let twin: Label = try second.model(for: label.persistentModelID)
        twin.name = "b"
        try second.save()
        label.name = "c"
        #expect(throws: SaveError.self) { try first.save() }
        first.rollback()
        #expect(try first.fetch(Label.all).map(\.name) == ["b"])
    }
}
