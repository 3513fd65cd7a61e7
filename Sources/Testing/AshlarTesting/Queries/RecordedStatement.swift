import Ashlar
import IndexAdvice

/// A statement that was executed during a ``QueryRecording``.
///
///     let recording = try QueryRecording(of: container) { _ = try context.fetch(Post.all) }
///     for statement in recording.statements { print(statement.sql, statement.plan) }
public struct RecordedStatement: Sendable, Hashable {
    /// The statement's text, with `?` for each value.
    public let sql: String
    /// The number of returned rows.
    public let rowCount: Int
    /// The name of the context that executed the statement.
    public let contextName: String?
    /// The steps of the query plan in SQLite's words, with nested steps indented; usually empty for an insertion.
    public let plan: [String]
    /// The tables that the statement reads completely without an index.
    public let fullScans: [FullScan]
    /// The indexes of the model that the statement uses.
    public let indexes: Set<UsedIndex>
    /// Whether SQLite sorts or deduplicates the rows in a temporary B-tree.
    public let isSorting: Bool

    /// Whether the statement inserts, updates or deletes.
    public var isChange: Bool { !sql.hasPrefix("SELECT ") && !sql.hasPrefix("WITH ") }

    /// Returns whether the statement uses an index of the model.
    ///
    /// - Parameters:
    ///   - name: The index's name in the model.
    ///   - entityName: The entity of the index; nil for any.
    public func uses(index name: String, of entityName: String? = nil) -> Bool {
        indexes.contains { $0.name == name && (entityName == nil || $0.entityName == entityName) }
    }

    init(_ shape: String, rowCount: Int, contextName: String?, _ plan: QueryPlan, _ names: StoreNames) {
        sql = shape
        self.rowCount = rowCount
        self.contextName = contextName
        self.plan = plan.lines
        let tables = names.tables(of: shape)
        let isChange = !shape.hasPrefix("SELECT ") && !shape.hasPrefix("WITH ")
        fullScans = plan.scannedNames.compactMap { name in
            tables[name].map {
                FullScan(
                    entityName: names.entityName(ofTable: $0), tableName: $0, sql: StatementText.abbreviated(shape))
            }
        }
        indexes = Set(plan.indexNames.compactMap { names.index(tables[$0] ?? $0) })
        isSorting = !isChange && plan.steps.contains { $0.detail.hasPrefix("USE TEMP B-TREE FOR ") }
    }
}

extension RecordedStatement: CustomStringConvertible {
    /// The statement without its list of columns, and its plan with one step per line.
    public var description: String {
        ([StatementText.abbreviated(sql)] + plan.map { "    \($0)" }).joined(separator: "\n")
    }
}

/// A table that a statement reads completely.
public struct FullScan: Sendable, Hashable, CustomStringConvertible {
    /// The entity of the table's objects, including its subentities; nil for a table of a many-to-many relationship.
    public let entityName: String?
    /// The table's name.
    public let tableName: String
    /// The statement without its list of columns.
    public let sql: String

    /// The scan as text, such as `all of Post: SELECT … FROM "Post" ORDER BY "Post"."title"`.
    public var description: String { "all of \(entityName ?? tableName): \(sql)" }
}

/// An index of the model that a statement uses.
public struct UsedIndex: Sendable, Hashable, CustomStringConvertible {
    /// The entity of the index.
    public let entityName: String
    /// The name in the model, or in the store for an index that Ashlar creates for a relationship or a constraint.
    public let name: String

    /// The index as text, such as `Post.byTimestamp`.
    public var description: String { "\(entityName).\(name)" }
}
