import AshlarSQLite

/// The statements that lead from a store's version to the current one.
struct MigrationChain {
    /// A statement of the migration to a version.
    struct Step {
        /// The version's position in the model.
        var version: Int
        var statement: ModelDescription.MigrationStatement
    }

    let model: ModelDescription
    /// The position of the store's version.
    let start: Int
    var steps: [Step]

    /// Makes the chain as the model has it.
    ///
    /// - Parameter isTolerant: Whether indexes, triggers and R-trees need not be there to be dropped.
    init(_ model: ModelDescription, from start: Int, isTolerant: Bool) {
        self.model = model
        self.start = start
        steps = model.versions.indices.dropFirst(start + 1).flatMap { index in
            model.versions[index].migration.map { statement in
                if isTolerant, case .change(let sql) = statement {
                    return Step(version: index, statement: .change(Self.tolerant(sql)))
                }
                return Step(version: index, statement: statement)
            }
        }
    }

    /// Whether anything leads to another version.
    var isEmpty: Bool { start >= model.versions.count - 1 }

    /// Whether the author of the model wrote some of the statements.
    var hasCustomStatements: Bool {
        steps.contains { if case .custom = $0.statement { true } else { false } }
    }

    var statements: [String] { steps.map(\.statement.sql) }

    private static let objectDrops = [
        "DROP INDEX ", "DROP TRIGGER ", "DROP TABLE \"rtree$", "DROP TABLE \"fulltext$",
    ]

    /// The statement, where it drops something that need not be there.
    private static func tolerant(_ sql: String) -> String {
        for start in objectDrops where sql.hasPrefix(start) {
            let words = start.hasPrefix("DROP TABLE") ? "DROP TABLE " : start
            return "\(words)IF EXISTS \(sql.dropFirst(words.count))"
        }
        return sql
    }
}

extension ModelDescription.MigrationStatement {
    /// The statement's text.
    var sql: String {
        switch self {
        case .change(let sql), .custom(let sql): sql
        case .check(let sql, _, _): sql
        }
    }
}

extension Connection {
    /// Runs a statement. Where it gives a table the name of one that was dropped, what refers to that name must neither
    /// change nor be tested.
    func execute(_ sql: String, asReplacement isReplacement: Bool) throws(SQLiteError) {
        if !isReplacement { return try execute(sql) }
        try execute("PRAGMA legacy_alter_table = ON")
        do {
            try execute(sql)
        } catch {
            // The error to tell is the first.
            try? execute("PRAGMA legacy_alter_table = OFF")
            throw error
        }
        try execute("PRAGMA legacy_alter_table = OFF")
    }
}

extension MigrationChain {
    /// Whether a statement drops a table whose name another takes at once.
    func replacesTable(droppedBy index: Int) -> Bool {
        let work = StatementWork(steps[index].statement.sql)
        guard work.action == .dropTable, index + 1 < steps.count else { return false }
        let next = StatementWork(steps[index + 1].statement.sql)
        return next.action == .renameTable(work.table)
    }
}
