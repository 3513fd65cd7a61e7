import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// Plans a table of objects, which is created, kept, or put together from several.
    func planObjects(of table: Table) {
        let flows = flows[table.name] ?? []
        if let flow = flows.first, successors[flow.oldTable] == table.name, let oldTable = old.tables[flow.oldTable] {
            let plans = columnPlans(of: table, flow)
            let removed = (old.entityNames[flow.oldTable] ?? []).filter { match.newEntityNames[$0] == nil }
            transform(
                oldTable, into: table, plans,
                keeping: condition(flow.pairs.map(\.old), of: flow.oldTable),
                removing: removed.isEmpty ? nil : condition(removed, of: flow.oldTable))
            return
        }
        copies.append(.createTable(table.name, definition: table.definition))
        for flow in flows {
            copies.append(
                copy(
                    into: table.name, columnPlans(of: table, flow), from: flow.oldTable,
                    where: condition(flow.pairs.map(\.old), of: flow.oldTable)))
        }
        if !flows.isEmpty { planMark(of: table.name, from: flows.map { currentName($0.oldTable) }) }
    }

    /// A copy of old rows with every column named.
    func copy(
        into table: String, _ plans: [ColumnPlan], from oldTable: String, where condition: String?
    ) -> MigrationOperation {
        let written = plans.filter { $0.value != .generated }
        return .copyRows(
            RowCopy(
                into: table, columns: written.map(\.column.name), values: written.map(\.value.sql),
                from: currentName(oldTable), where: condition))
    }

    /// Carries over the highest identifier ever used, so that none is used twice.
    func planMark(of table: String, from sources: [String]) {
        copies += [.makeMark(of: table), .raiseMark(of: table, from: sources)]
    }

    /// Returns the values of a new table's columns for the rows of a flow.
    private func columnPlans(of table: Table, _ flow: RowFlow) -> [ColumnPlan] {
        var stored: [String: StoredColumn] = [:]
        for column in new.nodes[flow.pairs[0].new]?.storage.columns ?? [] { stored[column.name] = column }
        return table.columns.map { column in
            let value: ColumnValue
            switch column.name {
            case ColumnName.identifier:
                value = flow.isRenumbered ? renumbered(.column(column.name), flow) : .column(column.name)
            case ColumnName.version: value = .column(column.name)
            case ColumnName.entity: value = discriminator(flow)
            case _ where column.generation != nil: value = .generated
            default: value = stored[column.name].map { self.value(of: $0, flow) } ?? .null
            }
            return ColumnPlan(column: column, value: value)
        }
    }

    /// A reference to objects that got new identifiers.
    func renumbered(_ value: ColumnValue, _ flow: RowFlow) -> ColumnValue {
        let text =
            "(SELECT \"new$\" FROM \(SQLText.identifier(flow.renumberingTable)) WHERE \"old$\" = \(value.sql))"
        return .expression(text, base: value.base, readsOtherTables: true)
    }

    /// The name of the new entity, which is NULL for the root.
    private func discriminator(_ flow: RowFlow) -> ColumnValue {
        func name(_ entityName: String, in version: Version) -> String? {
            version.nodes[entityName]?.storage.discriminator
        }
        let hasOld = (old.entityNames[flow.oldTable]?.count ?? 0) > 1
        if hasOld, flow.pairs.allSatisfy({ name($0.old, in: old) == name($0.new, in: new) }) {
            return .column(ColumnName.entity)
        }
        let values = flow.pairs.map { pair in
            (pair.old, ColumnValue.constant(name(pair.new, in: new).map { SQLText.literal($0) } ?? "NULL"))
        }
        let value = combined(values, strangers: [], of: flow.oldTable)
        guard case .expression(let text, _, _) = value else { return value }
        return .expression(text, base: hasOld ? ColumnName.entity : nil)
    }

    private func value(of stored: StoredColumn, _ flow: RowFlow) -> ColumnValue {
        var values: [(String, ColumnValue)] = []
        var strangers: [String] = []
        var demands: [Demand] = []
        for pair in flow.pairs {
            guard new.isEntity(pair.new, kindOf: stored.entityName) else {
                strangers.append(pair.old)
                continue
            }
            let value: ColumnValue
            switch stored.content {
            case .attribute(let attribute) where attribute.isDerived:
                value = derivedValue(of: attribute, stored, pair)
            case .attribute(let attribute):
                let leaf = stored.leaf ?? AttributeLeaf(path: [attribute])
                value = self.value(of: leaf, stored, pair, flow.oldTable, &demands)
            case .toOne(let relationship):
                value = self.value(of: relationship, stored, pair, flow.oldTable, &demands)
            case .order(let entityName, let relationship):
                value = position(in: PropertyName(entityName, relationship.name), pair, flow.oldTable)
            }
            values.append((pair.old, value))
        }
        plan(demands, of: flow.oldTable)
        if values.isEmpty { return .constant(stored.column.defaultLiteral ?? "NULL") }
        return combined(values, strangers: strangers, of: flow.oldTable)
    }

    /// One value for the rows of several entities. Strangers are entities that do not have the property.
    private func combined(
        _ values: [(entityName: String, value: ColumnValue)], strangers: [String], of oldTable: String
    ) -> ColumnValue {
        var groups: [(value: ColumnValue, entityNames: [String])] = []
        for (entityName, value) in values {
            if let index = groups.firstIndex(where: { $0.value == value }) {
                groups[index].entityNames.append(entityName)
            } else {
                groups.append((value, [entityName]))
            }
        }
        guard let first = groups.first else { return .null }
        if groups.count == 1, !mustClear(strangers, first.value, of: oldTable) { return first.value }
        if !strangers.isEmpty { groups.append((.null, strangers)) }
        let branches = groups.map { group in
            "WHEN \(condition(group.entityNames, of: oldTable) ?? "1") THEN \(group.value.sql)"
        }
        let bases = Set(groups.compactMap(\.value.base))
        return .expression(
            "CASE \(branches.joined(separator: " ")) END", base: bases.count == 1 ? bases.first : nil,
            readsOtherTables: groups.contains { $0.value.readsOtherTables })
    }

    /// Returns whether rows of other entities would get a value. They may only get old values of their own.
    private func mustClear(_ strangers: [String], _ value: ColumnValue, of oldTable: String) -> Bool {
        if strangers.isEmpty { return false }
        switch value {
        case .constant, .generated: return false
        case .expression: return true
        case .column(let name):
            let columns = old.nodes[strangers[0]]?.storage.columns ?? []
            guard let owner = columns.first(where: { $0.name == name })?.entityName else { return false }
            return strangers.contains { old.isEntity($0, kindOf: owner) }
        }
    }
}
