/// The output of a ``PredicateLowering`` for a resolved predicate: the tree of a query, or source code that builds it.
public protocol PredicateTarget {
    /// A condition or a single value.
    associatedtype Expression
    /// One object, whose properties expressions can be made of.
    associatedtype Row
    /// The objects of a to-many relationship.
    associatedtype Related

    // MARK: Objects

    /// The object that the predicate evaluates.
    var evaluatedObject: Row { get }
    /// The object that a variable or an argument stands for.
    func object(_ source: PredicateValueSource, entity: String) throws -> Row
    /// The object that a to-one relationship leads to.
    func following(_ step: ResolvedPath.Step, from row: Row) throws -> Row
    /// The object if it belongs to the entity, otherwise none.
    func casting(_ row: Row, to entity: String) throws -> Row
    /// The object's identity.
    func identifier(of row: Row) throws -> Expression
    /// The value of an attribute, or of the leaf of a composite one, which several steps lead to.
    func attribute(_ steps: ArraySlice<ResolvedPath.Step>, of row: Row) throws -> Expression

    // MARK: Relationships to many

    /// The objects that a to-many relationship leads to.
    func related(_ step: ResolvedPath.Step, from row: Row) throws -> Related
    /// The objects for which a condition holds.
    func filtering(_ related: Related, _ condition: (Row) throws -> Expression) throws -> Related
    /// Whether a condition holds for one object at least.
    func any(_ related: Related, _ condition: (Row) throws -> Expression) throws -> Expression
    /// Whether a condition holds for every object; true without any.
    func all(_ related: Related, _ condition: (Row) throws -> Expression) throws -> Expression
    /// One value made of those of all objects.
    func aggregate(
        _ collectionOperator: CollectionOperator, _ related: Related, _ value: (Row) throws -> Expression
    ) throws -> Expression
    /// A value of one object of an ordered relationship.
    func element(
        _ position: ElementPosition, of related: Related, _ value: (Row) throws -> Expression
    ) throws -> Expression

    // MARK: Values

    /// A literal; the type is the one that its place asks for.
    func constant(_ constant: Constant, as type: ResolvedType) throws -> Expression
    /// The value of a variable or an argument.
    func value(of source: PredicateValueSource, as type: ResolvedType) throws -> Expression
    /// The least and the greatest value that a variable or an argument stands for.
    func bounds(of source: PredicateValueSource, as type: ResolvedType) throws -> (Expression, Expression)
    /// The time of the fetch.
    var now: Expression { get }
    func arithmetic(_ arithmetic: ArithmeticOperator, _ left: Expression, _ right: Expression) -> Expression
    func function(_ function: LoweredFunction, _ arguments: [Expression]) -> Expression
    /// The text without the differences that the options ignore.
    func folded(_ expression: Expression, _ options: ComparisonOptions) -> Expression
    func conditional(_ test: Expression, _ first: Expression, _ second: Expression) -> Expression

    // MARK: Conditions

    func comparison(_ left: Expression, _ comparison: ComparisonOperator, _ right: Expression) -> Expression
    /// A comparison by `BEGINSWITH`, `ENDSWITH`, `CONTAINS`, `LIKE` or `MATCHES`.
    func text(
        _ left: Expression, _ comparison: ComparisonOperator, _ right: Expression, _ options: ComparisonOptions
    ) -> Expression
    /// Whether a value is one of several.
    func isIn(_ expression: Expression, _ elements: [Expression]) -> Expression
    /// Whether a value is one of those that a variable or an argument stands for.
    func isIn(
        _ expression: Expression, _ source: PredicateValueSource, of type: ResolvedType, _ options: ComparisonOptions
    ) throws -> Expression
    func and(_ expressions: [Expression]) -> Expression
    func or(_ expressions: [Expression]) -> Expression
    func not(_ expression: Expression) -> Expression
}

/// The source of a value that is not part of the predicate's text.
public struct PredicateValueSource: Sendable, Hashable {
    /// The kind of a placeholder or literal in the text.
    public enum Kind: Sendable, Hashable {
        /// `$name`, without the dollar sign.
        case variable(String)
        case argument(FormatArgument)
    }

    public var kind: Kind
    /// The place in the text, as UTF-8 offsets.
    public var range: Range<Int>
}

/// The position of an element in an ordered relationship.
public enum ElementPosition: Sendable, Hashable {
    case first, last
    /// Counted from 0.
    case at(Int)
}

/// The functions of values that a store has, by the names that it gives them.
public enum LoweredFunction: String, Sendable, Hashable {
    case absolute, roundedUp, roundedDown, roundedTowardZero, squareRoot, exponential, naturalLogarithm, logarithm
    case power, remainder, minimum, maximum
    case bitwiseAnd, bitwiseOr, bitwiseXor, leftShift, rightShift, complement
    case uppercase, lowercase, canonical, length
    /// -1, 0 or 1, as two texts stand to each other in the current locale.
    case localizedOrder
    case toText, toReal, toInteger, toDecimal, uuidText
}
