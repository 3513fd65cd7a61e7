import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// The old join table that a new one can go on with; nil when the links come from elsewhere.
    func keptJoinTable(of table: Table) -> String? {
        guard let key = new.joinOwners[table.name] else { return nil }
        let sources = match.sources(of: key)
        guard sources.count == 1, let source = sources.first?.old,
            case .joinTable(let oldTable, ColumnName.source, _, _) = old.storage(of: source.key),
            isComplete(source.key, sources[0].newEntityNames),
            (old.inverse(of: source.key) == source.key) == (new.inverse(of: key) == key),
            let oldSource = old.nodes[source.key.entityName]?.storage.tableName,
            let oldTarget = old.destinationTable(of: source.key),
            successors[oldSource] == new.nodes[key.entityName]?.storage.tableName,
            successors[oldTarget] == new.destinationTable(of: key)
        else { return nil }
        return oldTable
    }

    /// Plans a join table, which is created, kept, or filled from the previous storage of its links.
    func planLinks(of table: Table) {
        guard let key = new.joinOwners[table.name] else { return }
        if let oldName = keptJoinTable(of: table), successors[oldName] == table.name, let oldTable = old.tables[oldName]
        {
            let plans = table.columns.map { column -> ColumnPlan in
                if oldTable.column(named: column.name) != nil {
                    return ColumnPlan(column: column, value: .column(column.name))
                }
                let other = column.name == ColumnName.targetOrder ? ColumnName.target : ColumnName.source
                if other == ColumnName.source, let inverse = new.inverse(of: key), inverse != key,
                    let position = ownPosition(
                        in: inverse, of: "\(current(oldName)).\(SQLText.identifier(ColumnName.source))",
                        among: "\(current(oldName)).\(SQLText.identifier(ColumnName.target))")
                {
                    return ColumnPlan(
                        column: column,
                        value: .expression(
                            "coalesce(\(position), \(SQLText.identifier(other)))", base: nil, readsOtherTables: true))
                }
                return ColumnPlan(column: column, value: .expression(SQLText.identifier(other), base: nil))
            }
            transform(oldTable, into: table, plans, keeping: nil, removing: nil)
            return
        }
        copies.append(.createTable(table.name, definition: table.definition))
        var sources = linkSources(of: key)
        let inverse = new.inverse(of: key)
        if let inverse, inverse != key {
            for index in sources.indices where sources[index].sourceOrder == nil {
                sources[index].sourceOrder = ownPosition(
                    in: inverse, of: sources[index].source, among: sources[index].target
                ).map { "coalesce(\($0), \(sources[index].source))" }
            }
        }
        if sources.isEmpty, let inverse, inverse != key {
            sources = linkSources(of: inverse).map(\.reversed)
        }
        let isSymmetric = inverse == key
        if isSymmetric { sources += sources.map(\.reversed) }
        for source in sources {
            guard let statement = insertion(of: source, into: table, isAmongOthers: sources.count > 1) else { continue }
            copies.append(statement)
        }
    }

    private func insertion(of links: LinkSource, into table: Table, isAmongOthers: Bool) -> MigrationOperation? {
        let references = table.columns.compactMap(\.reference?.tableName)
        guard references.count == 2, let sourceFlow = flow(from: links.sourceTable, to: references[0]),
            let targetFlow = flow(from: links.targetTable, to: references[1])
        else { return nil }
        var joins = ""
        func identifier(_ value: String, _ flow: RowFlow, _ alias: String) -> String {
            guard flow.isRenumbered else { return value }
            joins += "\nJOIN \(SQLText.identifier(flow.renumberingTable)) AS \(alias) ON \(alias).\"old$\" = \(value)"
            return "\(alias).\"new$\""
        }
        let source = identifier(links.source, sourceFlow, "\"sources\"")
        let target = identifier(links.target, targetFlow, "\"targets\"")
        let values = table.columns.map { column in
            switch column.name {
            case ColumnName.source: source
            case ColumnName.target: target
            case ColumnName.targetOrder: links.targetOrder ?? target
            default: links.sourceOrder ?? source
            }
        }
        let renumberings = [sourceFlow, targetFlow].filter(\.isRenumbered).map(\.renumberingTable)
        let statement = """
            INSERT INTO \(SQLText.identifier(table.name)) (\(SQLText.identifiers(table.columns.map(\.name))))
            SELECT \(values.joined(separator: ", "))
            FROM \(current(links.table)) AS "link"\(joins)
            WHERE \(links.condition ?? "true")\(isAmongOthers ? "\nON CONFLICT DO NOTHING" : "")
            """
        return .insertRows(
            into: table.name, reading: [currentName(links.table)] + renumberings, statement: statement)
    }
}
