import AshlarSQLite
import Synchronization

/// The most recently planned queries with their statements, so that an identical query is not planned each time.
///
/// A map view, for example, repeats queries for the same box. A plan has a limited number of uses, because the
/// statistics behind it may change. If planning again gives the same plan, it may be used more often.
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
    /// The number of uses of a new plan.
    private static let fewestUses = 16
    /// The maximum number of uses of a plan that was confirmed repeatedly.
    private static let mostUses = 256

    /// The number of queries that were planned so far.
    var planned: Int { plans.load(ordering: .relaxed) }

    /// Returns the statement of a query that was planned recently.
    func statement(
        of shape: QueryShape, _ entity: EntityNumber, _ request: AccessPlanner.Request, _ time: FetchTime
    ) -> BoundStatement? {
        guard let entry = entries.withLock({ $0 }).first(where: { $0.isOf(shape, entity, request, time) }),
            entry.uses.add(1, ordering: .relaxed).oldValue < entry.maximumUses
        else { return nil }
        return entry.statement
    }

    /// Removes all plans. This is necessary if a plan uses an index that has disappeared.
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
            // The entry of this query may be here with all its uses spent.
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
