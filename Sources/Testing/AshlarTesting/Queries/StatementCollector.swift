import Ashlar
import AshlarSQLite
import IndexAdvice
import Synchronization

/// Collects the statements of a container or of a context, and has them explained where they ran.
///
/// A plan is requested on the statement's own connection as soon as its trace has ended: in the same store, which may
/// have no other connection, and without being counted or recorded.
final class StatementCollector: StatementListener {
    private struct Run {
        var sql: String
        var rowCount: Int
        var contextName: String?
    }

    private struct State {
        var runs: [Run] = []
        /// The statements that are not explained yet.
        var waiting: Set<String> = []
        var explanations: [String: Result<[ExplainedStep], SQLiteError>] = [:]
    }

    private let container: ModelContainer
    private let context: ObjectIdentifier?
    private let state = Mutex(State())

    init(_ container: ModelContainer, context: ModelContext?) {
        self.container = container
        self.context = context.map {
            var outermost = $0
            while let parent = outermost.parent { outermost = parent }
            return ObjectIdentifier(outermost)
        }
    }

    func listens(to context: AnyObject) -> Bool { self.context == nil || self.context == ObjectIdentifier(context) }

    func note(_ event: StatementEvent) {
        guard StatementShape.isOfModel(event.sql) else { return }
        state.withLock { state in
            state.runs.append(Run(sql: event.sql, rowCount: event.rowCount, contextName: event.contextName))
            if state.explanations[event.sql] == nil { state.waiting.insert(event.sql) }
        }
    }

    func didRun(on connection: Connection) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for sql in waiting {
            let explanation = Result { () throws(SQLiteError) in try connection.explanation(of: sql) }
            state.withLock { $0.explanations[sql] = explanation }
        }
    }

    // MARK: Collecting

    func collect(_ body: () throws -> Void) throws -> QueryRecording {
        do {
            container.statementListeners.add(self)
            defer { container.statementListeners.remove(self) }
            try body()
        }
        return try recording()
    }

    func collect(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws -> QueryRecording {
        do {
            container.statementListeners.add(self)
            defer { container.statementListeners.remove(self) }
            try await body()
        }
        return try recording()
    }

    private func recording() throws -> QueryRecording {
        let names = StoreNames(container.model)
        let (runs, explanations) = state.withLock { ($0.runs, $0.explanations) }
        var known: [String: (shape: String, plan: QueryPlan)] = [:]
        var statements: [RecordedStatement] = []
        for run in runs {
            let found: (shape: String, plan: QueryPlan)
            if let explained = known[run.sql] {
                found = explained
            } else {
                // If another thread is still explaining a statement, it belongs to a task that the recording does not
                // wait for.
                guard let explanation = explanations[run.sql] else { continue }
                let shape = StatementShape(run.sql).sql
                found = (shape, QueryPlan(explained: try explanation.explaining(shape)))
                known[run.sql] = found
            }
            statements.append(
                RecordedStatement(
                    found.shape, rowCount: run.rowCount, contextName: run.contextName, found.plan, names))
        }
        return QueryRecording(statements)
    }
}

extension Result where Success == [ExplainedStep], Failure == SQLiteError {
    /// The steps of a statement.
    fileprivate func explaining(_ sql: String) throws(QueryPlanError) -> [ExplainedStep] {
        switch self {
        case .success(let steps): steps
        case .failure(let error): throw .notExplained(sql: sql, reason: error.message)
        }
    }
}

extension QueryPlan {
    init(explained steps: [ExplainedStep]) {
        self.init(steps: steps.map { Step(identifier: $0.identifier, parent: $0.parent, detail: $0.detail) })
    }
}
