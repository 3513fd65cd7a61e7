public import SystemFoundation

/// The columns of the rows that a batch update changes.
///
/// The closure of a batch update assigns to them.
///
///     try context.batchUpdate(Post.where { $0.author == author }) {
///         $0.favorite = true
///         $0.likes += 1
///         $0.title = $0.author.name
///         $0.editor = editor
///     }
///
/// A column can be assigned a value, another column, a computed column, and a condition if it is Boolean. Right sides
/// may follow to-one relationships. Assignments take effect one after the other, as in Swift. Columns of related
/// objects have the values from before the update.
///
/// Values that conditions cannot use cannot be assigned either, except for nil: transformed and encoded values, and
/// data in files.
@dynamicMemberLookup
public struct ColumnAssignments<Model: PersistentModel>: Sendable {
    var list: [ColumnAssignment] = []

    init() {}

    private func columns() -> Columns<Model> { Model._ashlarColumns }

    /// An attribute, to be assigned a column or a computed column.
    ///
    ///     try context.batchUpdate(Post.all) { $0.title = $0.text }
    public subscript<Value>(dynamicMember path: KeyPath<Columns<Model>, Column<Value>>) -> Column<Value> {
        get { list.current(columns()[keyPath: path]) }
        set { list.assign(columns()[keyPath: path].expression, newValue.expression) }
    }

    /// An attribute, to be assigned a value.
    ///
    ///     try context.batchUpdate(Post.all) { $0.isRead = true }
    @_disfavoredOverload
    public subscript<Value>(dynamicMember path: KeyPath<Columns<Model>, Column<Value>>) -> Value {
        @available(*, unavailable, message: "A column of a batch update has no value that is known here.")
        get { preconditionFailure("a column of a batch update was read as a value") }
        set {
            let column = columns()[keyPath: path]
            list.assign(column.expression, column.constant(newValue))
        }
    }

    /// An attribute with external storage. A batch update can assign only nil to it.
    @available(
        *, unavailable,
        message: """
            An attribute with external storage can be assigned nil only in a batch update: each row has a file of its own. \
            Set it on objects, or insert rows with batchInsert(contentsOf:onConflict:).
            """
    )
    @_disfavoredOverload
    public subscript(dynamicMember path: KeyPath<Columns<Model>, Column<ExternalValue?>>) -> Data? {
        get { nil }
        set { list.assign(columns()[keyPath: path].expression, .value(.null)) }
    }

    /// An optional attribute, to be assigned a column that is not optional.
    ///
    ///     try context.batchUpdate(Post.all) { $0.modified = $0.timestamp }
    @_disfavoredOverload
    public subscript<Value>(dynamicMember path: KeyPath<Columns<Model>, Column<Value?>>) -> Column<Value> {
        @available(*, unavailable, message: "A column of a batch update has no value that is known here.")
        get { preconditionFailure("an optional column of a batch update was read as one that is not") }
        set { list.assign(columns()[keyPath: path].expression, newValue.expression) }
    }

    /// A Boolean attribute, to be assigned a condition.
    ///
    ///     try context.batchUpdate(Post.all) { $0.favorite = $0.likes > 10 }
    @_disfavoredOverload
    public subscript(dynamicMember path: KeyPath<Columns<Model>, Column<Bool>>) -> Condition {
        @available(*, unavailable, message: "Compare the column: $0.isRead == true.")
        get { preconditionFailure("a column of a batch update was read as a condition") }
        set { list.assign(columns()[keyPath: path].expression, newValue.expression) }
    }

    /// A to-one relationship, to be followed on the right side or assigned another relationship.
    ///
    ///     try context.batchUpdate(Post.all) { $0.title = $0.author.name }
    public subscript<Destination>(
        dynamicMember path: KeyPath<Columns<Model>, Columns<Destination>>
    ) -> Columns<Destination> {
        get { columns()[keyPath: path] }
        set { list.assign(columns()[keyPath: path]._ashlarIdentifier, newValue._ashlarIdentifier) }
    }

