import StoreDescription

extension ModelDescription {
    /// A statement of a migration, which knows what it does beside its SQL; generated code makes it.
    public struct MigrationStatement: Sendable, Hashable {
        /// What a statement is for.
        enum Purpose: Hashable {
            /// It changes the store.
            case change
            /// It is a query that must give no row, else the migration is refused. The first column of a row is the `id$`
            /// of an object of the entity that stands in the way.
            case check(reason: String, entity: String)
            /// The author of the model wrote it, and it may do anything with the rows.
            case custom
        }

        let purpose: Purpose
        var isCheck: Bool { if case .check = purpose { true } else { false } }
        /// What it does.
        let operation: MigrationOperation

        /// The SQL.
        public var sql: String { operation.sql }

        init(_ operation: MigrationOperation, purpose: Purpose = .change) {
            self.operation = operation
            self.purpose = purpose
        }
    }
}

extension ModelDescription.MigrationStatement {
    /// Makes a statement; a tool that plans a migration itself does.
    package init(_ operation: MigrationOperation, check: (reason: String, entity: String)?, isCustom: Bool) {
        self.init(
            operation,
            purpose: isCustom ? .custom : check.map { .check(reason: $0.reason, entity: $0.entity) } ?? .change)
    }

    /// A query of tables that must give no row, else the migration is refused: the reason is a sentence, and the first
    /// column of a row is the `id$` of an object of the entity that stands in the way.
    public static func check(_ sql: String, reading tables: [String], reason: String, entity: String) -> Self {
        Self(.query(reading: tables, statement: sql), purpose: .check(reason: reason, entity: entity))
    }

    /// A statement that the author of the model wrote.
    public static func custom(_ sql: String) -> Self { Self(.other(sql), purpose: .custom) }

    // MARK: Tables

    /// Makes a table.
    public static func createTable(_ name: String, _ sql: String) -> Self { Self(.createTable(name, definition: sql)) }

    /// Makes the table that is to take the place of another, under a name for the while.
    public static func createReplacement(of name: String, _ sql: String) -> Self {
        Self(.createReplacement(of: name, definition: sql))
    }

    /// Gives that table the name of the one that was dropped.
    public static func replaceTable(_ name: String) -> Self { Self(.replaceTable(name)) }

    /// Drops a table.
    public static func dropTable(_ name: String) -> Self { Self(.dropTable(name)) }

    /// Gives a table another name.
    public static func renameTable(_ name: String, to newName: String) -> Self { Self(.renameTable(name, to: newName)) }

    // MARK: Columns

    /// Adds a column, as `CREATE TABLE` would define it.
    public static func addColumn(_ definition: String, to table: String) -> Self {
        Self(.addColumn(definition: definition, to: table))
    }

    /// Drops a column.
    public static func dropColumn(_ name: String, of table: String) -> Self { Self(.dropColumn(name, of: table)) }

    /// Gives a column another name.
    public static func renameColumn(_ name: String, of table: String, to newName: String) -> Self {
        Self(.renameColumn(name, of: table, to: newName))
    }

    // MARK: What belongs to tables

    /// Makes an index.
    public static func createIndex(_ name: String, on table: String, _ sql: String) -> Self {
        Self(.createIndex(name, on: table, definition: sql))
    }

    /// Drops an index.
    public static func dropIndex(_ name: String) -> Self { Self(.dropIndex(name)) }

    /// Makes a trigger.
    public static func createTrigger(_ name: String, _ sql: String) -> Self {
        Self(.createTrigger(name, definition: sql))
    }

    /// Drops a trigger.
    public static func dropTrigger(_ name: String) -> Self { Self(.dropTrigger(name)) }

    /// Makes an R-tree or a full-text index.
    public static func createVirtualTable(_ name: String, _ sql: String) -> Self {
        Self(.createVirtualTable(name, definition: sql))
    }

    /// Fills an R-tree or a full-text index from its table.
    public static func fillVirtualTable(
        _ name: String, from table: String, columns: [String], rows: String
    ) -> Self {
        Self(.fillVirtualTable(VirtualTableContents(name: name, columnNames: columns, rows: rows), from: table))
    }

    /// Drops an R-tree or a full-text index.
    public static func dropVirtualTable(_ name: String) -> Self { Self(.dropVirtualTable(name)) }

    // MARK: Rows

    /// Copies rows of a table into another; the values are SQL over a row that is read.
    public static func copyRows(
        into table: String, from source: String, columns: [String], values: [String], where condition: String? = nil
    ) -> Self {
        Self(.copyRows(RowCopy(into: table, columns: columns, values: values, from: source, where: condition)))
    }

    /// Writes rows into a table that are made from those of others.
    public static func insertRows(into table: String, reading tables: [String], _ sql: String) -> Self {
        Self(.insertRows(into: table, reading: tables, statement: sql))
    }

    /// Gives columns of a table's rows other values, which are SQL over the row.
    public static func updateRows(
        of table: String, columns: [String], values: [String], where condition: String? = nil
    ) -> Self {
        Self(.updateRows(RowUpdate(of: table, columns: columns, values: values, where: condition)))
    }

    /// Deletes rows of a table.
    public static func deleteRows(of table: String, where condition: String) -> Self {
        Self(.deleteRows(of: table, condition: condition))
    }

    /// Sees to it that there is a mark of the rowids that a table ever used.
    public static func makeMark(of table: String) -> Self { Self(.makeMark(of: table)) }

    /// Carries over what rowids other tables ever used.
    public static func raiseMark(of table: String, from others: [String]) -> Self {
        Self(.raiseMark(of: table, from: others))
    }
}
