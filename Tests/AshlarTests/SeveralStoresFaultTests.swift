import AshlarSQLite
import CFaultInjection
import Foundation
import RandomNumbers
import RandomSeeds
import Testing

@testable import Ashlar

/// A save of objects in several stores, in which the disk fails or the process is killed.
enum SaveOfSeveralStores {
    static let options = StoreOptions(cacheSize: 0, synchronous: .full, walAutocheckpoint: 1)

    /// A context on the stores in a folder.
    static func context(_ path: String) throws -> ModelContext {
        let configurations = Outpost.configurations.map {
            ModelConfiguration(
                configuration: $0, url: URL(fileURLWithPath: "\(path)/\($0.name).store"), options: options)
        }
        return ModelContext(try ModelContainer(for: OutpostModel.self, configurations: configurations))
    }

    /// Changes of objects in all stores.
    static func change(_ context: ModelContext) throws {
        for memo in try context.fetch(Memo.order { $0.title.ascending }) { memo.rank += 10 }
        for number in 0..<10 { context.insert(Memo(rank: 100, title: "new \(number)")) }
        for preference in try context.fetch(Preference.all) { context.delete(preference) }
        let landmark = Landmark(latitude: 9, name: "new")
        context.insert(landmark)
        for visit in try context.fetch(Visit.all) { visit.landmark = landmark }
    }

    /// The contents of each store before the change, and the expected ones after it.
    static func expected() throws -> (old: [[String]], new: [[String]]) {
        let container = try Outpost.memory()
        let context = ModelContext(container)
        try Outpost.fill(context)
        let old = try lines(container)
        try change(context)
        try context.save()
        return (old, try lines(container))
    }

    static func lines(_ container: ModelContainer) throws -> [[String]] {
        let lines = try OutpostSnapshot(container).lines
        return [["Memo", "Reminder", "Emblem"], ["Preference"], ["Landmark", "Visit"]].map { names in
            lines.filter { line in names.contains { line.hasPrefix("\($0) ") } }
        }
    }
}

/// The disk fails while a save of several stores is written. Each store stays whole, and the context records which of
/// them have the save.
extension FaultTests {
    @Test(arguments: [Fault.all[0], Fault.all[2]])
    func aSaveOfSeveralStores(_ fault: Fault) throws {
        let (old, new) = try SaveOfSeveralStores.expected()
        var number = 1
        var partlySaved = 0
        while true {
            let folder = try TemporaryFolder()
            let container = try Outpost.container(in: folder, options: SaveOfSeveralStores.options)
            let context = ModelContext(container)
            try Outpost.fill(context)
            try SaveOfSeveralStores.change(context)
            fault_arm(folder.url.path, Int32(number), fault.code, FAULT_FAIL, fault.isSticky ? 1 : 0)
            var failure: (any Error)?
            do { try context.save() } catch { failure = error }
            let seen = fault_disarm()
            let found = try SaveOfSeveralStores.lines(
                try Outpost.container(in: folder, options: SaveOfSeveralStores.options))
            for index in found.indices {
                #expect(found[index] == old[index] || found[index] == new[index], "operation \(number), store \(index)")
            }
            switch failure {
            case nil: #expect(found == new)
            case SaveError.partlySaved(let saved, let failed, _)?:
                partlySaved += 1
                #expect(context.hasChanges)
                let names = ["Cloud.store", "Local.store", "Map.store"]
                #expect(Set(saved.map(\.lastPathComponent)).union(failed.map(\.lastPathComponent)) == Set(names))
                for (index, name) in names.enumerated() {
                    let isSaved = saved.contains { $0.lastPathComponent == name }
                    #expect(found[index] == (isSaved ? new : old)[index], "operation \(number), \(name)")
                }
            case SaveError.unknownOutcome?:
                #expect(throws: SaveError.self) { try context.save() }
                context.rollback()
            default:
                #expect(failure is SaveError || failure is StoreError, "\(String(describing: failure))")
                #expect(found == old, "operation \(number): \(String(describing: failure))")
            }
            if context.hasChanges {
                // The context saves the rest, and nothing twice.
                try context.save()
                #expect(try SaveOfSeveralStores.lines(try Outpost.container(in: folder)) == new, "operation \(number)")
            }
            #expect(try container.integrityProblems().isEmpty)
            if seen < number { break }
            number += number < 4 ? 1 : max(1, 7 / TestEffort.factor)
        }
        // On a full disk, some stores are written before the failure.
        #expect(fault.isSticky || partlySaved > 0)
    }
}

#if os(Linux) || os(macOS)
    extension ProcessTests {
        @Test("row 165: a process that is killed leaves each of several stores whole", arguments: seeds(1))
        func killedInASaveOfSeveralStores(_ seed: Seed) async throws {
            let (old, new) = try SaveOfSeveralStores.expected()
            var generator = SeededGenerator(seed: seed)
            let numbers = Array((1...45).shuffled(using: &generator).prefix(8))
            for number in numbers {
                let folder = try TemporaryFolder()
                try Outpost.fill(ModelContext(try Outpost.container(in: folder, options: SaveOfSeveralStores.options)))
                let path = folder.url.path
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, number = number as Int] in
                    _ = fault_install()
                    let context = try SaveOfSeveralStores.context(path)
                    try SaveOfSeveralStores.change(context)
                    fault_arm(path, Int32(number), 0, FAULT_KILL, 0)
                    try context.save()
                    raise(SIGKILL)
                }
                let container = try Outpost.container(in: folder)
                let found = try SaveOfSeveralStores.lines(container)
                for index in found.indices {
                    #expect(found[index] == old[index] || found[index] == new[index], "operation \(number)")
                }
                #expect(try container.integrityProblems().isEmpty, "operation \(number)")
                let context = ModelContext(container)
                context.insert(Memo(title: "after"))
                context.insert(Sketch(text: "after"))
                try context.save()
            }
        }
    }
#endif
