import AshlarSQLite
import Synchronization

/// The last queries that were planned, and what came of it: the very same query is not planned anew each time.
///
/// Whoever looks at a map asks for the same box again and again. A plan is of use for some times only, since what it was
/// made by may change; for more where it was the same when it was made again.
final class RecentPlans: Sendable {
    private final class Entry: Sendable {
        let entity: EntityNumber
        let parts: [SQLPart]
        let request: AccessPlanner.Request
        let statement: BoundStatement
        let values: [SQLiteValue]
        let maximumUses: Int
        let uses = Atomic<Int>(0)

        init(
            _ entity: EntityNumber, _ parts: [SQLPart], _ request: AccessPlanner.Request, _ statement: BoundStatement,
            _ values: [SQLiteValue], maximumUses: Int
        ) {
            self.maximumUses = maximumUses
            self.entity = entity
            self.parts = parts
            self.request = request
            self.statement = statement
            self.values = values
        }

        func isOf(
            _ shape: QueryShape, _ entity: EntityNumber, _ request: AccessPlanner.Request, _ time: FetchTime
        ) -> Bool {
            self.entity == entity && self.request == request
                && StatementComparison.values(of: shape, printedAs: parts, time) == values
        }
    }

    private let entries = Mutex<[Entry]>([])
    private let plans = Atomic<Int>(0)
    private static let capacity = 4
    /// How often a new plan is used.
    private static let fewestUses = 16
    /// How often one is used that was made again and again.
    private static let mostUses = 256

    /// How many queries were planned so far.
    var planned: Int { plans.load(ordering: .relaxed) }

    /// The statement of a query, where it was planned lately.
    func statement(
        of shape: QueryShape, _ entity: EntityNumber, _ request: AccessPlanner.Request, _ time: FetchTime
    ) -> BoundStatement? {
        guard let entry = entries.withLock({ $0 }).first(where: { $0.isOf(shape, entity, request, time) }),
            entry.uses.add(1, ordering: .relaxed).oldValue < entry.maximumUses
        else { return nil }
        return entry.statement
    }

    /// Forgets all, as must be done when a plan turns out to use what is no more.
    func forget() { entries.withLock { $0 = [] } }

    /// Keeps the statement of a query.
    func remember(
        _ statement: BoundStatement, of shape: QueryShape, _ entity: EntityNumber, _ request: AccessPlanner.Request,
        _ time: FetchTime
    ) {
        plans.add(1, ordering: .relaxed)
        let printed = StatementParts(of: shape, time)
        let values = printed.values
        entries.withLock { entries in
            // One that was used up is among them.
            let position = entries.firstIndex { entry in
                entry.entity == entity && entry.request == request && entry.values == values
            }
            let known = position.map { entries.remove(at: $0) }
            let isSame = known?.statement.isPlanned(as: statement) ?? false
            let uses = isSame ? min(Self.mostUses, (known?.maximumUses ?? 0) * 2) : Self.fewestUses
            let added = Entry(entity, printed.parts, request, statement, values, maximumUses: uses)
            if entries.count >= Self.capacity { entries.removeFirst() }
            entries.append(added)
        }
    }
}

extension BoundStatement {
    /// Returns whether another statement finds its rows in the same way.
    fileprivate func isPlanned(as other: BoundStatement) -> Bool {
        text == other.text && detour?.statement.text == other.detour?.statement.text
    }
}
