import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// Computes what is derived anew, with the triggers out of the way while rows and columns change.
    ///
    /// It comes after the indexes that the values are found by, and before those that check that values are unique.
    func planDerivedColumns() {
        let before = old.schema.derivedColumns
        let after = new.schema.derivedColumns
        if before.isEmpty && after.isEmpty { return }
        let movesRows =
            !openings.isEmpty || !copies.isEmpty || !sweeps.isEmpty
            || clearings.contains { if case .dropIndex = $0 { false } else { true } }
        let letterTables = leavesLetterTables ? .none : LetterTableStatements(from: old.schema, to: new.schema)
        closings += letterTables.creations
        for column in after where !column.triggers.isEmpty && (movesRows || !before.contains(column)) {
            if flows[column.tableName]?.isEmpty == false { closings.append(MigrationStatement(backfill(of: column))) }
        }
        areTriggersReplaced = movesRows || before != after
        if areTriggersReplaced {
            let drops = before.flatMap(\.triggers).map { MigrationOperation.dropTrigger($0.name) }
            openings.insert(contentsOf: drops, at: 0)
        }
        closings += letterTables.removals
    }

    /// The triggers come last, so that nothing that the migration itself does fires them.
    func planDerivationTriggers() {
        guard areTriggersReplaced else { return }
        closings += new.schema.derivedColumns.flatMap(\.triggers).map { MigrationStatement($0.creation) }
    }

    /// Gives rows that are there already their derived value.
    private func backfill(of column: DerivedColumn) -> MigrationOperation {
        .updateRows(
            RowUpdate(
                of: column.tableName, columns: [column.columnName], values: [column.value],
                where: column.backfillCondition))
    }

    /// What a column of a derived attribute holds until it is computed: what it held before, mostly the same.
    func derivedValue(of attribute: Attribute, _ stored: StoredColumn, _ pair: EntityPair) -> ColumnValue {
        guard let source = match.oldProperty(attribute.name, of: pair.new), let before = source.attribute,
            before.type == attribute.type, let name = old.columnNames[source.key]
        else { return .constant(stored.column.defaultLiteral ?? "NULL") }
        return .column(name)
    }

    /// Whether the generated columns of a table are the same as before. SQLite cannot change them in place.
    func keepsGeneratedColumns(_ oldTable: Table, _ plans: [ColumnPlan]) -> Bool {
        oldTable.columns.filter { $0.generation != nil } == plans.map(\.column).filter { $0.generation != nil }
    }
}

extension Trigger {
    /// What makes the trigger.
    var creation: MigrationOperation { .createTrigger(name, definition: definition) }
}
