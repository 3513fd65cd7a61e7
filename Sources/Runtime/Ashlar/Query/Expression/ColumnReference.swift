/// A row, and a path of to-one relationships from it to another.
@_spi(Generated) public struct ColumnPath: Sendable, Hashable {
    /// One to-one relationship of a path.
    public struct Step: Sendable, Hashable {
        /// The relationship's name.
        public var relationship: String
        /// The position of the foreign key column among the entity's columns; -1 if the destination has it.
        public var column: Int
        /// The name of the foreign key column, of this table or of the destination's.
        public var columnName: String
        /// The table that it leads to.
        public var destinationTable: String
        /// The relationship's number, if the destination has the foreign key.
        var number: RelationshipNumber = -1
        /// The cast of the row that has the relationship. From a row of another entity, the step leads to nil.
        fileprivate(set) var cast: EntityCast?

        /// Creates a step, for generated code.
        @_spi(Generated) public init(_ relationship: String, column: Int, columnName: String, destinationTable: String)
        {
            self.relationship = relationship
            self.column = column
            self.columnName = columnName
            self.destinationTable = destinationTable
        }

        /// Creates a step to the object that has the foreign key.
        init(_ relationship: String, number: RelationshipNumber, columnName: String, destinationTable: String) {
            self.init(relationship, column: -1, columnName: columnName, destinationTable: destinationTable)
            self.number = number
        }

        /// The step in the name of a joined table. After a cast, a step joins other rows than the same step without a
        /// cast.
        var name: String { cast.map { "\($0.entity):\(relationship)" } ?? relationship }
    }

    /// The table at which the path begins.
    public var table: String
    /// The level of the row at which the path begins. 0 is the fetched row, 1 a row of a relationship that a condition
    /// searches, 2 a row within that, and so on.
    public var level = 0
    public var steps: [Step] = []
    /// The cast of the row at the end. For a row of another entity, all its values are NULL.
    private(set) var cast: EntityCast?

    /// Creates the path to the fetched row itself, for generated code.
    @_spi(Generated) public init(table: String) { self.table = table }

    init(table: String, level: Int) {
        self.table = table
        self.level = level
    }

    /// Returns the path extended by one relationship, for generated code.
    @_spi(Generated) public func following(_ step: Step) -> ColumnPath {
        var path = self
        path.steps.append(step)
        path.steps[path.steps.count - 1].cast = cast
        path.cast = nil
        return path
    }

    /// Returns the path to the same object as one of another entity. It leads to nil if the object does not belong to
    /// that entity.
    package func casting(from entity: EntityDescription, to target: EntityDescription) -> ColumnPath {
        if entity.isKind(of: target.name) { return self }
        var path = self
        path.cast = EntityCast(to: target, from: entity, after: cast)
        return path
    }

    /// Whether the path ends with a cast.
    package var isCast: Bool { cast != nil }

    /// The path without the cast of the row at its end.
    var withoutCast: ColumnPath {
        var path = self
        path.cast = nil
        return path
    }

    /// Whether the path leads to the row at which it begins, without a cast.
    var isOwnRow: Bool { steps.isEmpty && cast == nil }

    /// The condition that there is an object at the end of the path.
    var exists: SQLExpression {
        guard let cast else { return .isEntity(self, []) }
        return cast.discriminators.isEmpty ? .alwaysFalse : .isEntity(withoutCast, cast.discriminators)
    }

    /// Returns the path of the first steps, up to a number of them.
    func prefix(_ count: Int) -> ColumnPath {
        if count >= steps.count { return self }
        var path = self
        path.steps.removeLast(steps.count - count)
        path.cast = steps[count].cast
        return path
    }

    /// The condition that the row belongs to the entity of the last cast on the path; nil without a cast. The steps
    /// after that cast may still lead to nil.
    var castCondition: SQLExpression? {
        if cast != nil { return exists }
        return steps.lastIndex { $0.cast != nil }.map { prefix($0).exists }
    }

    /// The name of the row at which the path begins.
    var rootAlias: String { level == 0 ? table : "\(table)$\(level)" }

    /// The name of the table, or that of the joined table at the end of the path.
    var alias: String {
        steps.isEmpty ? rootAlias : ([rootAlias] + steps.map(\.name)).joined(separator: ".")
    }

    /// The identifier of the row at the end of the path.
    package var identifier: ColumnReference {
        // The last foreign key of the path has the value, so that no join is needed.
        if cast == nil, let last = steps.last, last.column >= 0 {
            return ColumnReference(
                path: prefix(steps.count - 1), column: last.column, name: last.columnName,
                destinationTable: last.destinationTable)
        }
        return ColumnReference(path: self, column: -1, name: "id$")
    }

    /// Returns the identifier of the row at the end of the path, which belongs to an entity.
    package func identifier(of entity: EntityDescription) -> ColumnReference {
        var reference = identifier
        reference.root = entity.number.root
        return reference
    }
}

/// A column, and the path of to-one relationships that leads to its entity.
@_spi(Generated) public struct ColumnReference: Sendable, Hashable {
    public var path: ColumnPath
    /// The column's position among the columns of its entity; -1 stands for the rowid.
    public var column: Int
    public var name: String
    public var isDecimal = false
    /// The table that the column refers to, if it is read as the identity of an object there.
    var destinationTable: String?
    /// The number of the root entity whose rows the column refers to, if it may be compared with identifiers of any
    /// entity; nil if types exclude that.
    var root: UInt16?

    /// Creates a reference. Generated code does not call it.
    package init(path: ColumnPath, column: Int, name: String, isDecimal: Bool = false, destinationTable: String? = nil)
    {
        self.path = path
        self.column = column
        self.name = name
        self.isDecimal = isDecimal
        self.destinationTable = destinationTable
    }

    /// The root follows from the other properties.
    public static func == (left: ColumnReference, right: ColumnReference) -> Bool {
        left.column == right.column && left.isDecimal == right.isDecimal && left.name == right.name
            && left.path == right.path && left.destinationTable == right.destinationTable
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(column)
        hasher.combine(name)
    }

    var sql: String { .qualifiedIdentifier(path.alias, name) }
}

/// An R-tree index and the columns that it covers.
@_spi(Generated) public struct RTreeReference: Sendable, Hashable {
    /// The name of the virtual table.
    public var table: String
    /// The columns, in the order of its dimensions.
    public var columns: [ColumnReference]
}
