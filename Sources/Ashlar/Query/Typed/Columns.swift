import AshlarSQLite

/// The properties of an entity, for conditions and orders.
///
/// Generated code adds a property per attribute and relationship of the model. An attribute is a ``Column``; a to-one
/// relationship leads to the columns of its destination, `$0.author.name`, and can be compared with an object too:
/// `$0.author == author`, `$0.author == nil`. A to-many relationship is ``RelatedColumns``.
public struct Columns<Model: ManagedObject>: Sendable {
    /// The relationships that were followed.
    @_spi(Generated) public let _ashlarPath: ColumnPath

    /// The columns at the end of a path; generated code makes them.
    @_spi(Generated) public init(_ashlarPath: ColumnPath) {
        self._ashlarPath = _ashlarPath
    }

    /// The identity of the object as a tree; generated code reads it.
    @_spi(Generated) public var _ashlarIdentifier: SQLExpression {
        .column(_ashlarPath.identifier(of: Model._ashlarEntity))
    }

    /// The object, or the one that the relationship leads to, is this one. An object of another store is none of those
    /// that are asked for.
    public static func == (columns: Columns, model: Model?) -> Condition {
        Condition(.comparison(columns._ashlarIdentifier, .equal, .identifier(of: model)))
    }

    /// The relationship does not lead to this object.
    public static func != (columns: Columns, model: Model?) -> Condition { !(columns == model) }

    /// Both are the same object, or both lead to none.
    public static func == (columns: Columns, other: Columns) -> Condition {
        Condition(.comparison(columns._ashlarIdentifier, .equal, other._ashlarIdentifier))
    }

    /// The two are not the same object.
    public static func != (columns: Columns, other: Columns) -> Condition { !(columns == other) }

    /// The object, or the one that the relationship leads to, has one of these identifiers. Those of other entities and
    /// other stores are no object's.
    public func isIn(_ identifiers: some Sequence<PersistentIdentifier>) -> Condition {
        Condition(.isOneOf(_ashlarIdentifier, identifiers.map { Optional($0) }, root: Model._ashlarEntity.number.root))
    }

    /// Whether the object is of an entity or one below it; false where the relationship leads to none.
    public func `is`<Other: PersistentModel>(_ type: Other.Type) -> Condition {
        Condition(`as`(type)._ashlarPath.exists)
    }

    /// The columns of an entity below this one. For an object that does not belong to it, all of them are nil, inherited
    /// ones too, and so is everything computed of them, as with Swift's `as?`: `$0.as(Video.self).duration > 60`.
    public func `as`<Other: PersistentModel>(_ type: Other.Type) -> Columns<Other> {
        Columns<Other>(_ashlarPath: _ashlarPath.casting(from: Model._ashlarEntity, to: Other._ashlarEntity))
    }

    /// The columns of a to-one relationship's destination; generated code calls it.
    @_spi(Generated) public func _ashlarFollowing<Destination: ManagedObject>(
        _ relationship: String, column: Int, columnName: String, table: String
    ) -> Columns<Destination> {
        let step = ColumnPath.Step(relationship, column: column, columnName: columnName, destinationTable: table)
        return Columns<Destination>(_ashlarPath: _ashlarPath.following(step))
    }

    /// The columns of the one object that refers to this one by a to-one relationship; generated code calls it.
    @_spi(Generated) public func _ashlarFollowing<Destination: PersistentModel>(
        referring relationship: RelationshipNumber
    ) -> Columns<
        Destination
    > {
        Columns<Destination>(
            _ashlarPath: _ashlarPath.following(
                relationship, of: Model._ashlarEntity, to: Destination._ashlarEntity))
    }

    /// The objects of a to-many relationship; generated code calls it.
    @_spi(Generated) public func _ashlarRelated<Destination: PersistentModel>(_ relationship: RelationshipNumber)
        -> RelatedColumns<
            Destination
        >
    {
        RelatedColumns<Destination>(
            rows: RelatedRows(_ashlarPath, Model._ashlarEntity, relationship, to: Destination._ashlarEntity))
    }

    /// All of an R-tree index's attributes lie in their ranges; generated code calls it.
    @_spi(Generated) public func _ashlarBox(
        _ index: String, _ columns: [(Int, String)], _ ranges: [ClosedRange<Double>]
    ) -> Condition {
        let references = columns.map { ColumnReference(path: _ashlarPath, column: $0.0, name: $0.1) }
        return Condition(.box(RTreeReference(table: index, columns: references), ranges))
    }
}

extension ColumnPath {
    /// The path one relationship to one further.
    func following(
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
        // No relationship to one has a table of its own.
        case .joinTable: return self
        }
    }
}

extension RelatedRows {
    /// The rows of a to-many relationship; one level deeper than all that is being written around.
    init(
        _ owner: ColumnPath, _ entity: EntityDescription, _ number: RelationshipNumber,
        to destination: EntityDescription
    ) {
        self.owner = owner
        source = entity.relationships[number].rows(number, to: destination)
        level = RelatedLevel.current + 1
    }
}

/// How deep within the closures about relationships the code is that builds a condition.
///
/// It makes the names of rows, so that a row of an inner closure is never taken for one of an outer.
enum RelatedLevel {
    /// The object of the innermost closure; nil outside of such closures.
    @TaskLocal static var element: ColumnPath?

    static var current: Int { element?.level ?? 0 }

    static func deeper<Result>(_ rows: RelatedRows, _ body: (ColumnPath) throws -> Result) rethrows -> Result {
        let row = rows.element
        return try $element.withValue(row) { try body(row) }
    }
}
