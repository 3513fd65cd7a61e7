public import Ashlar
import AshlarTesting
public import Testing

/// A trait that gives each test, and each of its cases, a container of its own: `ModelContainer.ofTest`.
///
/// `.inMemoryContainer(for:)` and `.temporaryContainer(for:)` create it.
public struct ContainerTrait: TestTrait, SuiteTrait, TestScoping {
    @TaskLocal static var container: ModelContainer?

    private let make: @Sendable () throws -> ModelContainer

    /// True: each test of a suite gets its own container.
    public var isRecursive: Bool { true }

    init(_ make: @escaping @Sendable () throws -> ModelContainer) { self.make = make }

    /// Creates the container for the duration of a test.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.$container.withValue(make()) { try await function() }
    }
}

extension Trait where Self == ContainerTrait {
    /// Returns a trait that gives each test a container with an empty store in memory.
    ///
    ///     @Suite(.inMemoryContainer(for: PhotoFeedModel.self)) struct FeedTests {
    ///         @Test func isEmpty() throws {
    ///             #expect(try ModelContext(.ofTest).fetchCount(Post.all) == 0)
    ///         }
    ///     }
    ///
    /// - Parameter model: The model.
    public static func inMemoryContainer(for model: any ManagedObjectModel.Type) -> Self {
        ContainerTrait { try .inMemory(for: model) }
    }

    /// Returns a trait that gives each test a container with an empty store in a file, which is removed afterwards.
    ///
    ///     @Suite(.temporaryContainer(for: PhotoFeedModel.self)) struct FileTests {
    ///         @Test func isEmpty() throws {
    ///             #expect(try ModelContext(.ofTest).fetchCount(Post.all) == 0)
    ///         }
    ///     }
    ///
    /// - Parameter model: The model.
    public static func temporaryContainer(for model: any ManagedObjectModel.Type) -> Self {
        ContainerTrait { try .temporary(for: model) }
    }
}

extension ModelContainer {
    /// The container that the trait `.inMemoryContainer(for:)` or `.temporaryContainer(for:)` gives the running test.
    ///
    ///     let context = try ModelContext(.ofTest)
    ///
    /// - Throws: ``TestContainerError/none`` if the test has neither trait.
    public static var ofTest: ModelContainer {
        get throws {
            guard let container = ContainerTrait.container else { throw TestContainerError.none }
            return container
        }
    }
}

/// An error of a test without a container.
public enum TestContainerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The test has no trait that creates a container, or the caller is a detached task, which is not part of the test.
    case none

    public var description: String {
        "The test has no container. Write @Test(.inMemoryContainer(for: MyModel.self)), and ask for it outside of detached "
            + "tasks."
    }
}

/// A trait that fails a test whose container executes too many queries.
///
/// `.queryLimit(_:allowsFullScans:)` creates it.
public struct QueryLimitTrait: TestTrait, SuiteTrait, TestScoping {
    private let count: Int
    private let allowsFullScans: Bool

    /// True: the limit applies to each test of a suite.
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
    /// Returns a trait that fails the test if its container executes more queries. The failure shows the queries and
    /// their plans.
    ///
    /// Put it after the trait that creates the container.
    ///
    ///     @Test(.inMemoryContainer(for: PhotoFeedModel.self), .queryLimit(2)) func oneQuery() throws {
    ///         _ = try ModelContext(.ofTest).fetch(Post.all)
    ///     }
    ///
    /// - Parameters:
    ///   - count: The maximum number of queries; changes do not count.
    ///   - allowsFullScans: Whether a query may read every row of a table.
    public static func queryLimit(_ count: Int, allowsFullScans: Bool = true) -> Self {
        QueryLimitTrait(count, allowsFullScans: allowsFullScans)
    }
}
