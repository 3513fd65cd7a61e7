public import Ashlar

/// The statements that a closure runs on a container's stores, each with the plan by which SQLite carries it out.
///
///     let recording = try QueryRecording(of: container) {
///         _ = try context.fetch(Post.where { $0.timestamp > lastYear })
///     }
///     #expect(recording.queries.count == 1)
///     #expect(recording.uses(index: "byTimestamp"))
///     #expect(recording.fullScans.isEmpty)
///
/// All contexts of the container count, the main one and those of background reads included, and none of another
/// container. What Ashlar does for itself does not: transactions, pragmas, metadata, history. Recordings may be made in
/// each other and at the same time.
///
/// The plan is SQLite's for the tables as they are, and statistics are part of that: a small store that was analysed may
/// be read otherwise than a large one.
public struct QueryRecording: Sendable {
    /// The statements that read or change objects, in the order in which they ended.
    public let statements: [RecordedStatement]

    /// The statements that read.
    public var queries: [RecordedStatement] { statements.filter { !$0.isChange } }
    /// The statements that insert, update or delete.
    public var changes: [RecordedStatement] { statements.filter(\.isChange) }
    /// The tables of which a statement reads every row, without an index, once for each statement.
    public var fullScans: [FullScan] { statements.flatMap(\.fullScans) }
    /// The statements whose rows SQLite sorts or tells apart itself, since no index has them in order.
    public var sorts: [RecordedStatement] { statements.filter(\.isSorting) }
    /// The indexes of the model that any statement uses.
    public var indexes: Set<UsedIndex> { Set(statements.flatMap(\.indexes)) }

    /// Whether any statement uses an index of the model.
    ///
    /// - Parameters:
    ///   - name: The name of the fetch index, or of a full-text index or an R-tree, as the model has it.
    ///   - entityName: The entity that has it; any when nil.
    public func uses(index name: String, of entityName: String? = nil) -> Bool {
        statements.contains { $0.uses(index: name, of: entityName) }
    }

    // MARK: Recording

    /// Records what a closure has the contexts of a container run.
    ///
    /// - Throws: What the closure throws; ``QueryPlanError/notExplained(sql:reason:)``.
    public init(of container: ModelContainer, _ body: () throws -> Void) throws {
        self = try StatementCollector(container, context: nil).collect(body)
    }

    /// Records what a closure has the contexts of a container run, while it waits for others too.
    ///
    /// - Throws: What the closure throws; ``QueryPlanError/notExplained(sql:reason:)``.
    public init(
        of container: ModelContainer, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws {
        self = try await StatementCollector(container, context: nil).collect(body)
    }

    /// Records what a closure has one context run. A child context reads and saves through its outermost parent: it is that
    /// one's statements which are recorded.
    ///
    /// - Throws: What the closure throws; ``QueryPlanError/notExplained(sql:reason:)``.
    public init(in context: ModelContext, _ body: () throws -> Void) throws {
        self = try StatementCollector(context.container, context: context).collect(body)
    }

    /// Records what a closure has one context run, while it waits for others too.
    ///
    /// - Throws: What the closure throws; ``QueryPlanError/notExplained(sql:reason:)``.
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
