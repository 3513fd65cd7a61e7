public import SystemFoundation

/// The columns of the rows that a batch update changes, to assign to.
///
///     try context.batchUpdate(Post.where { $0.author == author }) {
///         $0.favorite = true
///         $0.likes += 1
///         $0.title = $0.author.name
///         $0.editor = editor
///     }
///
/// A column can be given a value, another column, a condition where it is a Boolean one, or what is computed of columns,
/// through to-one relationships too. The lines count one after the other, as in Swift: a column that was assigned to
/// reads as what it was given. What is reached by a relationship reads as it was before.
///
/// Values that conditions cannot see cannot be assigned either: transformed and encoded ones, and data in files, of which
/// each row has its own, but for nil.
@dynamicMemberLookup
public struct ColumnAssignments<Model: PersistentModel>: Sendable {
    var list: [ColumnAssignment] = []

    init() {}

    private func columns() -> Columns<Model> { Model._ashlarColumns }

    /// An attribute, which can be assigned what is computed of columns.
    public subscript<Value>(dynamicMember path: KeyPath<Columns<Model>, Column<Value>>) -> Column<Value> {
        get { list.current(columns()[keyPath: path]) }
        set { list.assign(columns()[keyPath: path].expression, newValue.expression) }
    }

    /// An attribute, which can be assigned a value.
    @_disfavoredOverload
    public subscript<Value>(dynamicMember path: KeyPath<Columns<Model>, Column<Value>>) -> Value {
        @available(*, unavailable, message: "A column of a batch update has no value that is known here.")
        get { preconditionFailure("a column of a batch update was read as a value") }
        set {
            let column = columns()[keyPath: path]
            list.assign(column.expression, column.constant(newValue))
        }
    }

    /// Data in files, which can be assigned nil only.
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

    /// An optional attribute, which can be assigned what is computed of columns that are not.
    @_disfavoredOverload
    public subscript<Value>(dynamicMember path: KeyPath<Columns<Model>, Column<Value?>>) -> Column<Value> {
        @available(*, unavailable, message: "A column of a batch update has no value that is known here.")
        get { preconditionFailure("an optional column of a batch update was read as one that is not") }
        set { list.assign(columns()[keyPath: path].expression, newValue.expression) }
    }

    /// A Boolean attribute, which can be assigned a condition.
    @_disfavoredOverload
    public subscript(dynamicMember path: KeyPath<Columns<Model>, Column<Bool>>) -> Condition {
        @available(*, unavailable, message: "Compare the column: $0.isRead == true.")
        get { preconditionFailure("a column of a batch update was read as a condition") }
        set { list.assign(columns()[keyPath: path].expression, newValue.expression) }
    }

    /// A to-one relationship, which can be followed on the right side, and be assigned another one.
    public subscript<Destination>(
        dynamicMember path: KeyPath<Columns<Model>, Columns<Destination>>
    ) -> Columns<Destination> {
        get { columns()[keyPath: path] }
        set { list.assign(columns()[keyPath: path]._ashlarIdentifier, newValue._ashlarIdentifier) }
    }

    /// A to-one relationship, which can be assigned a saved object or nil.
    @_disfavoredOverload
    public subscript<Destination: PersistentModel>(
        dynamicMember path: KeyPath<Columns<Model>, Columns<Destination>>
    ) -> Destination? {
        @available(*, unavailable, message: "A relationship of a batch update leads to no object that is known here.")
        get { preconditionFailure("a relationship of a batch update was read as an object") }
        set { list.assign(columns()[keyPath: path]._ashlarIdentifier, newValue?.identifier) }
    }

    /// A to-one relationship, which can be assigned the identifier of a saved object.
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

    /// An attribute of a composite, whose leaves can be assigned to.
    public subscript<Composite>(
        dynamicMember path: KeyPath<Columns<Model>, CompositeColumns<Composite>>
    ) -> CompositeAssignments<Composite> {
        get { CompositeAssignments(columns: columns()[keyPath: path], list: list) }
        set { list = newValue.list }
    }

    /// An optional attribute of a composite, which can be assigned nil.
    @_disfavoredOverload
    public subscript<Composite: ExpressibleByNilLiteral>(
        dynamicMember path: KeyPath<Columns<Model>, CompositeColumns<Composite>>
    ) -> Never? {
        @available(*, unavailable, message: "A column of a batch update has no value that is known here.")
        get { nil }
        set { list.assignNil(columns()[keyPath: path]) }
    }
}

/// The leaves of a composite in the rows that a batch update changes.
///
/// A leaf of a composite that is nil stays as it is, as with `home?.street = …` in Swift.
@dynamicMemberLookup
public struct CompositeAssignments<Composite>: Sendable {
    let columns: CompositeColumns<Composite>
    var list: [ColumnAssignment]

    /// A leaf, which can be assigned what is computed of columns.
    public subscript<Value>(dynamicMember path: KeyPath<CompositeColumns<Composite>, Column<Value>>) -> Column<Value> {
        get { list.current(columns[keyPath: path]) }
        set { list.assign(columns[keyPath: path].expression, newValue.expression, within: columns.presenceExpression) }
    }

    /// A leaf, which can be assigned a value.
    @_disfavoredOverload
    public subscript<Value>(dynamicMember path: KeyPath<CompositeColumns<Composite>, Column<Value>>) -> Value {
        @available(*, unavailable, message: "A column of a batch update has no value that is known here.")
        get { preconditionFailure("a column of a batch update was read as a value") }
        set {
            let column = columns[keyPath: path]
            list.assign(column.expression, column.constant(newValue), within: columns.presenceExpression)
        }
    }

    /// An optional leaf, which can be assigned what is computed of columns that are not.
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
