/// The parts of a composite attribute, for conditions and orders.
///
/// Generated code adds a property for each attribute of the composite. If the composite may be nil, its parts are
/// optional, and it can be compared with nil.
///
///     let people = Person.where { $0.home.street == "High Street" }
///     let homeless = Person.where { $0.home == nil }
public struct CompositeColumns<Composite>: Sendable {
    fileprivate let path: ColumnPath
    /// The names of the attribute's columns. The first one has the position `firstColumn` among the columns of the
    /// entity.
    fileprivate let names: [String]
    fileprivate let firstColumn: Int
    /// The position of the first leaf in the names.
    private let start: Int
    /// The position in the names of the column that is NULL if the composite is nil.
    private let presence: Int?

    /// Creates the leaves of an entity's attribute, for generated code.
    @_spi(Generated) public init(_ owner: Columns<some ManagedObject>, first: Int, isOptional: Bool, names: [String]) {
        path = owner._ashlarPath
        self.names = names
        firstColumn = first
        start = isOptional ? 1 : 0
        presence = isOptional ? 0 : nil
    }

    private init(_ owner: CompositeColumns<some Any>, _ position: Int, isOptional: Bool) {
        path = owner.path
        names = owner.names
        firstColumn = owner.firstColumn
        start = owner.start + position + (isOptional ? 1 : 0)
        presence = isOptional ? owner.start + position : owner.presence
    }

    /// Returns the leaves of a composite within this one, for generated code.
    @_spi(Generated) public func _ashlarComposite<Inner>(_ position: Int, isOptional: Bool) -> CompositeColumns<Inner> {
        CompositeColumns<Inner>(self, position, isOptional: isOptional)
    }

    fileprivate func reference(_ position: Int, isDecimal: Bool = false) -> ColumnReference {
        ColumnReference(path: path, column: firstColumn + position, name: names[position], isDecimal: isDecimal)
    }

    fileprivate func leaf(_ position: Int, isDecimal: Bool) -> ColumnReference {
        reference(start + position, isDecimal: isDecimal)
    }

    /// The expression that is NULL if the composite is nil, for generated code.
    @_spi(Generated) public var _ashlarExpression: SQLExpression {
        presence.map { .column(reference($0)) } ?? (path.cast == nil ? .value(.integer(1)) : .column(path.identifier))
    }

    /// The expression that is NULL if the composite is nil; nil if the composite is required.
    var presenceExpression: SQLExpression? { presence.map { .column(reference($0)) } }

    /// The columns of an entity's attribute: those of its parts, and the one that shows whether it is nil.
    var references: [ColumnReference] { names.indices.map { reference($0) } }

    fileprivate func isNil(_ comparison: SQLExpression.Comparison) -> Condition {
        // In generated code, a required composite never has an optional type.
        guard let presence else { return Condition(.value(.integer(comparison == .equal ? 0 : 1))) }
        return Condition(.comparison(.column(reference(presence)), comparison, .value(.null)))
    }
}

extension CompositeColumns where Composite: ExpressibleByNilLiteral {
    /// Returns the condition that the composite is nil.
    ///
    ///     let people = Person.where { $0.home == nil }
    public static func == (columns: CompositeColumns, value: Never?) -> Condition { columns.isNil(.equal) }

    /// Returns the condition that the composite is not nil.
    ///
    ///     let people = Person.where { $0.home != nil }
    public static func != (columns: CompositeColumns, value: Never?) -> Condition { columns.isNil(.notEqual) }
}

extension Column {
    /// Creates a leaf of a composite, for generated code.
    @_spi(Generated) public init(
        _ owner: CompositeColumns<some Any>, _ position: Int, _ coding: ColumnCoding<Value>, isDecimal: Bool = false
    ) {
        self.init(.column(owner.leaf(position, isDecimal: isDecimal)), coding)
    }
}
