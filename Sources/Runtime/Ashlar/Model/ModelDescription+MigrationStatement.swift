import StoreDescription

extension ModelDescription {
    /// A statement of a migration with a description of its effect. Generated code creates it.
    public struct MigrationStatement: Sendable, Hashable {
        /// The purpose of a statement.
        enum Purpose: Hashable {
            /// It changes the store.
            case change
            /// It is a query that must return no row; otherwise the migration is refused. The first column of a row is
            /// the `id$` of an object of the entity that prevents the migration.
            case check(reason: String, entity: String)
            /// The author of the model wrote it, and it may change rows in any way.
            case custom
        }

        let purpose: Purpose
        var isCheck: Bool { if case .check = purpose { true } else { false } }
        /// The operation of the statement.
        package let operation: MigrationOperation

        /// The SQL of the statement.
        public var sql: String { operation.sql }

        init(_ operation: MigrationOperation, purpose: Purpose = .change) {
            self.operation = operation
            self.purpose = purpose
        }
    }
}

extension ModelDescription.MigrationStatement {
    /// Creates a statement, for a tool that plans a migration itself.
    package init(_ operation: MigrationOperation, check: (reason: String, entity: String)?, isCustom: Bool) {
        self.init(
            operation,
            purpose: isCustom ? .custom : check.map { .check(reason: $0.reason, entity: $0.entity) } ?? .change)
    }

    /// Returns a query that must return no row; otherwise the migration is refused.
    ///
    /// - Parameters:
    ///   - sql: The query. The first column of a row is the `id$` of an object that prevents the migration.
    ///   - tables: The tables that the query reads.
    ///   - reason: The reason of the refusal, as a sentence.
    ///   - entity: The entity of these objects.
    public static func check(_ sql: String, reading tables: [String], reason: String, entity: String) -> Self {
        Self(.query(reading: tables, statement: sql), purpose: .check(reason: reason, entity: entity))
    }

    /// Returns a statement that the author of the model wrote.
    public static func custom(_ sql: String) -> Self { Self(.other(sql), purpose: .custom) }

    // MARK: Tables

    /// Returns a statement that creates a table.
    public static func createTable(_ name: String, _ sql: String) -> Self { Self(.createTable(name, definition: sql)) }

    /// Returns a statement that creates the replacement of a table, under a temporary name.
    public static func createReplacement(of name: String, _ sql: String) -> Self {
        Self(.createReplacement(of: name, definition: sql))
    }

    /// Returns a statement that gives the replacement the name of the dropped table.
    public static func replaceTable(_ name: String) -> Self { Self(.replaceTable(name)) }

    /// Returns a statement that drops a table.
    public static func dropTable(_ name: String) -> Self { Self(.dropTable(name)) }

    /// Returns a statement that renames a table.
    public static func renameTable(_ name: String, to newName: String) -> Self { Self(.renameTable(name, to: newName)) }

    // MARK: Columns

    /// Returns a statement that adds a column, with a definition as in `CREATE TABLE`.
    public static func addColumn(_ definition: String, to table: String) -> Self {
        Self(.addColumn(definition: definition, to: table))
    }

    /// Returns a statement that drops a column.
    public static func dropColumn(_ name: String, of table: String) -> Self { Self(.dropColumn(name, of: table)) }

    /// Returns a statement that renames a column.
    public static func renameColumn(_ name: String, of table: String, to newName: String) -> Self {
        Self(.renameColumn(name, of: table, to: newName))
    }

    // MARK: Indexes, triggers and virtual tables

    /// Returns a statement that creates an index.
    public static func createIndex(_ name: String, on table: String, _ sql: String) -> Self {
        Self(.createIndex(name, on: table, definition: sql))
    }

    /// Returns a statement that drops an index.
    public static func dropIndex(_ name: String) -> Self { Self(.dropIndex(name)) }

    /// Returns a statement that creates a trigger.
    public static func createTrigger(_ name: String, _ sql: String) -> Self {
        Self(.createTrigger(name, definition: sql))
    }

    /// Returns a statement that drops a trigger.
    public static func dropTrigger(_ name: String) -> Self { Self(.dropTrigger(name)) }

    /// Returns a statement that creates an R-tree or a full-text index.
    public static func createVirtualTable(_ name: String, _ sql: String) -> Self {
        Self(.createVirtualTable(name, definition: sql))
    }

    /// Returns a statement that fills an R-tree or a full-text index from its table.
    public static func fillVirtualTable(
        _ name: String, from table: String, columns: [String], rows: String
    ) -> Self {
        Self(.fillVirtualTable(VirtualTableContents(name: name, columnNames: columns, rows: rows), from: table))
    }

    /// Returns a statement that drops an R-tree or a full-text index.
    public static func dropVirtualTable(_ name: String) -> Self { Self(.dropVirtualTable(name)) }

    // MARK: Rows

    /// Returns a statement that copies rows of a table to another. The values are SQL over a source row.
    public static func copyRows(
        into table: String, from source: String, columns: [String], values: [String], where condition: String? = nil
    ) -> Self {
        Self(.copyRows(RowCopy(into: table, columns: columns, values: values, from: source, where: condition)))
    }

    /// Returns a statement that inserts rows computed from those of other tables.
    public static func insertRows(into table: String, reading tables: [String], _ sql: String) -> Self {
        Self(.insertRows(into: table, reading: tables, statement: sql))
    }

    /// Returns a statement that updates columns of a table's rows. The values are SQL over the row.
    public static func updateRows(
        of table: String, columns: [String], values: [String], where condition: String? = nil
    ) -> Self {
        Self(.updateRows(RowUpdate(of: table, columns: columns, values: values, where: condition)))
    }

    /// Returns a statement that deletes rows of a table.
    public static func deleteRows(of table: String, where condition: String) -> Self {
        Self(.deleteRows(of: table, condition: condition))
    }

    /// Returns a statement that creates the record of the highest rowid that a table ever used, if it is missing.
    public static func makeMark(of table: String) -> Self { Self(.makeMark(of: table)) }

    /// Returns a statement that raises that record to the highest rowids of other tables.
    public static func raiseMark(of table: String, from others: [String]) -> Self {
        Self(.raiseMark(of: table, from: others))
    }
}
