import AshlarSQLite
import SystemFoundation

/// A text of `sqlite_schema`, with the type and name of the object that the file declares for it.
///
/// When SQLite loads a schema, it compiles only the first statement of such a text and ignores the rest. The author of
/// the file decides the rest, so only ``Connection/make(_:of:)`` executes such a text.
struct StoredDefinition: Hashable {
    enum Kind: String {
        case table, view, index, trigger
        /// A virtual table, with the shadow tables of its module.
        case virtualTable
    }

    var kind: Kind
    var name: String
    var sql: String
}

extension StoredDefinition {
    /// The object that the text should create, in the words of an error.
    fileprivate var object: String { "the \(kind == .virtualTable ? "table" : kind.rawValue) \(name)" }
}

extension Connection {
    /// Executes a text that creates an object in the connection's own database.
    ///
    /// - Throws: ``StoreError/unsafeSchema(_:object:reason:)``, with nothing executed, unless the text is a single
    ///   statement that creates the declared object; ``SQLiteError`` if the statement fails.
    func make(_ definition: StoredDefinition, of url: URL) throws {
        let makes = MadeObject(definition)
        do {
            try guarded(by: StatementGuard(allows: makes.allows)) { () throws(SQLiteError) in
                try execute(definition.sql, checking: makes.isMade(by:))
            }
        } catch {
            if error.code == SQLITE_AUTH || error.isRefusal {
                throw StoreError.unsafeSchema(url, object: definition.object, reason: error.message)
            }
            throw error
        }
    }
}

/// The effect of a definition's statement, as SQLite reports it.
private final class MadeObject {
    private let definition: StoredDefinition
    /// Whether the statement creates the declared object.
    private var isMade = false

    init(_ definition: StoredDefinition) { self.definition = definition }

    /// Returns whether a compiled statement creates the declared object. It returns false for nil, and for `EXPLAIN`,
    /// whose statement is compiled too.
    func isMade(by statement: OpaquePointer?) -> Bool {
        isMade && statement.map { !Statement.isExplained($0) } ?? false
    }

    func allows(_ step: StatementGuard.Step) -> Bool {
        guard StatementGuard.staysWithin(step), step.database.map({ StatementGuard.Step.isSame($0, "main") }) ?? true
        else { return false }
        switch step.action {
        case SQLITE_CREATE_TABLE where definition.kind == .virtualTable && isMade: return isPart(step.first)
        case SQLITE_CREATE_TABLE where definition.kind == .table && isMade:
            // With the first `AUTOINCREMENT` table, SQLite creates the table of the greatest numbers.
            return StatementGuard.Step.isSame(step.first, "sqlite_sequence")
        case SQLITE_CREATE_TABLE: return makes(.table, step.first)
        case SQLITE_CREATE_VTABLE: return makes(.virtualTable, step.first)
        case SQLITE_CREATE_VIEW: return makes(.view, step.first)
        case SQLITE_CREATE_TRIGGER: return makes(.trigger, step.first)
        case SQLITE_CREATE_INDEX:
            // SQLite creates the indexes of constraints with their table.
            return makes(.index, step.first) || definition.kind == .table || definition.kind == .virtualTable
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_READ, SQLITE_DELETE:
            // For a view or a trigger, SQLite only stores the text.
            if step.isOfSchemaTable || StatementGuard.Step.isSame(step.first, "sqlite_sequence") {
                return step.action != SQLITE_DELETE
            }
            if step.action == SQLITE_READ, definition.kind == .index || definition.kind == .table { return true }
            return definition.kind == .virtualTable && isPart(step.first)
        case SQLITE_FUNCTION, SQLITE_REINDEX: return true
        // A module reads its own tables.
        case SQLITE_SELECT, SQLITE_PRAGMA: return definition.kind == .virtualTable && isMade
        default: return false
        }
    }

    private func makes(_ kind: StoredDefinition.Kind, _ name: UnsafePointer<CChar>?) -> Bool {
        guard kind == definition.kind, StatementGuard.Step.isSame(name, definition.name) else { return false }
        isMade = true
        return true
    }

    /// Returns whether a table is a shadow table of the module.
    private func isPart(_ name: UnsafePointer<CChar>?) -> Bool {
        StatementGuard.Step.isBeginning(definition.name + "_", of: name)
            || StatementGuard.Step.isSame(name, definition.name)
    }
}
