import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// Turns an old table into a new one: in place if SQLite can, or else by one copy.
    ///
    /// Rows that satisfy the condition `removed` are deleted. A copy takes the rows that satisfy `kept`.
    func transform(
        _ oldTable: Table, into table: Table, _ plans: [ColumnPlan], keeping kept: String?, removing removed: String?
    ) {
        if isUnchanged(oldTable, plans) {
            let kept = Dictionary(uniqueKeysWithValues: oldTable.columns.map { ($0.name, $0.name) })
            keptColumns[table.name] = kept
            dropIndexes(of: oldTable, in: table, kept)
            if let removed { clearings.append(.deleteRows(of: table.name, condition: removed)) }
        } else if canStay(oldTable, plans) {
            change(oldTable, into: table, plans, removing: removed)
        } else {
            rebuild(oldTable, into: table, plans, keeping: kept)
        }
    }

    /// Returns whether all columns are as they were, in the same order.
    private func isUnchanged(_ oldTable: Table, _ plans: [ColumnPlan]) -> Bool {
        oldTable.columns.count == plans.count
            && zip(oldTable.columns, plans).allSatisfy { column, plan in
                if plan.value == .generated { return column == plan.column }
                return column.name == plan.column.name && plan.value == .column(column.name)
                    && isSame(column, plan.column)
            }
    }

    private func rebuild(_ oldTable: Table, into table: Table, _ plans: [ColumnPlan], keeping kept: String?) {
        let temporary = MigrationOperation.replacementName(of: table.name)
        copies.append(.createReplacement(of: table.name, definition: table.definition(named: temporary)))
        copies.append(copy(into: temporary, plans, from: oldTable.name, where: kept))
        if table.primaryKey.isEmpty {
            planMark(of: temporary, from: [currentName(oldTable.name)])
        }
        clearings += [.dropTable(currentName(oldTable.name)), .replaceTable(table.name)]
    }

    private func change(_ oldTable: Table, into table: Table, _ plans: [ColumnPlan], removing removed: String?) {
        var kept: [String: String] = [:]
        var added: [ColumnPlan] = []
        var changed: [ColumnPlan] = []
        for plan in plans {
            if plan.value == .generated {
                kept[plan.column.name] = plan.column.name
                continue
            }
            guard let base = keptBase(of: plan, in: oldTable) else {
                copies.append(.addColumn(definition: plan.column.definition, to: table.name))
                let isDefault = plan.value == .constant(plan.column.defaultLiteral ?? "NULL")
                if !isDefault { added.append(plan) }
                continue
            }
            kept[base] = plan.column.name
            if plan.value != .column(base) { changed.append(plan) }
        }
        if !added.isEmpty {
            copies.append(update(of: table, added.map { ($0.column.name, $0.value) }, where: nil))
        }
        keptColumns[table.name] = kept

        dropIndexes(of: oldTable, in: table, kept)
        if let removed { clearings.append(.deleteRows(of: table.name, condition: removed)) }
        if !changed.isEmpty {
            let values = changed.map { ($0.value.base ?? $0.column.name, $0.value) }
            let conditions = values.map { "\(SQLText.identifier($0)) IS NOT \($1.sql)" }
            clearings.append(update(of: table, values, where: conditions.joined(separator: " OR ")))
        }
        for column in oldTable.columns where kept[column.name] == nil {
            clearings.append(.dropColumn(column.name, of: table.name))
        }
        for column in oldTable.columns {
            guard let newName = kept[column.name], newName != column.name else { continue }
            clearings.append(.renameColumn(column.name, of: table.name, to: newName))
        }
    }

    private func update(
        of table: Table, _ values: [(String, ColumnValue)], where condition: String?
    ) -> MigrationOperation {
        .updateRows(
            RowUpdate(of: table.name, columns: values.map(\.0), values: values.map(\.1.sql), where: condition))
    }

    /// The old column that stays as the new one; nil when the new one is added.
    private func keptBase(of plan: ColumnPlan, in oldTable: Table) -> String? {
        guard let base = plan.value.base, let column = oldTable.column(named: base),
            isSame(column, plan.column)
        else { return nil }
        return base
    }

    /// Returns whether a column can stay unchanged, except for its name. Tables count as the same if the old one became
    /// the new one.
    private func isSame(_ oldColumn: Column, _ newColumn: Column) -> Bool {
        var translated = oldColumn
        translated.name = newColumn.name
        if let reference = oldColumn.reference {
            guard let successor = successors[reference.tableName] else { return false }
            translated.reference?.tableName = successor
        }
        return translated == newColumn
    }

    /// Returns whether SQLite's own statements suffice, and cost no more than a copy.
    private func canStay(_ oldTable: Table, _ plans: [ColumnPlan]) -> Bool {
        let oldNames = Set(oldTable.columns.map { SQLText.folded($0.name) })
        var kept: Set<String> = []
        var changeCount = 0
        guard keepsGeneratedColumns(oldTable, plans) else { return false }
        for plan in plans {
            if plan.value == .generated {
                kept.insert(plan.column.name)
                continue
            }
            let isNewName = !oldNames.contains(SQLText.folded(plan.column.name))
            if let base = plan.value.base {
                // A column whose definition changes, and a second column with the same values, are copied.
                guard keptBase(of: plan, in: oldTable) != nil, kept.insert(base).inserted else { return false }
                let isRenamed = SQLText.folded(base) != SQLText.folded(plan.column.name)
                if isRenamed && !isNewName { return false }
                if plan.value.readsOtherTables { return false }
                if isRenamed { changeCount += 1 }
            } else {
                changeCount += 1
                if !isNewName || (plan.column.isRequired && plan.column.defaultLiteral == nil) { return false }
            }
        }
        // Each dropped column is a pass over the table, and so is a copy.
        return oldTable.columns.count - kept.count <= 1 && changeCount <= Self.maximumChanges
    }

    /// For each change of a table SQLite reads the whole schema again, which takes a millisecond with eighty tables, and
    /// longer the more columns the table has by then. This many cost about as much as copying ten thousand rows.
    private static let maximumChanges = 100
}
