import AshlarSQLite

/// A condition or value as a tree, which can be printed as SQL and evaluated over objects in memory.
///
/// All front ends create this form, so that they have the same meaning. A condition is true or false and never unknown.
/// As in Swift, nil equals nil, and every other comparison with nil is false.
@_spi(Generated) public enum SQLExpression: Sendable, Hashable {
    /// The comparisons of two values. Those that order are false if either value is NULL.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        case equal = "IS"
        case notEqual = "IS NOT"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    public typealias TextComparison = Ashlar.TextComparison

    public typealias Arithmetic = ArithmeticOperation

    public typealias Aggregate = AggregateFunction

    /// The position of a row among those of an ordered relationship.
    public enum Position: Sendable, Hashable {
        case first, last
        /// Counted from 0; NULL if there is none.
        case at(Int)
    }

    case value(SQLiteValue)
    /// The number of the row that an identifier refers to in a root entity's table of the fetched store. For an
    /// identifier of another table or store, it is 0, which no row has.
    case identifier(PersistentIdentifier, root: UInt16)
    /// A column of the entity that a path of to-one relationships leads to.
    indirect case column(ColumnReference)
    /// The time of the fetch, in seconds since 2001. It is the same everywhere in one fetch.
    case now
    indirect case comparison(SQLExpression, Comparison, SQLExpression)
    indirect case text(SQLExpression, TextComparison, SQLExpression, TextOptions)
    indirect case isIn(SQLExpression, [SQLiteValue])
    /// Whether a row of a root entity's table is one of those of identifiers; nil stands for no row.
    indirect case isOneOf(SQLExpression, [PersistentIdentifier?], root: UInt16)
    case and([SQLExpression])
    case or([SQLExpression])
    indirect case not(SQLExpression)
    indirect case arithmetic(SQLExpression, Arithmetic, SQLExpression)
    indirect case function(ScalarFunction, [SQLExpression])
    /// The second expression if the first holds; otherwise the third.
    indirect case conditional(SQLExpression, SQLExpression, SQLExpression)
    /// The first expression unless it is NULL; otherwise the second.
    indirect case coalesce(SQLExpression, SQLExpression)
    /// Whether a condition holds for one of the rows of a to-many relationship.
    indirect case any(RelatedRows, SQLExpression)
    /// An aggregate of the rows of a to-many relationship.
    indirect case aggregate(Aggregate, RelatedRows, SQLExpression)
    /// An aggregate of the rows of a group, or of all fetched rows; nil counts the rows themselves.
    indirect case groupAggregate(Aggregate, SQLExpression?, isDistinct: Bool)
    /// The value of one row of an ordered relationship.
    indirect case element(RelatedRows, Position, SQLExpression)
    /// Whether the row at the end of a path belongs to one of these entities, according to the discriminator column.
    indirect case isEntity(ColumnPath, [String?])
    /// Whether all columns are in their ranges. The R-tree index finds the candidates, and the columns are compared
    /// exactly.
    indirect case box(RTreeReference, [ClosedRange<Double>])
    /// The texts of a full-text index, which can only be matched.
    indirect case fullText(FullTextReference)
    /// Whether a full-text query finds the row.
    indirect case matches(FullTextReference, FullTextQuery)
    /// The value of a full-text query for the row; NULL if it does not match.
    indirect case fullTextValue(FullTextReference, FullTextQuery, FullTextValue)
    /// An unsupported expression; a fetch with it throws.
    indirect case unsupported(FetchError)

    static let alwaysTrue = SQLExpression.and([])
    static let alwaysFalse = SQLExpression.or([])
}

extension SQLExpression {
    /// Whether the expression is a condition, which may be NULL for false in SQL.
    var isCondition: Bool {
        switch self {
        case .comparison, .text, .isIn, .isOneOf, .and, .or, .not, .any, .isEntity, .box, .matches: true
        case .value, .identifier, .now, .column, .arithmetic, .function, .conditional, .coalesce, .aggregate,
            .groupAggregate,
            .element,
            .fullText, .fullTextValue, .unsupported:
            false
        }
    }

    /// Whether the value is a decimal number, which is stored as text.
    package var isDecimal: Bool {
        switch self {
        case .column(let reference): reference.isDecimal
        case .arithmetic(let left, _, let right), .coalesce(let left, let right), .conditional(_, let left, let right):
            left.isDecimal || right.isDecimal
        case .function(let function, let arguments):
            function == .toDecimal || function.keepsDecimals && arguments.contains { $0.isDecimal }
        case .aggregate(let aggregate, _, let value): aggregate != .count && value.isDecimal
        case .groupAggregate(let aggregate, let value, _): aggregate != .count && value?.isDecimal == true
        case .element(_, _, let value): value.isDecimal
        case .value, .identifier, .now, .comparison, .text, .isIn, .isOneOf, .and, .or, .not, .any, .isEntity, .box,
            .fullText, .matches, .fullTextValue, .unsupported:
            false
        }
    }
}
