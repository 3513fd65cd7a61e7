import DataModel
import RelationalSchema

extension StorePlanner {
    /// Old links, in terms of a row of the table that they are selected from, which is called `link`.
    struct LinkSource {
        var table: String
        /// The table's name after the renames, in quotation marks.
        var currentTable: String
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
                table: table, currentTable: currentTable, source: target, target: source, sourceTable: targetTable,
                targetTable: sourceTable,
                targetOrder: sourceOrder, sourceOrder: targetOrder, condition: condition)
        }

        /// The links as a query with the columns `source$` and `target$`.
        var pairs: String {
            """
            SELECT \(source) AS "source$", \(target) AS "target$" \
            FROM \(currentTable) AS "link" WHERE \(condition ?? "true")
            """
        }

        /// The same with `position$`, the target's position among those of the source; nil if they have no order.
        var positions: String? {
            targetOrder.map { order in
                """
                SELECT \(source) AS "source$", \(target) AS "target$", \(order) AS "position$" \
                FROM \(currentTable) AS "link" WHERE \(condition ?? "true")
                """
            }
        }
    }

    /// Returns whether all objects with an old relationship belong to some new entities, or are deleted.
    func isComplete(_ key: PropertyName, _ newEntityNames: [String]) -> Bool {
        (old.nodes[key.entityName]?.hierarchy ?? []).allSatisfy { name in
            match.newEntityNames[name].map { newEntityNames.contains($0) } ?? true
        }
    }

    /// The links that a new relationship takes over by itself, from each old one that it was.
    func linkSources(of key: PropertyName) -> [LinkSource] {
        match.sources(of: key).compactMap { linkSource($0.old, $0.newEntityNames) }
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
                table: sourceTable, currentTable: current(sourceTable), source: column(ColumnName.identifier),
                target: column(name),
                sourceTable: sourceTable, targetTable: targetTable, sourceOrder: order,
                condition: both("\(column(name)) IS NOT NULL", isIncluded(ColumnName.identifier)))
        case .inverseColumn(let table, let name, let order):
            return LinkSource(
                table: table, currentTable: current(table), source: column(name), target: column(ColumnName.identifier),
                sourceTable: sourceTable,
                targetTable: targetTable, targetOrder: order.map { column($0) },
                condition: both("\(column(name)) IS NOT NULL", isIncluded(name)))
        case .joinTable(let table, let own, let other, let order):
            var inverseOrder: String?
            if case .joinTable(_, _, _, let name?) = inverseStorage { inverseOrder = column(name) }
            return LinkSource(
                table: table, currentTable: current(table), source: column(own), target: column(other),
                sourceTable: sourceTable,
                targetTable: targetTable, targetOrder: order.map { column($0) }, sourceOrder: inverseOrder,
                condition: isIncluded(own))
        case nil: return nil
        }
    }

    private func both(_ first: String, _ second: String?) -> String {
        second.map { "\(first) AND \($0)" } ?? first
    }
}
