public import Ashlar
import AshlarTesting
public import Testing

/// Gives each test, and each case of one with arguments, a container of its own, which `ModelContainer.ofTest` is.
public struct ContainerTrait: TestTrait, SuiteTrait, TestScoping {
    @TaskLocal static var container: ModelContainer?

    private let make: @Sendable () throws -> ModelContainer

    /// Of a suite, each of its tests gets one.
    public var isRecursive: Bool { true }

    init(_ make: @escaping @Sendable () throws -> ModelContainer) { self.make = make }

    /// Makes the container for the time of a test.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.$container.withValue(make()) { try await function() }
    }
}

extension Trait where Self == ContainerTrait {
    /// A container with an empty store in memory for each test.
    ///
    ///     @Suite(.inMemoryContainer(for: PhotoFeedModel.self)) struct FeedTests {
    ///         @Test func isEmpty() throws {
    ///             #expect(try ModelContext(.ofTest).fetchCount(Post.all) == 0)
    ///         }
    ///     }
    public static func inMemoryContainer(for model: any ManagedObjectModel.Type) -> Self {
        ContainerTrait { try .inMemory(for: model) }
    }

    /// A container with an empty store in a file for each test, which is gone afterwards.
    public static func temporaryContainer(for model: any ManagedObjectModel.Type) -> Self {
        ContainerTrait { try .temporary(for: model) }
    }
}

extension ModelContainer {
    /// The container that the trait `.inMemoryContainer(for:)` or `.temporaryContainer(for:)` gives the running test.
    ///
    /// - Throws: ``TestContainerError/none`` where the test has neither.
    public static var ofTest: ModelContainer {
        get throws {
            guard let container = ContainerTrait.container else { throw TestContainerError.none }
            return container
        }
    }
}

/// Why a test has no container.
public enum TestContainerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It has no trait that gives it one, or asks in a detached task, which knows nothing of the test.
    case none

    public var description: String {
        "The test has no container. Write @Test(.inMemoryContainer(for: MyModel.self)), and ask for it outside of detached "
            + "tasks."
    }
}

/// Fails a test whose container runs more queries than it may.
public struct QueryLimitTrait: TestTrait, SuiteTrait, TestScoping {
    private let count: Int
    private let allowsFullScans: Bool

    /// Of a suite, it holds for each of its tests.
    public var isRecursive: Bool { true }

    init(_ count: Int, allowsFullScans: Bool) {
        self.count = count
        self.allowsFullScans = allowsFullScans
    }

    /// Records the queries of a test.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let recording = try await QueryRecording(of: .ofTest) { try await function() }
        if recording.queries.count > count {
            Issue.record(
                "The test ran \(recording.queries.count) queries, and may run \(count):\n\(recording)",
                sourceLocation: test.sourceLocation)
        }
        if !allowsFullScans, !recording.fullScans.isEmpty {
            let scans = recording.fullScans.map(\.description).joined(separator: "\n")
            Issue.record("The test reads whole tables:\n\(scans)", sourceLocation: test.sourceLocation)
        }
    }
}

extension Trait where Self == QueryLimitTrait {
    /// Fails the test where its container runs more queries, with the queries and their plans. Stand it behind the trait that
    /// makes the container.
    ///
    ///     @Test(.inMemoryContainer(for: PhotoFeedModel.self), .queryLimit(2))
    ///
    /// - Parameters:
    ///   - count: The most queries; changes do not count.
    ///   - allowsFullScans: Whether a query may read every row of a table.
    public static func queryLimit(_ count: Int, allowsFullScans: Bool = true) -> Self {
        QueryLimitTrait(count, allowsFullScans: allowsFullScans)
    }
}
