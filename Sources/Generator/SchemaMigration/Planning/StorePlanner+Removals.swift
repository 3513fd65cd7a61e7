import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// Drops the tables without a successor, and those whose rows have been copied elsewhere.
    func planRemovedTables() {
        for table in old.schema.tables where table.content != .metadata && successors[table.name] == nil {
            clearings.append(.dropTable(currentName(table.name)))
        }
    }

    /// Clears references to deleted objects, according to the deletion rules.
    func planSweeps() {
        let lost = match.removedEntityNames.union(
            deduplicatedTables.flatMap { new.entityNames[$0] ?? [] }.compactMap { match.oldEntityNames[$0] })
        obstacles = match.bindings(toDeleted: lost).filter { !$0.isCascading }
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

    /// Returns whether there may be references to objects of a table that did not come along into it.
    private func hasLost(_ table: String) -> Bool {
        deduplicatedTables.contains(table) || (flows[table] ?? []).contains { !$0.isComplete }
    }

    /// Clears a column. Returns whether that removes rows, and nil if there is nothing to clear.
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
                MigrationStatement(
                    .updateRows(
                        RowUpdate(of: table.name, columns: [column.name], values: ["NULL"], where: condition))))
            return false
        }
        guard reference.action == .cascade else {
            refuse(column, of: table, where: condition)
            return nil
        }
        sweeps.append(MigrationStatement(.deleteRows(of: table.name, condition: condition)))
        return true
    }

    /// Refuses a reference that must not be cleared and whose object does not go along.
    private func refuse(_ column: Column, of table: Table, where condition: String) {
        guard
            let binding = obstacles.first(where: { new.columnNames[$0.key] == column.name && isStored($0, in: table) }),
            let relationship = new.property(binding.key)?.relationship
        else { return }
        sweeps.append(
            MigrationStatement(
                .query(
                    reading: [table.name],
                    statement: """
                        SELECT \(SQLText.identifier(ColumnName.identifier))
                        FROM \(SQLText.identifier(table.name))
                        WHERE \(condition)
                        LIMIT 1
                        """),
                purpose: .check(
                    reason: "'\(binding.key)' is required, and the object that it leads to is deleted",
                    entityName: binding.key.entityName)))
        warn(
            relationship.location, "Relationship '\(binding.key)' is required, and objects that it led to are deleted",
            wayOut: "Make it optional, or give its inverse the deletion rule Cascade")
    }

    private func isStored(_ binding: ModelMatch.Binding, in table: Table) -> Bool {
        new.nodes[binding.key.entityName]?.storage.tableName == table.name
    }
}
