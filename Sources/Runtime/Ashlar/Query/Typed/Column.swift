import AshlarSQLite

/// A value of each object in a query: an attribute, or a value computed from attributes.
///
/// The closures of ``FetchDescriptor`` receive attributes as columns of ``Columns``. A comparison makes a
/// ``Condition``. Arithmetic, `??` and the methods for texts and dates make other columns.
///
///     let posts = Post.where { $0.likes * 2 > 10 && $0.title.hasPrefix("Great") }
public struct Column<Value>: Sendable {
    @usableFromInline let tree: ColumnTree
    @usableFromInline let encode: @Sendable (Value) -> SQLiteValue
    private let decode: @Sendable (Row, Int32) throws(RowError) -> Value
    private let stored: StoredType?
    @usableFromInline let identify: (@Sendable (Value) -> ColumnTree)?

    var expression: SQLExpression { tree.expression }
    var coding: ColumnCoding<Value> { ColumnCoding(encode: encode, decode: decode, stored: stored, identify: identify) }

    init(_ expression: SQLExpression, _ coding: ColumnCoding<Value>) {
        tree = ColumnTree(expression)
        encode = coding.encode
        decode = coding.decode
        stored = coding.stored
        identify = coding.identify
    }

    /// Creates a column at the end of a path, for generated code.
    @_spi(Generated) public init(
        _ owner: Columns<some ManagedObject>, _ column: Int, _ name: String, _ coding: ColumnCoding<Value>,
        isDecimal: Bool = false
    ) {
        self.init(
            .column(ColumnReference(path: owner._ashlarPath, column: column, name: name, isDecimal: isDecimal)), coding)
    }

    /// The value as an expression, for generated code.
    @_spi(Generated) public var _ashlarExpression: SQLExpression { expression }

    func constant(_ value: Value) -> SQLExpression { constantTree(value).expression }

    /// The order by this column, least values first; nil comes before all others.
    ///
    ///     let posts = Post.order { $0.timestamp.ascending }
    public var ascending: ColumnOrder { ColumnOrder(expression: expression, isAscending: true) }

    /// The order by this column, greatest values first; nil comes after all others.
    ///
    ///     let posts = Post.order { $0.timestamp.descending }
    public var descending: ColumnOrder { ColumnOrder(expression: expression, isAscending: false) }

    /// Returns the condition that the value is one of several.
    ///
    ///     let authors = Author.where { $0.name.isIn(["Ada", "Grace"]) }
    ///
    /// - Parameter values: The values. There can be 100,000 and more.
    @inlinable
    public func isIn(_ values: some Sequence<Value>) -> Condition {
        if let identify { return tree.isIn(values.map(identify)) }
        return tree.isIn(values.map(encode))
    }
}

/// A condition on the objects of an entity, made with the operators of ``Column``.
///
/// It either holds or does not hold, even with nil: nil equals only nil, and is neither less nor greater than any
/// value.
///
///     let posts = Post.where { $0.likes > 10 && !($0.author.name == "Ada") }
///
/// The counterpart is `NSPredicate`.
public struct Condition: Sendable, Hashable {
    /// The condition as a tree.
    @_spi(Generated) public let expression: SQLExpression
    /// The depth of nested operators.
    let depth: Int
    /// Whether the condition was created for an entity by itself, as by a format string. It is then about the object of
    /// the closure that it is used in. Other conditions refer to the objects of enclosing closures.
    var isWhole = false
    /// The entity that the condition was created for; nil if its closure determines the entity.
    var entity: EntityDescription?

    /// Creates a condition from an expression.
    @_spi(Generated) public init(_ expression: SQLExpression) {
        self.expression = expression
        depth = 1
    }

    /// Creates a condition about the object of the closure that it is used in.
    package init(whole expression: SQLExpression, _ entity: EntityDescription) {
        self.init(expression)
        isWhole = true
        self.entity = entity
    }

    /// Returns the expression of the condition for objects of an entity. A condition about a subentity reads columns
    /// that other objects do not have, so it makes the fetch throw.
    func expression(for entity: EntityDescription) -> SQLExpression {
        if let own = self.entity, !entity.isKind(of: own.name) {
            return .unsupported(.entityMismatch(entity: entity.name, other: own.name))
        }
        return placedExpression
    }

    /// Returns the entity of a combined condition. If one entity is an ancestor of the other, it is the descendant.
    private static func entity(_ left: EntityDescription?, _ right: EntityDescription?) -> EntityDescription? {
        guard let left, let right else { return left ?? right }
        return left.isKind(of: right.name) ? left : right
    }

    /// The expression of the condition at its place, about the object of the innermost closure.
    var placedExpression: SQLExpression {
        guard isWhole, let element = RelatedLevel.element else { return expression }
        return expression.rebased(onto: element)
    }

    private func placed(on element: ColumnPath) -> Condition {
        isWhole ? Condition(expression.rebased(onto: element), depth: depth) : self
    }

