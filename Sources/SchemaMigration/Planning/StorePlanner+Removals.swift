import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// Drops the tables that nothing became of, and those whose rows have been copied elsewhere.
    func planRemovedTables() {
        for table in old.schema.tables where table.content != .metadata && successors[table.name] == nil {
            clearings.append(.dropTable(currentName(table.name)))
        }
    }

    /// Clears references to objects that are gone, as the deletion rules say.
    func planSweeps() {
        var pending = new.schema.tables.map(\.name).filter { hasLost($0) }
        var seen = Set(pending)
        while let lost = pending.popLast() {
            for table in new.schema.tables {
                for column in table.columns where column.reference?.tableName == lost {
                    guard let removesRows = sweep(column, of: table, lost) else { continue }
                    if removesRows && table.content != .links && seen.insert(table.name).inserted {
                        pending.append(table.name)
                    }
                }
            }
        }
    }

    /// Whether there may be references to objects of a table that did not come along into it.
    private func hasLost(_ table: String) -> Bool {
        deduplicatedTables.contains(table) || (flows[table] ?? []).contains { !$0.isComplete }
    }

    /// Clears a column; says whether that removes rows, and nil when there is nothing to clear.
    private func sweep(_ column: Column, of table: Table, _ lost: String) -> Bool? {
        let isFilled: Bool
        switch table.content {
        case .objects: isFilled = !(flows[table.name] ?? []).isEmpty
        case .links:
            isFilled =
                successors.values.contains(table.name)
                || copies.contains { if case .insertRows(into: table.name, _, _) = $0 { true } else { false } }
        case .metadata: isFilled = false
        }
        guard isFilled, let reference = column.reference else { return nil }
        let name = SQLText.identifier(column.name)
        let identifiers = "SELECT \(SQLText.identifier(ColumnName.identifier)) FROM \(SQLText.identifier(lost))"
        let condition = "\(name) IS NOT NULL AND \(name) NOT IN (\(identifiers))"
        if !column.isRequired {
            sweeps.append(
                .updateRows(RowUpdate(of: table.name, columns: [column.name], values: ["NULL"], where: condition)))
            return false
        }
        // A reference that must not be cleared and does not cascade is for the check before the commit to refuse.
        guard reference.action == .cascade else { return nil }
        sweeps.append(.deleteRows(of: table.name, condition: condition))
        return true
    }
}
