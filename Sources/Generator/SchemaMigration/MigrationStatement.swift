public import DataModel
import StoreDescription

/// A statement of a migration.
public struct MigrationStatement: Sendable, Hashable {
    /// The purpose of a statement.
    public enum Purpose: Sendable, Hashable {
        /// It changes the store.
        case change
        /// The statement is a query. If it returns a row, the migration fails.
        ///
        /// The first column of a row is the `id$` of an object that prevents the migration. The reason is a sentence
        /// without a full stop; the entity name is that of the object.
        case check(reason: String, entityName: String)
        /// The author wrote it, at a place; it may do anything with the rows.
        case custom(SourceLocation)
    }

    public var purpose: Purpose
    /// The operation of the statement.
    package var operation: MigrationOperation

    /// One statement, without a semicolon at its end.
    public internal(set) var sql: String {
        get { operation.sql }
        set { operation = .other(newValue) }
    }

    /// Makes a statement that is known only by its text.
    public init(_ sql: String, purpose: Purpose = .change) {
        self.init(.other(sql), purpose: purpose)
    }

    /// Makes a statement.
    package init(_ operation: MigrationOperation, purpose: Purpose = .change) {
        self.purpose = purpose
        self.operation = operation
    }
}
