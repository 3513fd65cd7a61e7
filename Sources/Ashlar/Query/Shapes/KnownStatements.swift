import AshlarSQLite
import Synchronization

/// What decides on the text of a query's statement, and the values that it binds.
struct QueryShape {
    /// What is selected; empty for a projection.
    var columns: String
    var projected: Projected?
    var condition: SQLExpression?
    var orders: [ColumnOrder]
    var limit: Int?
    var offset: Int?
    /// Whether rows of entities below do not count.
    var isAlone: Bool
    /// The name that rows must have in `entity$` then; nil for the root entity.
    var discriminator: String?
    /// How the rows are found.
    var path = AccessPath.automatic

    /// What a projection has more than a fetch. It is behind a reference, as it is nil for most.
    final class Projected: Sendable {
        let columns: [SQLExpression]
        let groups: [SQLExpression]?
        let having: SQLExpression?
        let isDistinct: Bool

        init(columns: [SQLExpression], groups: [SQLExpression]?, having: SQLExpression?, isDistinct: Bool) {
            self.columns = columns
            self.groups = groups
            self.having = having
            self.isDistinct = isDistinct
        }
    }

    /// The shape of a query about an entity, whose path SQLite chooses.
    init(
        _ entity: EntityDescription, columns: String, condition: SQLExpression?, orders: [ColumnOrder],
        limit: Int?,
        offset: Int?, includesSubentities: Bool
    ) {
        self.columns = columns
        self.condition = condition
        self.orders = orders
        self.limit = limit
        self.offset = offset
        isAlone = entity.hasDiscriminator && !includesSubentities
        discriminator = isAlone ? entity.discriminator : nil
    }

    /// A number that all queries of the shape have.
    fileprivate var number: UInt64 {
        var number = ShapeNumber()
        number.combine((limit == nil ? 0 : 1) + (offset == nil ? 0 : 2) + (isAlone ? 4 : 0))
        number.combine(columns.utf8.count)
        number.combine(path.shapeNumber)
        if let projected {
            number.combine(projected.isDistinct ? 8 : 16)
            for expression in projected.columns + (projected.groups ?? []) { number.combine(expression) }
            if let having = projected.having { number.combine(having) }
        }
        if let condition { number.combine(condition) }
        for order in orders {
            number.combine(order.isAscending ? 1 : 0)
            number.combine(order.expression)
        }
        return number.bits
    }

    /// The values that the statement of the shape binds, where its text is that of another; else nil.
    func values(ifPrintedAs known: QueryShape, _ time: FetchTime) -> [SQLiteValue]? {
        guard columns == known.columns, orders.count == known.orders.count,
            (projected == nil) == (known.projected == nil),
            (limit == nil) == (known.limit == nil), (offset == nil) == (known.offset == nil),
            isAlone == known.isAlone, !isAlone || discriminator == known.discriminator,
            path.shapeNumber == known.path.shapeNumber
        else { return nil }
        var values: [SQLiteValue] = []
        values.reserveCapacity(8)
        if let projected, let other = known.projected,
            !projected.appendColumnValues(to: &values, ifPrintedAs: other, time)
        {
            return nil
        }
        let isAutomatic = path.isAutomatic
        if !isAutomatic, !path.appendLeadingValues(to: &values, ifPrintedAs: known.path) { return nil }
        if let condition {
            guard let other = known.condition else { return nil }
            let isPrinted =
                isAutomatic
                ? condition.appendValues(to: &values, ifPrintedAs: other, time)
                : condition.appendValuesComparingCoordinates(to: &values, ifPrintedAs: other, time)
            if !isPrinted { return nil }
        } else if known.condition != nil {
            return nil
        }
        if !isAutomatic { path.appendTrailingValues(to: &values) }
        if isAlone, let discriminator { values.append(.text(discriminator)) }
        if let projected, let other = known.projected,
            !projected.appendGroupValues(to: &values, ifPrintedAs: other, time)
        {
            return nil
        }
        for index in orders.indices {
            let (order, other) = (orders[index], known.orders[index])
            guard order.isAscending == other.isAscending, order.collation == other.collation,
                order.expression.appendValues(to: &values, ifPrintedAs: other.expression, time)
            else { return nil }
        }
        if limit != nil || offset != nil { values.append(.integer(limit.map(Int64.init) ?? -1)) }
        if let offset { values.append(.integer(Int64(offset))) }
        return values
    }
}

