import AshlarSQLite
import Synchronization

/// The texts of statements about an entity that differ in their values only from one query to the next.
///
/// A query is compared with the parts of a statement that was written for another: that costs a fraction of writing.
final class KnownStatements: Sendable {
    /// The printed form of a query.
    fileprivate final class Known: Sendable {
        let parts: [SQLPart]
        let text: String
        let number: Int
        /// Whether SQLite chose the path. A plan may have the same text, but is looked for only after planning.
        let isAutomatic: Bool

        init(parts: [SQLPart], text: String, number: Int, isAutomatic: Bool) {
            self.isAutomatic = isAutomatic
            self.parts = parts
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
        let number = ShapeNumber.bits(of: shape, time)
        guard let alike = contents.withLock({ $0.byNumber[number] }) else { return nil }
        for known in alike {
            guard let statement = known.statement(of: shape, time) else { continue }
            contents.withLock { $0.use(known) }
            return statement
        }
        return nil
    }

    /// Writes the statement of a query that is not known, and keeps its text and gives it a number; that of the first query
    /// of a shape is only noted. What does not pass a check is not kept.
    func newStatement(
        of shape: QueryShape, _ time: FetchTime, checking check: (BoundStatement) throws -> Void = { _ in }
    ) throws -> BoundStatement {
        let shapeNumber = ShapeNumber.bits(of: shape, time)
        let wasSeen = contents.withLock { $0.hasSeen(shapeNumber) }
        let statement = try shape.statement(time)
        try check(BoundStatement(statement))
        if !wasSeen { return BoundStatement(statement) }
        let number = BoundStatement.newNumber()
        let added = Known(
            parts: StatementParts(of: shape, time).parts, text: statement.text, number: number,
            isAutomatic: shape.path.isAutomatic)
        contents.withLock { contents in
            // Programs that write values into what they compare would otherwise grow this without end.
            if contents.byNumber.count >= 512 { contents.byNumber.removeAll() }
            var alike = contents.byNumber[shapeNumber] ?? []
            if alike.count >= 8 { alike.removeFirst() }
            alike.append(added)
            contents.byNumber[shapeNumber] = alike
            contents.use(added)
        }
        return BoundStatement(text: statement.text, values: statement.values, number: number)
    }
}

extension KnownStatements.Contents {
    /// Returns whether a shape was seen before; it is from now on.
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
    fileprivate func statement(of shape: QueryShape, _ time: FetchTime) -> BoundStatement? {
        if isAutomatic != shape.path.isAutomatic { return nil }
        return StatementComparison.values(of: shape, printedAs: parts, time).map {
            BoundStatement(text: text, values: $0, number: number)
        }
    }
}
