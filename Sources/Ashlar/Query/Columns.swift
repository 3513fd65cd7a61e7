/// A path of to-one relationships from the entity that is asked for.
public struct ColumnPath: Sendable, Hashable {
    var table: String
    var steps: [ColumnReference.Step]

    /// The path that has not left its entity; generated code makes it.
    public init(table: String) {
        self.table = table
        steps = []
    }

    /// The path one relationship further; generated code calls it.
    public func following(_ step: ColumnReference.Step) -> ColumnPath {
        var path = self
        path.steps.append(step)
        return path
    }
}

/// The properties of an entity, for conditions and orders.
///
/// Generated code adds a property per attribute and to-one relationship of the model. An attribute is a ``Column``; a
/// relationship leads to the columns of its destination, `$0.author.name`, and can be compared with an object too:
/// `$0.author == author`, `$0.author == nil`.
public struct Columns<Model: ManagedObject>: Sendable {
    /// The relationships that were followed.
    public let _ashlarPath: ColumnPath

    /// The columns at the end of a path; generated code makes them.
    public init(_ashlarPath: ColumnPath) {
        self._ashlarPath = _ashlarPath
    }

    private var reference: ColumnReference {
        // The last foreign key of the path answers without a join.
        if let last = _ashlarPath.steps.last {
            return ColumnReference(
                table: _ashlarPath.table, path: _ashlarPath.steps.dropLast(), column: last.column,
                name: last.columnName)
        }
        return ColumnReference(table: _ashlarPath.table, path: [], column: -1, name: "id$")
    }

    /// The relationship leads to this object.
    public static func == (columns: Columns, model: Model?) -> Condition {
        let value = model.map { SQLiteValue.integer($0.identifier.rowID) } ?? .null
        return Condition(.comparison(.column(columns.reference), .equal, .value(value)))
    }

    /// The relationship does not lead to this object.
    public static func != (columns: Columns, model: Model?) -> Condition { !(columns == model) }

    /// The object, or the one that the relationship leads to, has one of these identifiers.
    public func isIn(_ identifiers: some Sequence<PersistentIdentifier>) -> Condition {
        Condition(.isIn(.column(reference), identifiers.map { .integer($0.rowID) }))
    }

    /// The columns of a to-one relationship's destination; generated code calls it.
    public func _ashlarFollowing<Destination: ManagedObject>(
        _ relationship: String, column: Int, columnName: String, table: String
    ) -> Columns<Destination> {
        let step = ColumnReference.Step(
            relationship, column: column, columnName: columnName, destinationTable: table)
        return Columns<Destination>(_ashlarPath: _ashlarPath.following(step))
    }

    /// All of an R-tree index's attributes lie in their ranges; generated code calls it.
    public func _ashlarBox(
        _ index: String, _ columns: [(Int, String)], _ ranges: [ClosedRange<Double>]
    ) -> Condition {
        let references = columns.map {
            ColumnReference(table: _ashlarPath.table, path: _ashlarPath.steps, column: $0.0, name: $0.1)
        }
        return Condition(.box(RTreeReference(table: index, columns: references), ranges))
    }
}
