import Synchronization

/// The last queries that were planned, and what came of it: the very same query is not planned anew each time.
///
/// Whoever looks at a map asks for the same box again and again. A plan is of use for as many times only, since what it was
/// made by may change.
final class RecentPlans: Sendable {
    private final class Entry: Sendable {
        let entity: EntityNumber
        let shape: QueryShape
        let request: AccessPlanner.Request
        let statement: BoundStatement
        let values: [SQLiteValue]
        let uses = Atomic<Int>(0)

        init(
            _ entity: EntityNumber, _ shape: QueryShape, _ request: AccessPlanner.Request, _ statement: BoundStatement,
            _ values: [SQLiteValue]
        ) {
            self.entity = entity
            self.shape = shape
            self.request = request
            self.statement = statement
            self.values = values
        }

        func isOf(
            _ shape: QueryShape, _ entity: EntityNumber, _ request: AccessPlanner.Request, _ time: FetchTime
        ) -> Bool {
            self.entity == entity && self.request == request
                && shape.values(ifPrintedAs: self.shape, time) == values
        }
    }

    private let entries = Mutex<[Entry]>([])
    private let plans = Atomic<Int>(0)
    private static let capacity = 4
    private static let maximumUses = 16

    /// How many queries were planned so far.
    var planned: Int { plans.load(ordering: .relaxed) }

    /// The statement of a query, where it was planned lately.
    func statement(
        of shape: QueryShape, _ entity: EntityNumber, _ request: AccessPlanner.Request, _ time: FetchTime
    ) -> BoundStatement? {
        guard let entry = entries.withLock({ $0 }).first(where: { $0.isOf(shape, entity, request, time) }),
            entry.uses.add(1, ordering: .relaxed).oldValue < Self.maximumUses
        else { return nil }
        return entry.statement
    }

    /// Keeps the statement of a query.
    func remember(
        _ statement: BoundStatement, of shape: QueryShape, _ entity: EntityNumber, _ request: AccessPlanner.Request,
        _ time: FetchTime
    ) {
        plans.add(1, ordering: .relaxed)
        guard let values = shape.values(ifPrintedAs: shape, time) else { return }
        let added = Entry(entity, shape, request, statement, values)
        entries.withLock { entries in
            // One that was used up is among them.
            entries.removeAll { $0.entity == entity && $0.request == request && $0.values == values }
            if entries.count >= Self.capacity { entries.removeFirst() }
            entries.append(added)
        }
    }
}
