import AshlarSQLite
import SystemFoundation

/// A text of `sqlite_schema`, with what the file says that it makes.
///
/// SQLite compiles the first statement of such a text when it loads a schema and takes no notice of what follows, and
/// whoever wrote the file decided what that is. So such a text is run by ``Connection/make(_:)`` alone.
struct StoredDefinition: Hashable {
    enum Kind: String {
        case table, view, index, trigger
        /// A table of a module, with the tables that the module makes for itself.
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
    /// Runs the text of a store that makes something in the connection's own database.
    ///
    /// - Throws: ``StoreError/unsafeSchema(_:object:reason:)``, with nothing run, where the text is anything but one
    ///   statement that makes what it should, of that name; ``SQLiteError`` where that fails.
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
    /// Whether it makes what it should.
    private var isMade = false

    init(_ definition: StoredDefinition) { self.definition = definition }

    /// Returns whether a statement that was compiled makes it; nil is none. One that is only explained is compiled too.
    func isMade(by statement: OpaquePointer?) -> Bool {
        isMade && statement.map { !Statement.isExplained($0) } ?? false
    }

    func allows(_ step: StatementGuard.Step) -> Bool {
        guard StatementGuard.staysWithin(step), step.database.map({ StatementGuard.Step.isSame($0, "main") }) ?? true
        else { return false }
        switch step.action {
        case SQLITE_CREATE_TABLE where definition.kind == .virtualTable && isMade: return isPart(step.first)
        case SQLITE_CREATE_TABLE where definition.kind == .table && isMade:
            // The first table that never uses a number twice has SQLite make where it keeps them.
            return StatementGuard.Step.isSame(step.first, "sqlite_sequence")
        case SQLITE_CREATE_TABLE: return makes(.table, step.first)
        case SQLITE_CREATE_VTABLE: return makes(.virtualTable, step.first)
        case SQLITE_CREATE_VIEW: return makes(.view, step.first)
        case SQLITE_CREATE_TRIGGER: return makes(.trigger, step.first)
        case SQLITE_CREATE_INDEX:
            // SQLite makes the indexes of constraints with their table.
            return makes(.index, step.first) || definition.kind == .table || definition.kind == .virtualTable
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_READ, SQLITE_DELETE:
            // Of a view or a trigger SQLite only notes the text.
            if step.isOfSchemaTable || StatementGuard.Step.isSame(step.first, "sqlite_sequence") {
                return step.action != SQLITE_DELETE
            }
            if step.action == SQLITE_READ, definition.kind == .index || definition.kind == .table { return true }
            return definition.kind == .virtualTable && isPart(step.first)
        case SQLITE_FUNCTION, SQLITE_REINDEX: return true
        // A module looks at its own tables.
        case SQLITE_SELECT, SQLITE_PRAGMA: return definition.kind == .virtualTable && isMade
        default: return false
        }
    }

    private func makes(_ kind: StoredDefinition.Kind, _ name: UnsafePointer<CChar>?) -> Bool {
        guard kind == definition.kind, StatementGuard.Step.isSame(name, definition.name) else { return false }
        isMade = true
        return true
    }

    /// Returns whether a table is one that a module makes for its own.
    private func isPart(_ name: UnsafePointer<CChar>?) -> Bool {
        StatementGuard.Step.isBeginning(definition.name + "_", of: name)
            || StatementGuard.Step.isSame(name, definition.name)
    }
}
