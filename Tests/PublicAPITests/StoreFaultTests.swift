import Ashlar
import AshlarTesting
import Foundation
import Testing
import ThreadTraits

/// The errors that a program gets when the disk fails.
struct StoreFaultTests {
    private func filled() throws -> ModelContainer {
        let container = try ModelContainer.temporary(for: LibraryModel.self) {
            $0.options.busyTimeout = .milliseconds(30)
        }
        let context = ModelContext(container)
        context.insert(Author(name: "Verne"))
        try context.save()
        return container
    }

    @Test(arguments: [StoreFault.diskFull, .writeError, .locked], [0, 1, 3])
    func aSaveFailsAndTheStoreIsSound(_ fault: StoreFault, _ count: Int) throws {
        let container = try filled()
        let other = try filled()
        let context = ModelContext(container)
        for number in 0..<200 { context.insert(Author(name: "Author \(number)")) }
        let after = fault == .locked ? 0 : count
        #expect(throws: (any Error).self) { try container.failing(fault, after: after) { try context.save() } }
        try container.failing(fault, after: after) {
            // Another store does not fail.
            let elsewhere = ModelContext(other)
            elsewhere.insert(Author(name: "Wells"))
            try elsewhere.save()
            #expect(throws: (any Error).self) { try context.save() }
        }
        #expect(try ModelContext(container).fetchCount(Author.all) == 1)
        try context.save()
        #expect(try ModelContext(container).fetchCount(Author.all) == 201)
    }

    @Test(arguments: [StoreFault.readError, .corrupted])
    func aFetchFailsAndThenDoesNot(_ fault: StoreFault) throws {
        let container = try filled()
        let error = #expect(throws: StoreError.self) {
            try container.failing(fault) { _ = try ModelContext(container).fetch(Author.all) }
        }
        if fault == .corrupted, case .damaged? = error {
        } else {
            #expect(fault == .readError, "\(String(describing: error))")
        }
        #expect(try ModelContext(container).fetch(Author.all).map(\.name) == ["Verne"])
    }

    @Test(.ownThreads, arguments: [0, 1, 2, 5, 9]) func aKilledProgramLosesNothingThatWasSaved(_ count: Int)
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("killed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("Library.store").path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, count = count as Int] in
            let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
            let container = try ModelContainer(for: LibraryModel.self, configurations: configuration)
            let context = ModelContext(container)
            context.insert(Author(name: "Verne"))
            try context.save()
            try container.failing(.killed, after: count) {
                for number in 0..<2000 { context.insert(Author(name: "Author \(number)")) }
                try context.save()
            }
        }
        let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
        let container = try ModelContainer(for: LibraryModel.self, configurations: configuration)
        #expect(try ModelContext(container).fetch(Author.all).map(\.name) == ["Verne"])
        #expect(try container.integrityProblems() == [])
    }

    @Test func whatIsNotReachedIsNoPass() throws {
        let container = try filled()
        #expect {
            try container.failing(.diskFull, after: 1000) {
                let context = ModelContext(container)
                context.insert(Author(name: "Wells"))
                try context.save()
            }
        } throws: { error in
            guard case StoreFaultError.notReached(.diskFull, after: 1000, let count) = error else { return false }
            return count > 0
        }
        #expect(try ModelContext(container).fetchCount(Author.all) == 2)
    }

    @Test func oneThatFailsOnceGoesOn() async throws {
        let container = try filled()
        try await container.failing(.writeError, times: 1) {
            await Task.yield()
            let context = ModelContext(container)
            context.insert(Author(name: "Wells"))
            #expect(throws: (any Error).self) { try context.save() }
            try context.save()
        }
        #expect(try ModelContext(container).fetchCount(Author.all) == 2)
    }

    @Test func aStoreInMemoryHasNoDisk() throws {
        let container = try ModelContainer.inMemory(for: LibraryModel.self)
        #expect(throws: StoreFaultError.noFile) { try container.failing(.diskFull) {} }
    }
}
