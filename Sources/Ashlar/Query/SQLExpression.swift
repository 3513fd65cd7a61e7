/// A condition or value as a tree, which can be printed as SQL and evaluated over objects in memory.
///
/// All front ends build this one form, so that they cannot differ.
public indirect enum SQLExpression: Sendable, Hashable {
    /// The comparisons of two values. Those that order answer false when either is NULL.
    public enum Comparison: String, Sendable, Hashable {
        case equal = "IS"
        case notEqual = "IS NOT"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    /// The comparisons of text with text, all exact: case and accents matter.
    public enum TextComparison: Sendable, Hashable {
        case hasPrefix, hasSuffix, contains
    }

    case value(SQLiteValue)
    /// A column of the entity that a path of to-one relationships leads to.
    case column(ColumnReference)
    case comparison(SQLExpression, Comparison, SQLExpression)
    case text(SQLExpression, TextComparison, String)
    case isIn(SQLExpression, [SQLiteValue])
    case and([SQLExpression])
    case or([SQLExpression])
    case not(SQLExpression)
    /// All columns lie in their ranges; the R-tree index finds the candidates and the columns are compared exactly.
    case box(RTreeReference, [ClosedRange<Double>])

    static let alwaysTrue = SQLExpression.and([])
}

/// A column, and the path of to-one relationships that leads to its entity.
public struct ColumnReference: Sendable, Hashable {
    /// One to-one relationship of a path.
    public struct Step: Sendable, Hashable {
        /// The relationship's name.
        public var relationship: String
        /// The foreign key column, by its position among the entity's columns.
        public var column: Int
        /// The name of the foreign key column.
        public var columnName: String
        /// The table that it leads to.
        public var destinationTable: String

        /// Makes a step; generated code does.
        public init(_ relationship: String, column: Int, columnName: String, destinationTable: String) {
            self.relationship = relationship
            self.column = column
            self.columnName = columnName
            self.destinationTable = destinationTable
        }
    }

    /// The table at which the path begins.
    public var table: String
    public var path: [Step]
    /// The column's position among the columns of its entity; -1 stands for the rowid.
    public var column: Int
    public var name: String
    public var isDecimal: Bool

    init(table: String, path: [Step], column: Int, name: String, isDecimal: Bool = false) {
        self.table = table
        self.path = path
        self.column = column
        self.name = name
        self.isDecimal = isDecimal
    }

    /// The name of the table, or of the joined table at the end of the path.
    var alias: String { path.isEmpty ? table : ([table] + path.map(\.relationship)).joined(separator: ".") }

    var sql: String { "\(alias.quotedIdentifier).\(name.quotedIdentifier)" }
}

/// An R-tree index and the columns that it covers.
public struct RTreeReference: Sendable, Hashable {
    /// The name of the virtual table.
    public var table: String
    /// The columns, in the order of its dimensions.
    public var columns: [ColumnReference]
}
