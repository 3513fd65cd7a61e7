import Ashlar
import IndexAdvice

/// A statement that ran while a ``QueryRecording`` was made.
public struct RecordedStatement: Sendable, Hashable {
    /// The statement's text, with `?` for each value.
    public let sql: String
    /// The number of rows that it returned.
    public let rowCount: Int
    /// The name of the context that ran it.
    public let contextName: String?
    /// The steps of the query plan in SQLite's words, those within another one indented; none for an insertion mostly.
    public let plan: [String]
    /// The tables of which it reads every row, without an index.
    public let fullScans: [FullScan]
    /// The indexes of the model that it uses.
    public let indexes: Set<UsedIndex>
    /// Whether SQLite sorts the rows, or tells equal ones apart, in a temporary B-tree.
    public let isSorting: Bool

    /// Whether it inserts, updates or deletes.
    public var isChange: Bool { !sql.hasPrefix("SELECT ") && !sql.hasPrefix("WITH ") }

    /// Whether it uses an index of the model.
    ///
    /// - Parameters:
    ///   - name: The index's name in the model.
    ///   - entityName: The entity that has it; any when nil.
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
    /// The statement without its list of columns, and its plan, a step a line.
    public var description: String {
        ([StatementText.abbreviated(sql)] + plan.map { "    \($0)" }).joined(separator: "\n")
    }
}

/// A table of which a statement reads every row.
public struct FullScan: Sendable, Hashable, CustomStringConvertible {
    /// The entity whose objects, with those of the entities below it, are in the table; nil for a table that has the pairs
    /// of a relationship.
    public let entityName: String?
    /// The table's name.
    public let tableName: String
    /// The statement without its list of columns.
    public let sql: String

    /// Such as `all of Post: SELECT … FROM "Post" ORDER BY "Post"."title"`.
    public var description: String { "all of \(entityName ?? tableName): \(sql)" }
}

/// An index of the model that a statement uses.
public struct UsedIndex: Sendable, Hashable, CustomStringConvertible {
    /// The entity that has the index.
    public let entityName: String
    /// Its name in the model; the one in the store for an index that Ashlar makes of a relationship or a constraint.
    public let name: String

    /// Such as `Post.byTimestamp`.
    public var description: String { "\(entityName).\(name)" }
}
