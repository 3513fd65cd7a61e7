/// Values to fetch in place of objects: columns, what is computed of them, and aggregates of groups of rows.
///
/// The compiler knows the type of each value.
///
///     let titles: [String] = try context.fetch(Post.where { $0.likes > 10 }.select { $0.title })
///     let perAuthor: [(String?, Int)] = try context.fetch(
///         Post.all.group { $0.author.name }.select { ($0.author.name.optional, .count) })
///
/// Core Data's requests of dictionaries; those themselves are
/// ``ModelContext/fetchDictionaries(_:properties:groupBy:having:distinct:)``.
public struct Projection<Model: PersistentModel, Output>: Sendable {
    var shape: ProjectionShape<Model>
    /// Makes the output of a row of the result.
    let decode: @Sendable (Row) throws(RowError) -> Output
    /// The same for many rows, where the output is a tuple of the values; nil where it is made of them otherwise.
    let values: SelectedValues?

    init(
        _ shape: ProjectionShape<Model>, _ columns: [SQLExpression], values: SelectedValues? = nil,
        decode: @escaping @Sendable (Row) throws(RowError) -> Output
    ) {
        self.shape = shape
        self.shape.columns = columns
        self.decode = decode
        // A tuple has its elements in a row, each where its alignment allows.
        self.values = values.flatMap { $0.size == MemoryLayout<Output>.size ? $0 : nil }
    }

    /// The projection without rows that are equal to another in all that is selected.
    ///
    /// Fetching throws ``FetchError/orderNotSelected(entity:)`` when it is ordered by something else than is selected.
    public func distinct() -> Self {
        changing { $0.isDistinct = true }
    }

    /// The projection with a further value to order by, which can be an aggregate:
    /// `.order { _ in .descending(.count) }`.
    public func order(_ order: (Columns<Model>) -> ColumnOrder) -> Self {
        changing { $0.descriptor = $0.descriptor.order(order) }
    }

    /// The projection with a limit on the rows of the result.
    public func limit(_ count: Int) -> Self {
        changing { $0.descriptor.fetchLimit = count }
    }

    /// The projection with a number of rows of the result to skip.
    public func offset(_ count: Int) -> Self {
        changing { $0.descriptor.fetchOffset = count }
    }

    private func changing(_ change: (inout ProjectionShape<Model>) -> Void) -> Self {
        var result = self
        change(&result.shape)
        return result
    }
}

/// The rows of a fetch put into groups, of each of which one row of values is to be made.
public struct GroupedFetch<Model: PersistentModel>: Sendable {
    var shape: ProjectionShape<Model>

    /// The groups for which a condition holds, which can speak of aggregates: `.having { _ in .count > 3 }`.
    public func having(_ condition: (Columns<Model>) -> Condition) -> Self {
        var result = self
        let added = condition(Model._ashlarColumns)
        result.shape.having = shape.having.map { $0 && added } ?? added
        return result
    }

    /// The groups with a further value to order by: a grouped one, or an aggregate.
    public func order(_ order: (Columns<Model>) -> ColumnOrder) -> Self {
        var result = self
        result.shape.descriptor = shape.descriptor.order(order)
        return result
    }
}

/// All of a projection but the type of its values.
struct ProjectionShape<Model: PersistentModel>: Sendable {
    /// Which objects, in which order, and which part of the result.
    var descriptor: FetchDescriptor<Model>
    var columns: [SQLExpression] = []
    /// The values that the rows of one group have in common; nil without groups.
    var groups: [SQLExpression]?
    var having: Condition?
    var isDistinct = false

    init(_ descriptor: FetchDescriptor<Model>) { self.descriptor = descriptor }
}

extension FetchDescriptor {
    /// One value of each object.
    public func select<Value>(_ value: (Columns<Model>) -> Column<Value>) -> Projection<Model, Value> {
        ProjectionShape(self).select(value(Model._ashlarColumns))
    }

    /// The objects in groups, in each of which a value is the same.
    public func group<Key>(_ key: (Columns<Model>) -> Column<Key>) -> GroupedFetch<Model> {
        grouped(by: [key(Model._ashlarColumns).expression])
    }
}

/// The same with several values.
extension FetchDescriptor {
    /// Several values of each object: `.select { ($0.title, $0.likes) }`. Where all are aggregates, they are of all objects,
    /// and the result is one row.
    public func select<each Value>(
        _ values: (Columns<Model>) -> (repeat Column<each Value>)
    ) -> Projection<Model, (repeat each Value)> {
        ProjectionShape(self).select(repeat each values(Model._ashlarColumns))
    }

    /// The objects in groups, in each of which several values are the same.
    public func group<each Key>(_ keys: (Columns<Model>) -> (repeat Column<each Key>)) -> GroupedFetch<Model> {
        var expressions: [SQLExpression] = []
        for key in repeat each keys(Model._ashlarColumns) { expressions.append(key.expression) }
        return grouped(by: expressions)
    }

    fileprivate func grouped(by keys: [SQLExpression]) -> GroupedFetch<Model> {
        var shape = ProjectionShape(self)
        shape.groups = keys
        return GroupedFetch(shape: shape)
    }
}

extension GroupedFetch {
    /// One value of each group.
    public func select<Value>(_ value: (Columns<Model>) -> Column<Value>) -> Projection<Model, Value> {
        shape.select(value(Model._ashlarColumns))
    }
}

/// The same with several values.
extension GroupedFetch {
    /// Several values of each group: those that it is grouped by, and aggregates.
    ///
    /// Fetching throws ``FetchError/notGrouped(entity:value:)`` for any other, as it differs within the group.
    public func select<each Value>(
        _ values: (Columns<Model>) -> (repeat Column<each Value>)
    ) -> Projection<Model, (repeat each Value)> {
        shape.select(repeat each values(Model._ashlarColumns))
    }
}

extension ProjectionShape {
    func select<Value>(_ column: Column<Value>) -> Projection<Model, Value> {
        let decode = column.coding.decode
        var values = SelectedValues()
        values.append(column.storedType, column.coding.decode)
        return Projection(self, [column.expression], values: values) { row throws(RowError) in try decode(row, 0) }
    }

    func select<each Value>(_ columns: repeat Column<each Value>) -> Projection<Model, (repeat each Value)> {
        var expressions: [SQLExpression] = []
        var values = SelectedValues()
        for column in repeat each columns {
            expressions.append(column.expression)
            values.append(column.storedType, column.coding.decode)
        }
        return Projection(self, expressions, values: values) { row throws(RowError) in
            var position: Int32 = -1
            func next() -> Int32 {
                position += 1
                return position
            }
            return (repeat try (each columns).coding.decode(row, next()))
        }
    }
}

extension PersistentModel {
    /// Values of all objects: `Post.select { ($0.title, $0.likes) }`.
    public static func select<each Value>(
        _ values: (Columns<Self>) -> (repeat Column<each Value>)
    ) -> Projection<Self, (repeat each Value)> {
        FetchDescriptor().select(values)
    }
}

extension PersistentModel {
    /// One value of all objects.
    public static func select<Value>(_ value: (Columns<Self>) -> Column<Value>) -> Projection<Self, Value> {
        FetchDescriptor().select(value)
    }

    /// All objects in groups, in each of which a value is the same.
    public static func group<Key>(_ key: (Columns<Self>) -> Column<Key>) -> GroupedFetch<Self> {
        FetchDescriptor().group(key)
    }
}

extension Column {
    /// What the store holds as it is. What is computed is read with more care, as SQLite may have left the type's range.
    fileprivate var storedType: StoredType? { expression.isColumn ? coding.stored : nil }
}
