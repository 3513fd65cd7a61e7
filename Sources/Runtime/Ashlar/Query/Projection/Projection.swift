/// A selection of values to fetch in place of objects: columns, computed values, and aggregates of groups.
///
/// Use it if you need only some values. The type of each value is known at compile time.
///
///     let titles: [String] = try context.fetch(Post.where { $0.likes > 10 }.select { $0.title })
///     let perAuthor: [(String?, Int)] = try context.fetch(
///         Post.all.group { $0.author.name }.select { ($0.author.name.optional, .count) })
///
/// The counterpart is a Core Data request with `dictionaryResultType`; see also
/// ``ModelContext/fetchDictionaries(_:properties:groupBy:having:distinct:)``.
public struct Projection<Model: PersistentModel, Output>: Sendable {
    var shape: ProjectionShape<Model>
    /// Creates the output of a row of the result.
    let decode: @Sendable (Row) throws(RowError) -> Output
    /// Creates the outputs of many rows, if the output is a tuple of the values; nil otherwise.
    let values: SelectedValues?

    init(
        _ shape: ProjectionShape<Model>, _ columns: [SQLExpression], values: SelectedValues? = nil,
        decode: @escaping @Sendable (Row) throws(RowError) -> Output
    ) {
        self.shape = shape
        self.shape.columns = columns
        self.decode = decode
        // The elements of a tuple follow each other, at positions that fit their alignment.
        self.values = values.flatMap { $0.size == MemoryLayout<Output>.size ? $0 : nil }
    }

    /// Returns the projection without duplicates of the selected values.
    ///
    /// If it is ordered by a value that is not selected, the fetch throws ``FetchError/orderNotSelected(entity:)``.
    ///
    ///     let cities: [String?] = try context.fetch(Author.all.select { $0.city }.distinct())
    public func distinct() -> Self {
        changing { $0.isDistinct = true }
    }

    /// Returns the projection with a further order, which may be an aggregate.
    ///
    ///     let rows: [(String?, Int)] = try context.fetch(
    ///         Post.group { $0.author.name }.select { ($0.author.name.optional, .count) }
    ///             .order { _ in .descending(.count) })
    ///
    /// - Parameter order: The order by a value.
    public func order(_ order: (Columns<Model>) -> ColumnOrder) -> Self {
        changing { $0.descriptor = $0.descriptor.order(order) }
    }

    /// Returns the projection with a maximum number of rows.
    ///
    ///     let titles: [String] = try context.fetch(Post.all.select { $0.title }.limit(20))
    ///
    /// - Parameter count: The maximum number of rows of the result.
    public func limit(_ count: Int) -> Self {
        changing { $0.descriptor.fetchLimit = count }
    }

    /// Returns the projection with a number of rows to skip.
    ///
    ///     let titles: [String] = try context.fetch(Post.all.select { $0.title }.offset(20).limit(20))
    ///
    /// - Parameter count: The number of rows of the result to skip.
    public func offset(_ count: Int) -> Self {
        changing { $0.descriptor.fetchOffset = count }
    }

    private func changing(_ change: (inout ProjectionShape<Model>) -> Void) -> Self {
        var result = self
        change(&result.shape)
        return result
    }
}

/// The rows of a fetch in groups. Each group becomes one row of values.
///
/// `group` returns it, and `select` makes a projection of it.
///
///     let rows: [(String?, Int)] = try context.fetch(
///         Post.group { $0.author.name }.having { _ in .count > 3 }.select { ($0.author.name.optional, .count) })
///
/// The counterpart is a Core Data request with `propertiesToGroupBy`.
public struct GroupedFetch<Model: PersistentModel>: Sendable {
    var shape: ProjectionShape<Model>

    /// Returns the groups for which a condition holds, which may use aggregates.
    ///
    ///     let groups = Post.group { $0.author.name }.having { _ in .count > 3 }
    ///
    /// - Parameter condition: The condition on a group.
    public func having(_ condition: (Columns<Model>) -> Condition) -> Self {
        var result = self
        let added = condition(Model._ashlarColumns)
        result.shape.having = shape.having.map { $0 && added } ?? added
        return result
    }

    /// Returns the groups with a further order, by a grouped value or an aggregate.
    ///
    ///     let groups = Post.group { $0.author.name }.order { _ in .descending(.count) }
    ///
    /// - Parameter order: The order by a value.
    public func order(_ order: (Columns<Model>) -> ColumnOrder) -> Self {
        var result = self
        result.shape.descriptor = shape.descriptor.order(order)
        return result
    }
}

