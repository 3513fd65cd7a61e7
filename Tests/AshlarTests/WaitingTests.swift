import Dispatch
import Foundation
import RandomNumbers
import Synchronization
import Testing
import ThreadTraits

@testable import Ashlar

/// Contexts that wait for the store do not prevent other tasks from running.
@Suite struct WaitingTests {
    private actor Keeper: ModelActor {
        nonisolated let modelContainer: ModelContainer
        nonisolated let modelExecutor: any ModelExecutor

        init(_ container: ModelContainer) {
            modelContainer = container
            modelExecutor = DefaultSerialModelExecutor(modelContainer: container)
        }

        func add(_ name: String, _ isReady: @Sendable () -> Void) throws {
            try WaitingTests.add(name, modelContext, isReady)
        }
    }

    private static func add(_ name: String, _ context: ModelContext, _ isReady: () -> Void) throws {
        context.insert(Label(name: name))
        isReady()
        try context.save()
    }

    /// The ways to wait for the store in a task: each calls its last argument, and then writes.
    enum Way: String, CaseIterable, Codable, Sendable {
        case perform, backgroundTask, modelActor, batch

        fileprivate func add(
            _ name: String, _ container: ModelContainer, _ isReady: @escaping @Sendable () -> Void
        ) async throws {
            switch self {
            case .perform:
                try await container.newBackgroundContext().perform { try WaitingTests.add(name, $0, isReady) }
            case .backgroundTask:
                try await container.performBackgroundTask { try WaitingTests.add(name, $0, isReady) }
            case .modelActor:
                try await Keeper(container).add(name, isReady)
            case .batch:
                isReady()
                try await container.batchInsert(contentsOf: [Label.Values(name: name)])
            }
        }
    }

    /// If tasks cannot go on, the writer ends only after those that wait have given up, which takes a minute.
    fileprivate static func expectOthersToGoOn(_ way: Way) async throws {
        let folder = try TemporaryFolder()
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let options = StoreOptions(busyTimeout: .seconds(60))
        let container = try ModelContainer(
            for: TortureModel.self, configurations: ModelConfiguration(url: folder.file(), options: options))
        let writing = Writing(container)
        let (ready, signal) = AsyncStream.makeStream(of: Void.self)
        let waiting = (0..<count).map { number in
            Task { try await way.add("\(number)", container) { signal.yield() } }
        }
        var begun = ready.makeAsyncIterator()
        for _ in 0..<count { await begun.next() }
        await runOtherTasks(count)
        writing.finish()
        for task in waiting { try await task.value }
        #expect(try ModelContext(container).fetchCount(Label.all) == count)
    }

    /// A store in memory has one connection, so that readers wait for the writer.
    fileprivate static func expectOthersToGoOnWhileReadersWait() async throws {
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let configuration = ModelConfiguration(
            isStoredInMemoryOnly: true, options: StoreOptions(busyTimeout: .seconds(60)))
        let container = try ModelContainer(for: TortureModel.self, configurations: configuration)
        let writing = Writing(container)
        let waiting = (0..<count).map { _ in Task { try await container.fetchCount(Label.all) } }
        await runOtherTasks(count)
        writing.finish()
        for task in waiting { #expect(try await task.value == 0) }
    }

    private static func runOtherTasks(_ count: Int) async {
        let others = (0..<count).map { _ in
            Task.detached { for _ in 0..<10 { await Task.yield() } }
        }
        for other in others { await other.value }
    }

    // MARK: The task of a closure

    @TaskLocal private static var word = ""

    @Test("row 72: a closure is part of the task that calls") func aClosureIsPartOfItsTask() async throws {
        let container = try memoryContainer()
        let background = container.newBackgroundContext()
        let task = Task(priority: .high) {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Self.$word.withValue("local") {
                let body: @Sendable (ModelContext) -> [String] = { _ in
                    [Self.word, "\(Task.isCancelled)", "\(Task.currentPriority >= .high)"]
                }
                return [try await background.perform(body), try await container.performBackgroundTask(body)]
            }
        }
        #expect(try await task.value == [["local", "true", "true"], ["local", "true", "true"]])
    }

    @Test func aClosureRunsOffTheMainThread() async throws {
        let container = try memoryContainer()
        let background = container.newBackgroundContext()
        let areMain = try await Task { @MainActor in
            [
                try await background.perform { _ in Thread.isMainThread },
                try await container.performBackgroundTask { _ in Thread.isMainThread },
            ]
        }.value
        #expect(areMain == [false, false])
    }

    // MARK: One at a time

    private actor Counter: ModelActor {
        nonisolated let modelContainer: ModelContainer
        nonisolated let modelExecutor: any ModelExecutor
        private let isInside = Atomic(false)
        private var count = 0

        init(_ container: ModelContainer) {
            modelContainer = container
            let context = ModelContext(container)
            context.author = "counter"
            modelExecutor = DefaultSerialModelExecutor(modelContext: context)
        }

        func add() async {
            await Task.yield()
            expectIsolated()
            let wasInside = isInside.exchange(true, ordering: .acquiringAndReleasing)
            modelContext.insert(Label(name: "\(count)"))
            count += 1
            let isStillInside = isInside.exchange(false, ordering: .acquiringAndReleasing)
            #expect(!wasInside && isStillInside)
        }

        private nonisolated func expectIsolated() {
            preconditionIsolated()
            assertIsolated()
            assumeIsolated { #expect($0.modelContext.author == "counter") }
        }

        func insertedCount() -> Int { modelContext.insertedModelsArray.count }
    }

    @Test("row 178: a model actor's code runs on its executor, a piece at a time")
    func aModelActorIsIsolated() async throws {
        let counter = Counter(try memoryContainer())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<(100 * TestEffort.factor) {
                group.addTask { await counter.add() }
            }
        }
        #expect(await counter.insertedCount() == 100 * TestEffort.factor)
    }

    @Test func aModelActorMayGoWithItsLastCall() async throws {
        let container = try memoryContainer()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { try await Keeper(container).add("\(number)") {} }
            }
            try await group.waitForAll()
        }
        #expect(try ModelContext(container).fetchCount(Label.all) == 200)
    }

    @Test func codeThatIsNoTasksKnowsItsExecutor() async {
        let queue = ContextQueue()
        await withCheckedContinuation { continuation in
            queue.executor.async {
                queue.preconditionIsolated()
                continuation.resume()
            }
        }
    }
}

#if os(Linux) || os(macOS)
    /// In separate processes: in this one, the tasks of all other tests run too.
    extension WaitingTests {
        @Test("rows 41, 72, 178: other tasks go on while contexts wait", .ownThreads, arguments: Way.allCases)
        func otherTasksGoOnWhileContextsWait(_ way: Way) async {
            await #expect(processExitsWith: .success) { [way] in try await WaitingTests.expectOthersToGoOn(way) }
        }

        @Test("row 104: other tasks go on while readers wait", .ownThreads) func otherTasksGoOnWhileReadersWait() async
        {
            await #expect(processExitsWith: .success) { try await WaitingTests.expectOthersToGoOnWhileReadersWait() }
        }

        @Test(.ownThreads) func otherCodeIsNotIsolated() async {
            await #expect(processExitsWith: .failure) { ContextQueue().preconditionIsolated() }
        }
    }
#endif
