import AshlarSQLite
import StoreDescription

/// The statements that lead from a store's version to the current one.
struct MigrationChain {
    /// A statement of the migration to a version.
    struct Step {
        /// The version's position in the model.
        var version: Int
        var statement: ModelDescription.MigrationStatement
        /// Whether it is one of the checks at the end of its version, which come after the version's custom stage.
        var isFinalCheck = false
    }

    let model: ModelDescription
    /// The position of the store's version.
    let start: Int
    var steps: [Step]

    /// Makes the chain from the model's versions.
    ///
    /// - Parameter isTolerant: Whether a statement that drops an index, a trigger or an R-tree may find it missing.
    init(_ model: ModelDescription, from start: Int, isTolerant: Bool) {
        self.model = model
        self.start = start
        steps = model.versions.indices.dropFirst(start + 1).flatMap { index in
            let migration = model.versions[index].migration
            let end = migration.lastIndex { !$0.isCheck }.map { $0 + 1 } ?? 0
            return migration.enumerated().map { position, statement in
                let operation = isTolerant ? statement.operation.tolerant : statement.operation
                return Step(
                    version: index,
                    statement: ModelDescription.MigrationStatement(operation, purpose: statement.purpose),
                    isFinalCheck: position >= end)
            }
        }
    }

    /// Whether the store has the current version already.
    var isEmpty: Bool { start >= model.versions.count - 1 }

    /// Whether the author of the model wrote some of the statements.
    var hasCustomStatements: Bool {
        steps.contains { $0.statement.purpose == .custom }
    }

    /// The work of the statements.
    var work: [StatementWork] { steps.map { StatementWork($0.statement.operation) } }
}

extension Connection {
    /// Executes a statement. If it gives a table the name of a dropped one, the objects that refer to that name must
    /// neither change nor be checked.
    func execute(_ sql: String, asReplacement isReplacement: Bool) throws(SQLiteError) {
        if !isReplacement { return try execute(sql) }
        try execute("PRAGMA legacy_alter_table = ON")
        do {
            try execute(sql)
        } catch {
            // The first error is the one to throw.
            try? execute("PRAGMA legacy_alter_table = OFF")
            throw error
        }
        try execute("PRAGMA legacy_alter_table = OFF")
    }
}

extension MigrationChain {
    /// Returns whether a statement drops a table whose replacement takes its name next.
    func replacesTable(droppedBy index: Int) -> Bool {
        guard case .dropTable(let name) = steps[index].statement.operation, index + 1 < steps.count else {
            return false
        }
        switch steps[index + 1].statement.operation {
        case .replaceTable(name), .renameTable(_, to: name): return true
        default: return false
        }
    }

    /// Whether a table is rewritten and replaced.
    var replacesTables: Bool { steps.contains { $0.statement.operation.isReplacement } }
}
