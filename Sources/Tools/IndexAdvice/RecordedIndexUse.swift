import AshlarSQLite

/// The indexes of a database that recorded statements use, according to its own planner and statistics.
///
/// The statements are explained, and never run.
package struct RecordedIndexUse {
    /// A statement that uses an index.
    package struct Use: Sendable, Hashable {
        /// The number of different statements.
        package var statements = 0
        /// The number of their runs.
        package var runs = 0
    }

    private let uses: [String: Use]
    /// The number of statements that the database rejects, because it lacks their tables, for instance.
    package private(set) var failedCount = 0

    /// Explains the statements of a recording.
    ///
    /// - Parameter connection: Reads the database. Its limits are lowered, as a recording may be anybody's.
    package init(_ recording: StatementRecording, on connection: Connection) throws(SQLiteError) {
        let planner = PlannerDatabase(over: connection)
        let names = Set(try connection.schema().objects.filter { $0.kind == .index || $0.isVirtualTable }.map(\.name))
        var uses: [String: Use] = [:]
        for query in recording.queries {
            guard let plan = try? planner.plan(of: query.sql) else {
                failedCount += 1
                continue
            }
            for name in names where plan.mentions(name) {
                uses[name, default: Use()].statements += 1
                let (runs, isOver) = uses[name, default: Use()].runs.addingReportingOverflow(query.usage?.count ?? 0)
                uses[name]?.runs = isOver ? .max : runs
            }
        }
        self.uses = uses
    }

    /// The use of an index or a virtual table.
    package subscript(name: String) -> Use { uses[name] ?? Use() }
}
