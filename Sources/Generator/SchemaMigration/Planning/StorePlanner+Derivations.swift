import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// Recomputes values that are derived from tables whose rows or columns change. Their triggers are absent
    /// meanwhile.
    ///
    /// This comes after the indexes that are used to find the values, and before those that check that values are
    /// unique.
    func planDerivedColumns() {
        let before = Set(old.schema.derivedColumns)
        if before.isEmpty && new.schema.derivedColumns.isEmpty { return }
        let touched = touchedTables
        let letterTables = leavesLetterTables ? .none : LetterTableStatements(from: old.schema, to: new.schema)
        closings += letterTables.creations
        var computed: [DerivedColumn] = []
        // Columns that others are derived from come first.
        for column in new.schema.derivedColumns {
            if before.contains(column), touched.isDisjoint(with: column.tableNames),
                !computed.contains(where: { column.isDerived(from: $0) })
            {
                keptDerivedColumns.insert(column)
            } else if !column.triggers.isEmpty, flows[column.tableName]?.isEmpty == false {
                closings.append(MigrationStatement(backfill(of: column)))
                computed.append(column)
            }
        }
        let drops = old.schema.derivedColumns.filter { !keptDerivedColumns.contains($0) }.flatMap(\.triggers)
        openings.insert(contentsOf: drops.map { .dropTrigger($0.name) }, at: 0)
        closings += letterTables.removals
    }

    /// The triggers come last, so that the migration's own statements do not fire them.
    func planDerivationTriggers() {
        let columns = new.schema.derivedColumns.filter { !keptDerivedColumns.contains($0) }
        closings += columns.flatMap(\.triggers).map { MigrationStatement($0.creation) }
    }

    /// The tables that lose, gain or change rows, or lose or change columns, by their names before and after. Adding a
    /// column changes no value that is derived from other columns.
    private var touchedTables: Set<String> {
        Set((openings + copies + clearings + sweeps.map(\.operation)).flatMap(\.touchedTables))
    }

    /// Gives existing rows their derived value.
    private func backfill(of column: DerivedColumn) -> MigrationOperation {
        .updateRows(
            RowUpdate(
                of: column.tableName, columns: [column.columnName], values: [column.value],
                where: column.backfillCondition))
    }

    /// Returns the value of a derived attribute's column until it is computed, usually the old one.
    func derivedValue(of attribute: Attribute, _ stored: StoredColumn, _ pair: EntityPair) -> ColumnValue {
        guard let source = match.oldProperty(attribute.name, of: pair.new), let before = source.attribute,
            before.type == attribute.type, let name = old.columnNames[source.key]
        else { return .constant(stored.column.defaultLiteral ?? "NULL") }
        return .column(name)
    }

    /// Returns whether the generated columns of a table are the same as before. SQLite cannot change them in place.
    func keepsGeneratedColumns(_ oldTable: Table, _ plans: [ColumnPlan]) -> Bool {
        oldTable.columns.filter { $0.generation != nil } == plans.map(\.column).filter { $0.generation != nil }
    }
}

extension DerivedColumn {
    /// The tables whose rows the value depends on, including its own.
    fileprivate var tableNames: Set<String> { Set([tableName] + triggers.map(\.tableName)) }

    fileprivate func isDerived(from other: DerivedColumn) -> Bool {
        sourceTableName == other.tableName && sourceColumnNames.contains(other.columnName)
    }
}

extension MigrationOperation {
    /// The tables whose triggers must be absent while it runs.
    fileprivate var touchedTables: [String] {
        switch self {
        case .createTable(let name, _), .createReplacement(let name, _), .replaceTable(let name), .dropTable(let name),
            .dropColumn(_, let name), .renameColumn(_, let name, _), .insertRows(let name, _, _),
            .deleteRows(let name, _):
            [name]
        case .renameTable(let name, let newName): [name, newName]
        case .copyRows(let copy): [copy.table]
        case .updateRows(let update): [update.table]
        case .addColumn, .createIndex, .dropIndex, .createTrigger, .dropTrigger, .createVirtualTable, .fillVirtualTable,
            .dropVirtualTable, .makeMark, .raiseMark, .query, .other:
            []
        }
    }
}

extension Trigger {
    /// The operation that creates the trigger.
    var creation: MigrationOperation { .createTrigger(name, definition: definition) }
}
