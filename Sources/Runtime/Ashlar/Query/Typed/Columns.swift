import AshlarSQLite

/// The properties of an entity, for conditions and orders.
///
/// Generated code adds a property for each attribute and relationship of the model. An attribute is a ``Column``. A
/// to-one relationship leads to the columns of its destination, and can be compared with an object. A to-many
/// relationship is ``RelatedColumns``.
///
///     let posts = Post.where { $0.author == author || $0.author.name == "Ada" }
///     let orphans = Post.where { $0.author == nil }
public struct Columns<Model: ManagedObject>: Sendable {
    /// The path of followed relationships.
    @_spi(Generated) public let _ashlarPath: ColumnPath

    /// Creates the columns at the end of a path, for generated code.
    @_spi(Generated) public init(_ashlarPath: ColumnPath) {
        self._ashlarPath = _ashlarPath
    }

    /// The identity of the object as an expression, for generated code.
    @_spi(Generated) public var _ashlarIdentifier: SQLExpression {
        .column(_ashlarPath.identifier(of: Model._ashlarEntity))
    }

    /// Returns the condition that the object, or the relationship's destination, is a given object.
    ///
    /// It is false for an object of another store. Nil means that the relationship is empty.
    ///
    ///     let posts = Post.where { $0.author == author }
    public static func == (columns: Columns, model: Model?) -> Condition {
        Condition(.comparison(columns._ashlarIdentifier, .equal, .identifier(of: model)))
    }

    /// Returns the condition that the object, or the relationship's destination, is not a given object.
    ///
    ///     let posts = Post.where { $0.author != nil }
    public static func != (columns: Columns, model: Model?) -> Condition { !(columns == model) }

    /// Returns the condition that both are the same object, or both relationships are nil.
    ///
    ///     let posts = Post.where { $0.author == $0.editor }
    public static func == (columns: Columns, other: Columns) -> Condition {
        Condition(.comparison(columns._ashlarIdentifier, .equal, other._ashlarIdentifier))
    }

    /// Returns the condition that the two are not the same object.
    ///
    ///     let posts = Post.where { $0.author != $0.editor }
    public static func != (columns: Columns, other: Columns) -> Condition { !(columns == other) }

    /// Returns the condition that the object, or the relationship's destination, has one of several identifiers.
    ///
    /// Identifiers of other entities and other stores match nothing.
    ///
    ///     let posts = Post.where { $0.isIn([identifier]) }
    ///
    /// - Parameter identifiers: The identifiers.
    public func isIn(_ identifiers: some Sequence<PersistentIdentifier>) -> Condition {
        Condition(.isOneOf(_ashlarIdentifier, identifiers.map { Optional($0) }, root: Model._ashlarEntity.number.root))
    }

    /// Returns the condition that the object belongs to an entity or one of its subentities.
    ///
    /// It is false if the relationship is nil. In Swift, `is` has the same meaning: `$0.is(Video.self)`.
    ///
    /// - Parameter type: The class of the entity.
    public func `is`<Other: PersistentModel>(_ type: Other.Type) -> Condition {
        Condition(`as`(type)._ashlarPath.exists)
    }

    /// Returns the columns of a subentity.
    ///
    /// For an object that does not belong to the subentity, all of its columns are nil, inherited ones too, and so are
    /// values computed from them. In Swift, `as?` has the same meaning: `$0.as(Video.self).duration > 60`.
    ///
    /// - Parameter type: The class of the subentity.
    public func `as`<Other: PersistentModel>(_ type: Other.Type) -> Columns<Other> {
        Columns<Other>(_ashlarPath: _ashlarPath.casting(from: Model._ashlarEntity, to: Other._ashlarEntity))
    }

    /// Returns the columns of a to-one relationship's destination, for generated code.
    @_spi(Generated) public func _ashlarFollowing<Destination: ManagedObject>(
        _ relationship: String, column: Int, columnName: String, table: String
    ) -> Columns<Destination> {
        let step = ColumnPath.Step(relationship, column: column, columnName: columnName, destinationTable: table)
        return Columns<Destination>(_ashlarPath: _ashlarPath.following(step))
    }

    /// Returns the columns of the one object that refers to this one by a to-one relationship, for generated code.
    @_spi(Generated) public func _ashlarFollowing<Destination: PersistentModel>(
        referring relationship: RelationshipNumber
    ) -> Columns<
        Destination
    > {
        Columns<Destination>(
            _ashlarPath: _ashlarPath.following(
                relationship, of: Model._ashlarEntity, to: Destination._ashlarEntity))
    }

    /// Returns the objects of a to-many relationship, for generated code.
    @_spi(Generated) public func _ashlarRelated<Destination: PersistentModel>(_ relationship: RelationshipNumber)
        -> RelatedColumns<
            Destination
        >
    {
        RelatedColumns<Destination>(
            rows: RelatedRows(_ashlarPath, Model._ashlarEntity, relationship, to: Destination._ashlarEntity))
    }

    /// Returns the condition that all attributes of an R-tree index are in their ranges, for generated code.
    @_spi(Generated) public func _ashlarBox(
        _ index: String, _ columns: [(Int, String)], _ ranges: [ClosedRange<Double>]
    ) -> Condition {
        let references = columns.map { ColumnReference(path: _ashlarPath, column: $0.0, name: $0.1) }
        return Condition(.box(RTreeReference(table: index, columns: references), ranges))
    }
}

extension ColumnPath {
    /// Returns the path extended by a to-one relationship.
    package func following(
        _ number: RelationshipNumber, of entity: EntityDescription, to destination: EntityDescription
    ) -> ColumnPath {
        let relationship = entity.relationships[number]
        switch relationship.storage {
        case .column(let column):
            return following(
                Step(
                    relationship.name, column: column, columnName: entity.columns[column].name,
                    destinationTable: destination.tableName))
        case .inverseColumn(let column, _):
            return following(
                Step(
                    relationship.name, number: number, columnName: destination.columns[column].name,
                    destinationTable: destination.tableName))
        // No to-one relationship has a join table.
        case .joinTable: return self
        }
    }
}

extension RelatedRows {
    /// Creates the rows of a to-many relationship, one level deeper than the enclosing closure.
    package init(
        _ owner: ColumnPath, _ entity: EntityDescription, _ number: RelationshipNumber,
        to destination: EntityDescription
    ) {
        self.owner = owner
        source = entity.relationships[number].rows(number, to: destination)
        level = RelatedLevel.current + 1
    }
}

/// The depth of nested closures about relationships in the code that creates a condition.
///
/// It determines the names of rows, so that the rows of an inner and an outer closure never have the same name.
package enum RelatedLevel {
    /// The object of the innermost closure; nil outside such closures.
    @TaskLocal static var element: ColumnPath?

    static var current: Int { element?.level ?? 0 }

    package static func deeper<Result>(_ rows: RelatedRows, _ body: (ColumnPath) throws -> Result) rethrows -> Result {
        let row = rows.element
        return try $element.withValue(row) { try body(row) }
    }
}