/// The parts of a projection that do not depend on the type of its values.
struct ProjectionShape<Model: PersistentModel>: Sendable {
    /// The objects, their order, and the part of the result.
    var descriptor: FetchDescriptor<Model>
    var columns: [SQLExpression] = []
    /// The values that the rows of a group have in common; nil without groups.
    var groups: [SQLExpression]?
    var having: Condition?
    var isDistinct = false

    init(_ descriptor: FetchDescriptor<Model>) { self.descriptor = descriptor }
}

extension FetchDescriptor {
    /// Returns a projection with one value of each object.
    ///
    ///     let titles: [String] = try context.fetch(Post.where { $0.isDraft }.select { $0.title })
    ///
    /// - Parameter value: The value, of the columns of an object.
    public func select<Value>(_ value: (Columns<Model>) -> Column<Value>) -> Projection<Model, Value> {
        ProjectionShape(self).select(value(Model._ashlarColumns))
    }

    /// Returns the objects in groups with the same value.
    ///
    ///     let rows: [(String?, Int)] = try context.fetch(
    ///         Post.where { $0.isDraft }.group { $0.author.name }.select { ($0.author.name.optional, .count) })
    ///
    /// - Parameter key: The value to group by.
    public func group<Key>(_ key: (Columns<Model>) -> Column<Key>) -> GroupedFetch<Model> {
        grouped(by: [key(Model._ashlarColumns).expression])
    }
}

/// Projections and groups with several values.
extension FetchDescriptor {
    /// Returns a projection with several values of each object.
    ///
    /// If all are aggregates, they are aggregates of all objects, and the result is one row.
    ///
    ///     let rows: [(String, Int64)] = try context.fetch(Post.where { $0.isDraft }.select { ($0.title, $0.likes) })
    ///
    /// - Parameter values: The values, of the columns of an object.
    public func select<each Value>(
        _ values: (Columns<Model>) -> (repeat Column<each Value>)
    ) -> Projection<Model, (repeat each Value)> {
        ProjectionShape(self).select(repeat each values(Model._ashlarColumns))
    }

    /// Returns the objects in groups with the same values.
    ///
    ///     let groups = Post.all.group { ($0.author.name, $0.isDraft) }
    ///
    /// - Parameter keys: The values to group by.
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
    /// Returns a projection with one value of each group.
    ///
    ///     let names: [String] = try context.fetch(
    ///         Post.where { $0.author != nil }.group { $0.author.name }.select { $0.author.name })
    ///
    /// - Parameter value: The value: a grouped one, or an aggregate.
    public func select<Value>(_ value: (Columns<Model>) -> Column<Value>) -> Projection<Model, Value> {
        shape.select(value(Model._ashlarColumns))
    }
}

/// Projections of groups with several values.
extension GroupedFetch {
    /// Returns a projection with several values of each group.
    ///
    /// A value must be grouped by or be an aggregate. Otherwise the fetch throws
    /// ``FetchError/notGrouped(entity:value:)``, because the value differs within the group.
    ///
    ///     let rows: [(String?, Int64)] = try context.fetch(
    ///         Post.group { $0.author.name }.select { ($0.author.name.optional, .sum($0.likes)) })
    ///
    /// - Parameter values: The values, of the columns of an object.
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
    /// Returns a projection with several values of all objects.
    ///
    ///     let rows: [(String, Int64)] = try context.fetch(Post.select { ($0.title, $0.likes) })
    ///
    /// - Parameter values: The values, of the columns of an object.
    public static func select<each Value>(
        _ values: (Columns<Self>) -> (repeat Column<each Value>)
    ) -> Projection<Self, (repeat each Value)> {
        FetchDescriptor().select(values)
    }
}

extension PersistentModel {
    /// Returns a projection with one value of all objects.
    ///
    ///     let titles: [String] = try context.fetch(Post.select { $0.title })
    ///
    /// - Parameter value: The value, of the columns of an object.
    public static func select<Value>(_ value: (Columns<Self>) -> Column<Value>) -> Projection<Self, Value> {
        FetchDescriptor().select(value)
    }

    /// Returns all objects in groups with the same value.
    ///
    ///     let rows: [(String?, Int)] = try context.fetch(
    ///         Post.group { $0.author.name }.select { ($0.author.name.optional, .count) })
    ///
    /// - Parameter key: The value to group by.
    public static func group<Key>(_ key: (Columns<Self>) -> Column<Key>) -> GroupedFetch<Self> {
        FetchDescriptor().group(key)
    }
}

extension Column {
    /// The stored type of a value that is stored unchanged. A computed value is checked instead, because SQLite may
    /// have exceeded the type's range.
    fileprivate var storedType: StoredType? { expression.isColumn ? coding.stored : nil }
}