    /// A to-one relationship, to be assigned a saved object or nil.
    ///
    ///     try context.batchUpdate(Post.all) { $0.editor = editor }
    @_disfavoredOverload
    public subscript<Destination: PersistentModel>(
        dynamicMember path: KeyPath<Columns<Model>, Columns<Destination>>
    ) -> Destination? {
        @available(*, unavailable, message: "A relationship of a batch update leads to no object that is known here.")
        get { preconditionFailure("a relationship of a batch update was read as an object") }
        set { list.assign(columns()[keyPath: path]._ashlarIdentifier, newValue?.identifier) }
    }

    /// A to-one relationship, to be assigned the identifier of a saved object.
    @_disfavoredOverload
    public subscript<Destination: PersistentModel>(
        dynamicMember path: KeyPath<Columns<Model>, Columns<Destination>>
    ) -> PersistentIdentifier {
        @available(*, unavailable, message: "A relationship of a batch update leads to no object that is known here.")
        get { preconditionFailure("a relationship of a batch update was read as an identifier") }
        set { list.assign(columns()[keyPath: path]._ashlarIdentifier, newValue) }
    }

    /// A to-many relationship, to compute with.
    public subscript<Destination>(
        dynamicMember path: KeyPath<Columns<Model>, RelatedColumns<Destination>>
    ) -> RelatedColumns<Destination> { columns()[keyPath: path] }

    /// A composite attribute, whose parts can be assigned.
    ///
    ///     try context.batchUpdate(Person.all) { $0.home.street = "High Street" }
    public subscript<Composite>(
        dynamicMember path: KeyPath<Columns<Model>, CompositeColumns<Composite>>
    ) -> CompositeAssignments<Composite> {
        get { CompositeAssignments(columns: columns()[keyPath: path], list: list) }
        set { list = newValue.list }
    }

    /// An optional composite attribute, to be assigned nil.
    ///
    ///     try context.batchUpdate(Person.all) { $0.home = nil }
    @_disfavoredOverload
    public subscript<Composite: ExpressibleByNilLiteral>(
        dynamicMember path: KeyPath<Columns<Model>, CompositeColumns<Composite>>
    ) -> Never? {
        @available(*, unavailable, message: "A column of a batch update has no value that is known here.")
        get { nil }
        set { list.assignNil(columns()[keyPath: path]) }
    }
}

/// The parts of a composite in the rows that a batch update changes.
///
/// If the composite of a row is nil, its parts stay as they are, as with `home?.street = …` in Swift.
///
///     try context.batchUpdate(Person.all) { $0.home.street = "High Street" }
@dynamicMemberLookup
public struct CompositeAssignments<Composite>: Sendable {
    let columns: CompositeColumns<Composite>
    var list: [ColumnAssignment]

    /// A part of the composite, to be assigned a column or a computed column.
    public subscript<Value>(dynamicMember path: KeyPath<CompositeColumns<Composite>, Column<Value>>) -> Column<Value> {
        get { list.current(columns[keyPath: path]) }
        set { list.assign(columns[keyPath: path].expression, newValue.expression, within: columns.presenceExpression) }
    }

    /// A part of the composite, to be assigned a value.
    @_disfavoredOverload
    public subscript<Value>(dynamicMember path: KeyPath<CompositeColumns<Composite>, Column<Value>>) -> Value {
        @available(*, unavailable, message: "A column of a batch update has no value that is known here.")
        get { preconditionFailure("a column of a batch update was read as a value") }
        set {
            let column = columns[keyPath: path]
            list.assign(column.expression, column.constant(newValue), within: columns.presenceExpression)
        }
    }

    /// An optional part of the composite, to be assigned a column that is not optional.
    @_disfavoredOverload
    public subscript<Value>(dynamicMember path: KeyPath<CompositeColumns<Composite>, Column<Value?>>) -> Column<Value> {
        @available(*, unavailable, message: "A column of a batch update has no value that is known here.")
        get { preconditionFailure("an optional column of a batch update was read as one that is not") }
        set {
            list.assign(columns[keyPath: path].expression, newValue.expression, within: columns.presenceExpression)
        }
    }

    /// A composite within this one.
    public subscript<Inner>(
        dynamicMember path: KeyPath<CompositeColumns<Composite>, CompositeColumns<Inner>>
    ) -> CompositeAssignments<Inner> {
        get { CompositeAssignments<Inner>(columns: columns[keyPath: path], list: list) }
        set { list = newValue.list }
    }
}