    /// Combines conditions, and limits their depth. All functions that traverse an expression, including the one that
    /// releases it, need a stack of that depth.
    private init(_ expression: consuming SQLExpression, depth: Int) {
        let isTooDeep = depth > SQLExpression.greatestDepth
        self.expression = isTooDeep ? .unsupported(.tooDeep) : expression
        self.depth = isTooDeep ? 1 : depth
    }

    public static func == (left: Condition, right: Condition) -> Bool { left.expression == right.expression }

    public func hash(into hasher: inout Hasher) { hasher.combine(expression) }

    /// Returns the condition that both conditions hold.
    ///
    ///     let posts = Post.where { $0.likes > 10 && $0.timestamp > lastYear }
    public static func && (left: consuming Condition, right: consuming Condition) -> Condition {
        let (isLeftWhole, isRightWhole) = (left.isWhole, right.isWhole)
        let entity = Self.entity(left.entity, right.entity)
        var result: Condition
        if isLeftWhole || isRightWhole, let element = RelatedLevel.element {
            result = conjunction(left.placed(on: element), right.placed(on: element))
        } else {
            result = conjunction(consume left, consume right)
            result.isWhole = isLeftWhole && isRightWhole
        }
        result.entity = entity
        return result
    }

    private static func conjunction(_ left: consuming Condition, _ right: consuming Condition) -> Condition {
        // A flat list of terms of any length has a constant depth.
        guard case .and(var terms) = left.expression else {
            let depth = max(left.depth, right.depth) + 1
            return Condition(.and(pair((consume left).expression, (consume right).expression)), depth: depth)
        }
        let depth = max(left.depth, right.depth + 1)
        // The list then has no other reference, so that it is not copied.
        _ = consume left
        terms.append((consume right).expression)
        return Condition(.and(terms), depth: depth)
    }

    /// Returns the condition that at least one condition holds.
    ///
    ///     let posts = Post.where { $0.likes > 10 || $0.timestamp > lastYear }
    public static func || (left: consuming Condition, right: consuming Condition) -> Condition {
        let (isLeftWhole, isRightWhole) = (left.isWhole, right.isWhole)
        let entity = Self.entity(left.entity, right.entity)
        var result: Condition
        if isLeftWhole || isRightWhole, let element = RelatedLevel.element {
            result = disjunction(left.placed(on: element), right.placed(on: element))
        } else {
            result = disjunction(consume left, consume right)
            result.isWhole = isLeftWhole && isRightWhole
        }
        result.entity = entity
        return result
    }

    private static func disjunction(_ left: consuming Condition, _ right: consuming Condition) -> Condition {
        guard case .or(var terms) = left.expression else {
            let depth = max(left.depth, right.depth) + 1
            return Condition(.or(pair((consume left).expression, (consume right).expression)), depth: depth)
        }
        let depth = max(left.depth, right.depth + 1)
        _ = consume left
        terms.append((consume right).expression)
        return Condition(.or(terms), depth: depth)
    }

    /// Returns two terms, with space for more.
    private static func pair(_ first: consuming SQLExpression, _ second: consuming SQLExpression)
        -> [SQLExpression]
    {
        var terms: [SQLExpression] = []
        terms.reserveCapacity(4)
        terms.append(first)
        terms.append(second)
        return terms
    }

    /// Returns the condition that the condition does not hold.
    public static prefix func ! (condition: Condition) -> Condition {
        let expression = condition.placedExpression
        var result: Condition
        // A double negation does not add depth.
        if case .not(let term) = expression {
            result = Condition(term, depth: condition.depth - 1)
        } else {
            result = Condition(.not(expression), depth: condition.depth + 1)
        }
        result.isWhole = condition.isWhole && RelatedLevel.element == nil
        result.entity = condition.entity
        return result
    }

    /// Returns one value if the condition holds, and another otherwise, like Swift's `condition ? first : second`.
    ///
    ///     let posts = Post.order { ($0.likes > 10).then($0.title, else: $0.text).ascending }
    ///
    /// - Parameters:
    ///   - first: The value if the condition holds.
    ///   - second: The value otherwise.
    public func then<Value>(_ first: Column<Value>, else second: Column<Value>) -> Column<Value> {
        Column(.conditional(placedExpression, first.expression, second.expression), first.coding)
    }

    /// Returns one value if the condition holds, and another otherwise, like Swift's `condition ? first : second`.
    ///
    ///     let posts = Post.order { ($0.likes > 10).then($0.title, else: "").ascending }
    ///
    /// - Parameters:
    ///   - first: The value if the condition holds.
    ///   - second: The value otherwise.
    public func then<Value>(_ first: Column<Value>, else second: Value) -> Column<Value> {
        Column(.conditional(placedExpression, first.expression, first.constant(second)), first.coding)
    }

    /// Returns one value if the condition holds, and another otherwise, like Swift's `condition ? first : second`.
    ///
    ///     let posts = Post.order { ($0.likes > 10).then("", else: $0.title).ascending }
    ///
    /// - Parameters:
    ///   - first: The value if the condition holds.
    ///   - second: The value otherwise.
    public func then<Value>(_ first: Value, else second: Column<Value>) -> Column<Value> {
        Column(.conditional(placedExpression, second.constant(first), second.expression), second.coding)
    }
}
