import AshlarSQLite

/// What to fetch: a condition, an order, and which part of the result.
///
/// It is a value and may cross to any task. SwiftData's `FetchDescriptor`, Core Data's `NSFetchRequest`.
///
///     let newest = Post.where { $0.likes > 10 }.order { $0.timestamp.descending }.limit(20)
///     let posts = try context.fetch(newest)
public struct FetchDescriptor<Model: PersistentModel>: Sendable, Hashable {
    /// The condition that an object must meet; nil fetches all. One about another entity makes the fetch throw
    /// ``FetchError/entityMismatch(entity:other:)``; one about an entity above this one is as good.
    public var condition: Condition? {
        didSet {
            if let known = condition {
                // It names no object around the descriptor.
                condition?.isWhole = true
                let entity = Model._ashlarEntity
                if let own = known.entity, own !== entity {
                    condition = Condition(whole: known.expression(for: entity), entity)
                } else {
                    condition?.entity = entity
                }
            }
            if !foundationForm.isEmpty { forgetPredicate() }
        }
    }
    /// By what to order. Objects that are equal in all follow by identifier, in the direction of the last order, with unsaved
    /// ones after those that are saved. Without any order they come as the store finds them.
    public var sortOrders: [ColumnOrder] = [] { didSet { if !foundationForm.isEmpty { forgetSortBy() } } }
    /// The most objects to fetch; nil fetches all.
    public var fetchLimit: Int?
    /// How many objects to skip first.
    public var fetchOffset: Int?
    /// Whether inserted, changed and deleted objects of the context count as if they were saved.
    public var includePendingChanges = true
    /// Whether objects of the entities below this one are fetched too. Core Data's `includesSubentities`.
    public var includesSubentities = true
    var foundationForm = FoundationForm()
    /// The names of ``propertiesToFetch``, which change nothing.
    var hintedProperties: [String] = []

    /// The relationships whose objects are fetched along. SwiftData's and Core Data's
    /// `relationshipKeyPathsForPrefetching`.
    public var prefetchedRelationships: [PrefetchedRelationship] = []
    /// Which index the store finds the objects with.
    public var indexUse = IndexUse<Model>.automatic

    /// Makes a descriptor that fetches all objects of the entity and those below it.
    public init() {}

    /// The descriptor with a further condition, which must hold together with those it has.
    public consuming func `where`(_ condition: (Columns<Model>) -> Condition) -> Self {
        let own = self.condition.take()
        // About no object of a closure that the descriptor is made in.
        self.condition = RelatedLevel.$element.withValue(nil) {
            let added = condition(Model._ashlarColumns)
            return own.map { $0 && added } ?? added
        }
        return self
    }

    /// The descriptor with a further column to order by, which counts where those before are equal.
    public consuming func order(_ order: (Columns<Model>) -> ColumnOrder) -> Self {
        sortOrders.append(RelatedLevel.$element.withValue(nil) { order(Model._ashlarColumns) })
        return self
    }

    /// The descriptor with a limit.
    public consuming func limit(_ count: Int) -> Self {
        fetchLimit = count
        return self
    }

    /// The descriptor with a number of objects to skip.
    public consuming func offset(_ count: Int) -> Self {
        fetchOffset = count
        return self
    }
}

extension PersistentModel {
    /// The columns of the object that is asked for; generated code reads them.
    @_spi(Generated) public static var _ashlarColumns: Columns<Self> {
        Columns(_ashlarPath: ColumnPath(table: _ashlarEntity.tableName))
    }

    /// Fetches the objects for which a condition holds: `Post.where { $0.likes > 10 }`.
    public static func `where`(_ condition: (Columns<Self>) -> Condition) -> FetchDescriptor<Self> {
        FetchDescriptor().where(condition)
    }

    /// Fetches all objects in an order: `Post.order { $0.timestamp.descending }`.
    public static func order(_ order: (Columns<Self>) -> ColumnOrder) -> FetchDescriptor<Self> {
        FetchDescriptor().order(order)
    }

    /// Fetches all objects.
    public static var all: FetchDescriptor<Self> { FetchDescriptor() }
}

extension FetchDescriptor {
    /// The statement for objects or values, as columns to select say.
    ///
    /// - Throws: when a predicate or sort descriptor of Foundation cannot be a query.
    func statement(
        selecting columns: String, limit: Int?, offset: Int?, excluding rowIDs: [Int64] = [], time: FetchTime,
        path: AccessPath = .automatic
    ) throws(FetchError) -> SQLStatement {
        var shape = shape(selecting: columns, limit: limit, offset: offset)
        shape.path = path
        return try shape.statement(excluding: rowIDs, time)
    }

    /// The query that selects columns, where SQLite chooses how to find the rows.
    func shape(selecting columns: String, limit: Int?, offset: Int?) -> QueryShape {
        QueryShape(
            Model._ashlarEntity, columns: columns, condition: condition?.expression, orders: sortOrders, limit: limit,
            offset: offset, includesSubentities: includesSubentities)
    }

    /// The terms that must hold of a row: the condition, and that it is of the entity. Empty for all rows.
    func conditions(_ statement: inout SQLStatement) -> String {
        let shape = shape(selecting: "", limit: nil, offset: nil)
        statement.table = shape.entity.tableName
        return statement.written { shape.writeConditions(after: "", to: &$0) }
    }

    /// The tables that conditions and orders look at by way of relationships.
    var followedTables: FollowedTables {
        var tables = FollowedTables()
        if let condition { tables.add(condition.expression) }
        for order in sortOrders { tables.add(order.expression) }
        return tables
    }

    /// How many objects to skip; SQLite takes a negative number for none.
    var skipped: Int { max(0, fetchOffset ?? 0) }

    /// The most objects to fetch; SQLite takes a negative number for no limit.
    var limit: Int? { fetchLimit.flatMap { $0 < 0 ? nil : $0 } }
}
