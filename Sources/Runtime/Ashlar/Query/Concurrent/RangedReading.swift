import AshlarSQLite
import Dispatch
import Synchronization

/// A read of a table's rows by several threads in one state of the store. Each thread reads some ranges of rowids.
///
/// There is one connection for each thread. The threads are the caller's own and those of Dispatch. If these are busy,
/// the caller's thread reads all ranges, so that it never waits for a thread.
struct RangedReading: Sendable {
    private let readers: ReadersOfOneState
    private let pool: ConnectionPool
    /// The ranges in the order of the rows. The first begins before all rows, and the last ends after them.
    let ranges: [ClosedRange<Int64>]

    /// Begins to read; nil if it is not worth it, or not possible at this moment.
    ///
    /// - Parameters:
    ///   - sql: The statement that finds the rows. Ranges speed it up only if SQLite scans the table.
    ///   - position: The row that the caller has reached.
    init?(_ pool: ConnectionPool, _ entity: EntityDescription, _ sql: BoundStatement, at position: Int64?) throws {
        let settings = pool.parallelReading.withLock { $0 }
        let bounds = try Self.bounds(pool, entity, sql)
        guard let bounds else { return nil }
        let width = bounds.upperBound.subtractingReportingOverflow(bounds.lowerBound)
        if width.overflow { return nil }
        let done = position.map { Double($0) - Double(bounds.lowerBound) + 1 } ?? Double(settings.probedRowCount)
        if Double(width.partialValue) + 1 < done * Double(settings.leastRest + 1) { return nil }
        guard let readers = try ReadersOfOneState.begin(settings.threadCount, of: pool) else { return nil }
        self.readers = readers
        self.pool = pool
        ranges = Self.ranges(bounds, settings.threadCount * settings.rangesPerThread)
    }

    /// Returns the least and the greatest rowid of the table; nil if SQLite does not scan the table.
    private static func bounds(
        _ pool: ConnectionPool, _ entity: EntityDescription, _ sql: BoundStatement
    ) throws -> ClosedRange<Int64>? {
        try pool.read { connection in
            let steps = try connection.queryPlan(of: sql)
            guard steps.count == 1, steps[0].hasPrefix("SCAN "), !steps[0].contains(" USING "),
                !steps[0].contains(" VIRTUAL ")
            else { return nil }
            let table = entity.tableName.quotedIdentifier
            guard let least = try connection.integer("SELECT min(\"id$\") FROM \(table)"),
                let greatest = try connection.integer("SELECT max(\"id$\") FROM \(table)"), least <= greatest
            else { return nil }
            return least...greatest
        }
    }

    static func ranges(_ bounds: ClosedRange<Int64>, _ count: Int) -> [ClosedRange<Int64>] {
        let width = (bounds.upperBound - bounds.lowerBound) / Int64(count) + 1
        var result: [ClosedRange<Int64>] = []
        var start = bounds.lowerBound
        while start <= bounds.upperBound - width {
            result.append(start...(start + width - 1))
            start += width
        }
        result.append(start...Int64.max)
        // Other contexts may insert rows anywhere before the readers begin.
        result[0] = Int64.min...result[0].upperBound
        return result
    }

    /// Returns the results of a closure for each statement. The statements are those of the ranges, in order.
    ///
    /// - Throws: The closure's error for the first range for which it fails; `CancellationError`. The statements are
    ///   counted in any case.
    func parts<Part>(
        _ statements: [BoundStatement], _ cancellation: FetchCancellation?, counting runs: inout Int,
        _ body: @Sendable (Connection, BoundStatement) throws -> Part
    ) throws -> [Part] {
        let connections = readers.connections
        let before = connections.reduce(0) { $0 + $1.runs.count }
        let results = RangeResults<Part>(statements.count)
        DispatchQueue.concurrentPerform(iterations: connections.count) { thread in
            results.fill { position in
                let connection = connections[thread]
                var part: Part?
                try pool.read(connection) { connection in
                    part =
                        try cancellation?.run(connection) { try body($0, statements[position]) }
                        ?? body(connection, statements[position])
                }
                // The closure either ran to its end or threw.
                return part.unsafelyUnwrapped
            }
        }
        runs &+= connections.reduce(0) { $0 + $1.runs.count } &- before
        return try results.all()
    }
}

/// The results of several threads, each at its own position.
///
/// Unchecked, because only the thread that took a position writes to it, and results are read when all threads have
/// ended.
private final class RangeResults<Part>: @unchecked Sendable {
    private let places: UnsafeMutableBufferPointer<Result<Part, any Error>?>
    private let next = Atomic(0)
    private let hasFailed = Atomic(false)

    init(_ count: Int) {
        places = .allocate(capacity: count)
        places.initialize(repeating: nil)
    }

    deinit {
        places.deinitialize()
        places.deallocate()
    }

    /// Takes positions in order, until none is left or one failed.
    func fill(_ body: (Int) throws -> Part) {
        while !hasFailed.load(ordering: .relaxed) {
            let position = next.add(1, ordering: .relaxed).oldValue
            if position >= places.count { return }
            let result = Result { try body(position) }
            if case .failure = result { hasFailed.store(true, ordering: .relaxed) }
            places[position] = result
        }
    }

    /// Returns the results in order. Positions before the first failure were taken earlier, so their results exist.
    func all() throws -> [Part] {
        var parts: [Part] = []
        parts.reserveCapacity(places.count)
        for place in places { if let place { parts.append(try place.get()) } }
        return parts
    }
}
