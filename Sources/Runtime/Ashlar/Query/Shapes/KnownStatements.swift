import AshlarSQLite
import Synchronization

/// The texts of an entity's statements that differ only in their values between queries.
///
/// A query is compared with the parts of an earlier statement, which costs a fraction of writing its own.
final class KnownStatements: Sendable {
    /// The printed form of a query.
    fileprivate final class Known: Sendable {
        let parts: [SQLPart]
        let text: String
        let number: Int
        /// Whether SQLite chose the path. A plan may have the same text, but is looked up only after planning.
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
        /// The hashes of shapes that were used once. A statement that is used only once is not kept.
        var seen: Set<UInt64> = []
        /// The most recently used statements. They are compared first, because that is faster than computing a hash.
        var recent: [Known] = []
    }

    private let contents = Mutex(Contents())
    fileprivate static let recentCount = 4

    /// Returns the statement of a query with one of the most recently used shapes.
    func recentStatement(of shape: QueryShape, _ time: FetchTime) -> BoundStatement? {
        let recent = contents.withLock { $0.recent }
        var next = 0
        while next < recent.count {
            if let statement = recent[next].statement(of: shape, time) { return statement }
            next += 1
        }
        return nil
    }

    /// Returns the statement of a query with a shape that was used before, but not most recently.
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

    /// Writes the statement of an unknown query, keeps its text, and gives it a number. For the first query of a shape,
    /// only its hash is kept. A statement that does not pass a check is not kept.
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
            // Programs with literal values in expressions would otherwise add entries without limit.
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
    /// Returns whether a shape was used before, and records it.
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