extension QueryShape.Projected {
    /// Appends the values of what is selected, which come first.
    fileprivate func appendColumnValues(
        to values: inout [SQLiteValue], ifPrintedAs known: QueryShape.Projected, _ time: FetchTime
    ) -> Bool {
        isDistinct == known.isDistinct
            && SQLExpression.appendValues(of: columns, to: &values, ifPrintedAs: known.columns, time)
    }

    /// Appends the values of the groups and of what must hold of them.
    fileprivate func appendGroupValues(
        to values: inout [SQLiteValue], ifPrintedAs known: QueryShape.Projected, _ time: FetchTime
    ) -> Bool {
        guard (groups == nil) == (known.groups == nil), (having == nil) == (known.having == nil),
            SQLExpression.appendValues(
                of: groups ?? [], to: &values, ifPrintedAs: known.groups ?? [], time)
        else { return false }
        guard let having, let other = known.having else { return true }
        return having.appendValues(to: &values, ifPrintedAs: other, time)
    }
}

/// The texts of statements about an entity that differ in their values only from one query to the next.
///
/// A query is compared with one that was seen before, whose text was written for it: that costs a fraction of writing.
final class KnownStatements: Sendable {
    /// A query that was seen, and its text.
    fileprivate final class Known: Sendable {
        let shape: QueryShape
        let text: String
        let number: Int

        init(shape: QueryShape, text: String, number: Int) {
            self.shape = shape
            self.text = text
            self.number = number
        }
    }

    fileprivate struct Contents {
        var byNumber: [UInt64: [Known]] = [:]
        /// The numbers of shapes that were seen once. One that is asked for only once is not worth keeping.
        var seen: Set<UInt64> = []
        /// The last ones that were used, which are compared first: that is faster than making a number.
        var recent: [Known] = []
    }

    private let contents = Mutex(Contents())
    private static let lastNumber = Atomic<Int>(0)
    fileprivate static let recentCount = 4

    /// The statement of a query of one of the shapes that were asked for last.
    func recentStatement(of shape: QueryShape, _ time: FetchTime) -> BoundStatement? {
        let recent = contents.withLock { $0.recent }
        var next = 0
        while next < recent.count {
            if let statement = recent[next].statement(of: shape, time) { return statement }
            next += 1
        }
        return nil
    }

    /// The statement of a query of a shape that was seen before, and is not one of those that were asked for last.
    func olderStatement(of shape: QueryShape, _ time: FetchTime) -> BoundStatement? {
        let number = shape.number
        guard let alike = contents.withLock({ $0.byNumber[number] }) else { return nil }
        for known in alike {
            guard let statement = known.statement(of: shape, time) else { continue }
            contents.withLock { $0.use(known) }
            return statement
        }
        return nil
    }

    /// Keeps the text that was written for a query, unless it depends on the query's values, and gives it a number. The first
    /// query of a shape is only noted.
    func remember(_ shape: QueryShape, _ statement: BoundStatement, _ time: FetchTime) -> BoundStatement {
        let shapeNumber = shape.number
        guard contents.withLock({ $0.hasSeen(shapeNumber) }), let values = shape.values(ifPrintedAs: shape, time),
            values == statement.values,
            // The query stays in memory.
            values.allSatisfy({ $0.byteCount <= 256 })
        else { return statement }
        let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        let added = Known(shape: shape, text: statement.text, number: number)
        contents.withLock { contents in
            // Programs that write values into what they compare would otherwise grow this without end.
            if contents.byNumber.count >= 512 { contents.byNumber.removeAll() }
            var alike = contents.byNumber[shapeNumber] ?? []
            if alike.count >= 8 { alike.removeFirst() }
            alike.append(added)
            contents.byNumber[shapeNumber] = alike
            contents.use(added)
        }
        return BoundStatement(text: statement.text, values: values, number: number)
    }
}

extension KnownStatements.Contents {
    /// Whether a shape was seen before; it is from now on.
    fileprivate mutating func hasSeen(_ number: UInt64) -> Bool {
        if seen.count >= 2048 { seen.removeAll(keepingCapacity: true) }
        return !seen.insert(number).inserted
    }

    fileprivate mutating func use(_ known: KnownStatements.Known) {
        if recent.count >= KnownStatements.recentCount { recent.removeLast() }
        recent.insert(known, at: 0)
    }
}

extension KnownStatements.Known {
    fileprivate func statement(of other: QueryShape, _ time: FetchTime) -> BoundStatement? {
        other.values(ifPrintedAs: shape, time).map { BoundStatement(text: text, values: $0, number: number) }
    }
}

extension SQLiteValue {
    fileprivate var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .blob(let data): data.count
        default: 8
        }
    }
}
