public import Ashlar

/// The statements that a closure executes on a container's stores, with their query plans.
///
/// Use it to test the number of queries, and the indexes that they use.
///
///     let recording = try QueryRecording(of: container) {
///         _ = try context.fetch(Post.where { $0.timestamp > lastYear })
///     }
///     #expect(recording.queries.count == 1)
///     #expect(recording.uses(index: "byTimestamp"))
///     #expect(recording.fullScans.isEmpty)
///
/// All contexts of the container are included, with the main one and those of background reads. Ashlar's own statements
/// are not: transactions, pragmas, metadata and history. Recordings may be nested and concurrent.
///
/// A plan is that of SQLite for the present tables and statistics. A small analysed store may have other plans than a
/// large one.
public struct QueryRecording: Sendable {
    /// The statements that read or change objects, in the order in which they ended.
    public let statements: [RecordedStatement]

    /// The statements that read.
    public var queries: [RecordedStatement] { statements.filter { !$0.isChange } }
    /// The statements that insert, update or delete.
    public var changes: [RecordedStatement] { statements.filter(\.isChange) }
    /// The tables that a statement reads completely without an index, once for each statement.
    public var fullScans: [FullScan] { statements.flatMap(\.fullScans) }
    /// The statements whose rows SQLite sorts or deduplicates itself, because no index has them in order.
    public var sorts: [RecordedStatement] { statements.filter(\.isSorting) }
    /// The indexes of the model that any statement uses.
    public var indexes: Set<UsedIndex> { Set(statements.flatMap(\.indexes)) }

    /// Returns whether any statement uses an index of the model.
    ///
    /// - Parameters:
    ///   - name: The name in the model of the fetch index, the full-text index or the R-tree.
    ///   - entityName: The entity of the index; nil for any.
    public func uses(index name: String, of entityName: String? = nil) -> Bool {
        statements.contains { $0.uses(index: name, of: entityName) }
    }

    // MARK: Recording

    /// Records the statements that the contexts of a container execute in a closure.
    ///
    ///     let recording = try QueryRecording(of: container) { _ = try context.fetch(Post.all) }
    ///
    /// - Parameters:
    ///   - container: The container.
    ///   - body: The work to record.
    /// - Throws: The closure's error, or ``QueryPlanError/notExplained(sql:reason:)``.
    public init(of container: ModelContainer, _ body: () throws -> Void) throws {
        self = try StatementCollector(container, context: nil).collect(body)
    }

    /// Records the statements that the contexts of a container execute in an asynchronous closure.
    ///
    ///     let recording = try await QueryRecording(of: container) { _ = try await container.fetchCount(Post.all) }
    ///
    /// - Parameters:
    ///   - container: The container.
    ///   - isolation: The actor that the closure runs on. It defaults to the caller's.
    ///   - body: The work to record.
    /// - Throws: The closure's error, or ``QueryPlanError/notExplained(sql:reason:)``.
    public init(
        of container: ModelContainer, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws {
        self = try await StatementCollector(container, context: nil).collect(body)
    }

    /// Records the statements that one context executes in a closure.
    ///
    /// A child context reads and saves through its outermost parent, whose statements are recorded.
    ///
    ///     let recording = try QueryRecording(in: context) { _ = try context.fetch(Post.all) }
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - body: The work to record.
    /// - Throws: The closure's error, or ``QueryPlanError/notExplained(sql:reason:)``.
    public init(in context: ModelContext, _ body: () throws -> Void) throws {
        self = try StatementCollector(context.container, context: context).collect(body)
    }

    /// Records the statements that one context executes in an asynchronous closure.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - isolation: The actor that the closure runs on. It defaults to the caller's.
    ///   - body: The work to record.
    /// - Throws: The closure's error, or ``QueryPlanError/notExplained(sql:reason:)``.
    public init(
        in context: ModelContext, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws {
        self = try await StatementCollector(context.container, context: context).collect(body)
    }

    init(_ statements: [RecordedStatement]) { self.statements = statements }
}

extension QueryRecording: CustomStringConvertible {
    /// The statements with their plans, as a failed expectation shows them.
    public var description: String {
        if statements.isEmpty { return "no statements" }
        return statements.map(\.description).joined(separator: "\n")
    }
}
