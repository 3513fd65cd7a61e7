import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// Drops the indexes of a table that stays, other than those that stay with it.
    func dropIndexes(of oldTable: Table, in table: Table, _ kept: [String: String]) {
        for index in old.tableIndexes[oldTable.name] ?? [] where !isKept(index) {
            clearings.append(.dropIndex(index.name))
        }
    }

    /// Returns whether an index is that of the new schema already, columns having been renamed.
    private func isKept(_ index: TableIndex) -> Bool {
        guard let newIndex = new.indexes[index.name], let newTable = successors[index.tableName],
            let columns = keptColumns[newTable]
        else { return false }
        // Expressions are not searched for column names: renaming any column rebuilds the index.
        if index.hasExpressions && columns.contains(where: { $0 != $1 }) { return false }
        var translated = index
        translated.tableName = newTable
        for position in translated.elements.indices {
            guard let oldName = translated.elements[position].columnName else { continue }
            guard let name = columns[oldName] else { return false }
            translated.elements[position].content = .column(name)
        }
        return translated == newIndex
    }

    func planIndexes(where isPlanned: (TableIndex) -> Bool) {
        let kept = Set(old.schema.indexes.filter { isKept($0) }.map(\.name))
        for index in new.schema.indexes where !kept.contains(index.name) && isPlanned(index) {
            if index.isUnique, let check = uniquenessCheck(of: index) { closings.append(check) }
            closings.append(
                MigrationStatement(
                    .createIndex(index.name, on: index.tableName, definition: index.definition)))
        }
    }

    /// Returns the check of a constraint before its index is created, so that the reason can be reported.
    private func uniquenessCheck(of index: TableIndex) -> MigrationStatement? {
        guard let entityName = index.entityNames?.first ?? new.entityNames[index.tableName]?.first,
            !(flows[index.tableName] ?? []).isEmpty
        else { return nil }
        let columns = index.elements.compactMap(\.columnName).map { SQLText.identifier($0) }
        var conditions = columns.map { "\($0) IS NOT NULL" }
        if let covered = index.entityNames {
            conditions.append("\(SQLText.identifier(ColumnName.entity)) IN (\(SQLText.literals(covered)))")
        }
        let names = index.elements.compactMap(\.columnName).joined(separator: ", ")
        return MigrationStatement(
            .query(
                reading: [index.tableName],
                statement: """
                    SELECT max(\(SQLText.identifier(ColumnName.identifier)))
                    FROM \(SQLText.identifier(index.tableName))
                    WHERE \(conditions.joined(separator: " AND "))
                    GROUP BY \(columns.joined(separator: ", "))
                    HAVING count(*) > 1
                    LIMIT 1
                    """),
            purpose: .check(
                reason: "'\(entityName)' is unique by \(names) now, so no two objects may have the same",
                entityName: entityName))
    }

    /// R-trees of kept tables are kept; others are filled again.
    func planRTrees() {
        let newTrees = Dictionary(new.schema.rtrees.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var kept: Set<String> = []
        var drops: [MigrationOperation] = []
        for rtree in old.schema.rtrees {
            if newTrees[rtree.name] == rtree, successors[rtree.tableName] == rtree.tableName,
                let columns = keptColumns[rtree.tableName], rtree.columnNames.allSatisfy({ columns[$0] == $0 })
            {
                kept.insert(rtree.name)
                continue
            }
            drops += rtree.triggers.map { .dropTrigger($0.name) }
            drops.append(.dropVirtualTable(rtree.name))
        }
        openings.insert(contentsOf: drops, at: 0)
        for rtree in new.schema.rtrees where !kept.contains(rtree.name) {
            planVirtualTable(rtree.contents, rtree.definition, rtree.triggers, of: rtree.tableName)
        }
    }

    /// Full-text indexes stay with tables that stay, as R-trees do.
    func planFullTextTables() {
        let newTables = Dictionary(
            new.schema.fullTextTables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var kept: Set<String> = []
        var drops: [MigrationOperation] = []
        for table in old.schema.fullTextTables {
            if newTables[table.name] == table, successors[table.tableName] == table.tableName,
                let columns = keptColumns[table.tableName],
                (table.columnNames + table.sourceColumnNames).allSatisfy({ columns[$0] == $0 })
            {
                kept.insert(table.name)
                continue
            }
            drops += table.triggers.map { .dropTrigger($0.name) }
            drops.append(.dropVirtualTable(table.name))
        }
        openings.insert(contentsOf: drops, at: 0)
        for table in new.schema.fullTextTables where !kept.contains(table.name) {
            planVirtualTable(table.contents, table.definition, table.triggers, of: table.tableName)
        }
    }

    /// Creates and fills a virtual table from another table, with the triggers that keep it up to date.
    private func planVirtualTable(
        _ contents: VirtualTableContents, _ definition: String, _ triggers: [Trigger], of table: String
    ) {
        closings.append(MigrationStatement(.createVirtualTable(contents.name, definition: definition)))
        if !(flows[table] ?? []).isEmpty {
            closings.append(MigrationStatement(.fillVirtualTable(contents, from: table)))
        }
        closings += triggers.map { MigrationStatement($0.creation) }
    }
}
