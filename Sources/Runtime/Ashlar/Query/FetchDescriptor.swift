import AshlarSQLite

/// A description of a fetch: its condition, its order, and the part of the result to return.
///
/// Begin with `Post.where`, `Post.order` or ``PersistentModel/all``, and refine the result. A descriptor is a value,
/// and can be sent to any task.
///
///     let newest = Post.where { $0.likes > 10 }.order { $0.timestamp.descending }.limit(20)
///     let posts = try context.fetch(newest)
///
/// The counterparts are SwiftData's `FetchDescriptor` and Core Data's `NSFetchRequest`.
public struct FetchDescriptor<Model: PersistentModel>: Sendable, Hashable {
    /// The condition that objects must meet; nil fetches all objects.
    ///
    /// It may be about the entity or a parent entity. With another entity, the fetch throws
    /// ``FetchError/entityMismatch(entity:other:)``. `where` adds a condition.
    public var condition: Condition? {
        didSet {
            if let known = condition {
                // It refers to no object outside the descriptor.
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
    /// The orders of the result, the most important first.
    ///
    /// Objects that are equal in all orders follow by identifier, in the direction of the last order. Unsaved ones come
    /// after saved ones. Without any order, the store decides.
    public var sortOrders: [ColumnOrder] = [] { didSet { if !foundationForm.isEmpty { forgetSortBy() } } }
    /// The maximum number of objects; nil, the default, fetches all.
    ///
    ///     var descriptor = Post.all
    ///     descriptor.fetchLimit = 20
    public var fetchLimit: Int?
    /// The number of objects to skip; nil, the default, skips none.
    ///
    /// For long lists, ``page(after:)`` is faster than a large offset.
    public var fetchOffset: Int?
    /// Whether the result takes the context's unsaved changes into account; it defaults to true.
    ///
    /// SwiftData has a property of the same name; Core Data's is `includesPendingChanges`.
    public var includePendingChanges = true
    /// Whether objects of subentities are fetched too; it defaults to true.
    ///
    /// Core Data has a property of the same name.
    public var includesSubentities = true
    var foundationForm = FoundationForm()
    /// The names of ``propertiesToFetch``, which have no effect.
    var hintedProperties: [String] = []

    /// The relationships whose objects are loaded together with the results.
    ///
    /// `prefetch` adds one. The counterpart in SwiftData and Core Data is `relationshipKeyPathsForPrefetching`.
    public var prefetchedRelationships: [PrefetchedRelationship] = []
    /// The index that the store uses to find the objects.
    ///
    /// It defaults to ``IndexUse/automatic``. ``indexed(by:)`` and ``notIndexed()`` set it.
    public var indexUse = IndexUse<Model>.automatic

    /// Creates a descriptor that fetches all objects of the entity and its subentities.
    ///
    ///     let descriptor = FetchDescriptor<Post>()
    ///
    /// ``PersistentModel/all`` is shorter.
    public init() {}

    /// Returns the descriptor with a further condition, which must hold in addition to the others.
    ///
    ///     let drafts = Post.where { $0.isDraft }.where { $0.likes > 10 }
    ///
    /// - Parameter condition: The condition on the columns of an object.
    public consuming func `where`(_ condition: (Columns<Model>) -> Condition) -> Self {
        let own = self.condition.take()
        // The condition refers to no object of an enclosing closure.
        self.condition = RelatedLevel.$element.withValue(nil) {
            let added = condition(Model._ashlarColumns)
            return own.map { $0 && added } ?? added
        }
        return self
    }

    /// Returns the descriptor with a further order, which applies to objects that are equal in the others.
    ///
    ///     let posts = Post.order { $0.likes.descending }.order { $0.title.ascending }
    ///
    /// - Parameter order: The order by a column.
    public consuming func order(_ order: (Columns<Model>) -> ColumnOrder) -> Self {
        sortOrders.append(RelatedLevel.$element.withValue(nil) { order(Model._ashlarColumns) })
        return self
    }

    /// Returns the descriptor with a maximum number of objects.
    ///
    ///     let newest = Post.order { $0.timestamp.descending }.limit(20)
    ///
    /// - Parameter count: The maximum number of objects.
    public consuming func limit(_ count: Int) -> Self {
        fetchLimit = count
        return self
    }

    /// Returns the descriptor with a number of objects to skip.
    ///
    ///     let second = Post.order { $0.timestamp.descending }.offset(20).limit(20)
    ///
    /// - Parameter count: The number of objects to skip.
    public consuming func offset(_ count: Int) -> Self {
        fetchOffset = count
        return self
    }
}

extension PersistentModel {
    /// The columns of the fetched object, for generated code.
    @_spi(Generated) public static var _ashlarColumns: Columns<Self> {
        Columns(_ashlarPath: ColumnPath(table: _ashlarEntity.tableName))
    }

    /// Returns a descriptor for the objects for which a condition holds.
    ///
    ///     let posts = try context.fetch(Post.where { $0.likes > 10 && $0.author.name == "Ada" })
    ///
    /// - Parameter condition: The condition on the columns of an object.
    public static func `where`(_ condition: (Columns<Self>) -> Condition) -> FetchDescriptor<Self> {
        FetchDescriptor().where(condition)
    }

    /// Returns a descriptor for all objects in an order.
    ///
    ///     let posts = try context.fetch(Post.order { $0.timestamp.descending })
    ///
    /// - Parameter order: The order by a column.
    public static func order(_ order: (Columns<Self>) -> ColumnOrder) -> FetchDescriptor<Self> {
        FetchDescriptor().order(order)
    }

    /// A descriptor for all objects of the entity.
    ///
    ///     let posts = try context.fetch(Post.all)
    public static var all: FetchDescriptor<Self> { FetchDescriptor() }
}

extension FetchDescriptor {
    /// Returns the statement for objects or values.
    ///
    /// - Throws: ``FetchError`` if a predicate or sort descriptor of Foundation cannot be translated.
    func statement(
        selecting columns: String, limit: Int?, offset: Int?, excluding rowIDs: [Int64] = [], time: FetchTime,
        path: AccessPath = .automatic
    ) throws(FetchError) -> SQLStatement {
        var shape = shape(selecting: columns, limit: limit, offset: offset)
        shape.path = path
        return try shape.statement(excluding: rowIDs, time)
    }

    /// Returns the query that selects columns, with SQLite's own choice of the indexes.
    func shape(selecting columns: String, limit: Int?, offset: Int?) -> QueryShape {
        QueryShape(
            Model._ashlarEntity, columns: columns, condition: condition?.expression, orders: sortOrders, limit: limit,
            offset: offset, includesSubentities: includesSubentities)
    }

    /// Returns the terms that a row must match: the condition, and that it belongs to the entity. Empty for all rows.
    func conditions(_ statement: inout SQLStatement) -> String {
        let shape = shape(selecting: "", limit: nil, offset: nil)
        statement.table = shape.entity.tableName
        return statement.written { shape.writeConditions(after: "", to: &$0) }
    }

    /// The condition and the values of the orders.
    var expressions: [SQLExpression] { (condition.map { [$0.expression] } ?? []) + sortOrders.map(\.expression) }

    /// The tables that the condition and the orders read by relationships.
    var followedTables: FollowedTables { FollowedTables(expressions) }

    /// The number of objects to skip. SQLite treats a negative number as 0.
    var skipped: Int { max(0, fetchOffset ?? 0) }

    /// The maximum number of objects. SQLite treats a negative number as no limit.
    var limit: Int? { fetchLimit.flatMap { $0 < 0 ? nil : $0 } }
}
