import DataModel
import RelationalSchema

extension StorePlanner {
    /// Old links, in terms of a row of the table that they are selected from, which is called `link`.
    private struct LinkSource {
        var table: String
        var source: String
        var target: String
        var sourceTable: String
        var targetTable: String
        /// The position of the target among the source's, and the reverse.
        var targetOrder: String?
        var sourceOrder: String?
        var condition: String?

        /// The same links from the other side.
        var reversed: LinkSource {
            LinkSource(
                table: table, source: target, target: source, sourceTable: targetTable, targetTable: sourceTable,
                targetOrder: sourceOrder, sourceOrder: targetOrder, condition: condition)
        }
    }

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

    /// Whether all objects with an old relationship are among those of some new entities, or gone.
    private func isComplete(_ key: PropertyName, _ newEntityNames: [String]) -> Bool {
        (old.nodes[key.entityName]?.hierarchy ?? []).allSatisfy { name in
            match.newEntityNames[name].map { newEntityNames.contains($0) } ?? true
        }
    }

    /// A join table: created, kept, or filled from what held the links before.
    func planLinks(of table: Table) {
        guard let key = new.joinOwners[table.name] else { return }
        if let oldName = keptJoinTable(of: table), successors[oldName] == table.name, let oldTable = old.tables[oldName]
        {
            let plans = table.columns.map { column -> ColumnPlan in
                if oldTable.column(named: column.name) != nil {
                    return ColumnPlan(column: column, value: .column(column.name))
                }
                let other = column.name == ColumnName.targetOrder ? ColumnName.target : ColumnName.source
                return ColumnPlan(column: column, value: .expression(SQLText.identifier(other), base: nil))
            }
            transform(oldTable, into: table, plans, keeping: nil, removing: nil)
            return
        }
        copies.append(table.definition)
        var sources = match.sources(of: key).compactMap { linkSource($0.old, $0.newEntityNames) }
        let inverse = new.inverse(of: key)
        if sources.isEmpty, let inverse, inverse != key {
            sources = match.sources(of: inverse).compactMap { linkSource($0.old, $0.newEntityNames)?.reversed }
        }
        let isSymmetric = inverse == key
        if isSymmetric { sources += sources.map(\.reversed) }
        for source in sources {
            guard let statement = insertion(of: source, into: table, isAmongOthers: sources.count > 1) else { continue }
            copies.append(statement)
        }
    }

    private func linkSource(_ property: Version.Property, _ newEntityNames: [String]) -> LinkSource? {
        let key = property.key
        guard property.relationship != nil, let sourceTable = old.nodes[key.entityName]?.storage.tableName,
            let targetTable = old.destinationTable(of: key)
        else { return nil }
        func column(_ name: String) -> String { "\"link\".\(SQLText.identifier(name))" }
        var filter: String?
        if !isComplete(key, newEntityNames) {
            filter = condition(newEntityNames.compactMap { match.oldEntityNames[$0] }, of: sourceTable)
        }
        func isIncluded(_ name: String) -> String? {
            filter.map {
                "\(column(name)) IN "
                    + "(SELECT \(SQLText.identifier(ColumnName.identifier)) FROM \(current(sourceTable)) WHERE \($0))"
            }
        }
        let inverseStorage = old.inverse(of: key).flatMap { old.storage(of: $0) }
        switch old.storage(of: key) {
        case .column(let name):
            var order: String?
            if case .inverseColumn(_, _, let name?) = inverseStorage { order = column(name) }
            return LinkSource(
                table: sourceTable, source: column(ColumnName.identifier), target: column(name),
                sourceTable: sourceTable, targetTable: targetTable, sourceOrder: order,
                condition: both("\(column(name)) IS NOT NULL", isIncluded(ColumnName.identifier)))
        case .inverseColumn(let table, let name, let order):
            return LinkSource(
                table: table, source: column(name), target: column(ColumnName.identifier), sourceTable: sourceTable,
                targetTable: targetTable, targetOrder: order.map { column($0) },
                condition: both("\(column(name)) IS NOT NULL", isIncluded(name)))
        case .joinTable(let table, let own, let other, let order):
            var inverseOrder: String?
            if case .joinTable(_, _, _, let name?) = inverseStorage { inverseOrder = column(name) }
            return LinkSource(
                table: table, source: column(own), target: column(other), sourceTable: sourceTable,
                targetTable: targetTable, targetOrder: order.map { column($0) }, sourceOrder: inverseOrder,
                condition: isIncluded(own))
        case nil: return nil
        }
    }

    private func both(_ first: String, _ second: String?) -> String {
        second.map { "\(first) AND \($0)" } ?? first
    }

    private func insertion(of links: LinkSource, into table: Table, isAmongOthers: Bool) -> String? {
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
        return """
            INSERT INTO \(SQLText.identifier(table.name)) (\(SQLText.identifiers(table.columns.map(\.name))))
            SELECT \(values.joined(separator: ", "))
            FROM \(current(links.table)) AS "link"\(joins)
            WHERE \(links.condition ?? "true")\(isAmongOthers ? "\nON CONFLICT DO NOTHING" : "")
            """
    }
}
