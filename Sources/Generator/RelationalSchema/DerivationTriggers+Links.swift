import DataModel

/// The count of a many-to-many relationship, which changes by one with each pair.
///
/// A pair counts only while its other object exists, which is not certain without foreign keys. The pairs of a deleted
/// object are deleted after it. They are subtracted before, so that their own deletion no longer counts.
extension DerivationTriggers {
    func linkIncrements(_ links: CountedLinks) -> [Draft] {
        let objects = path.hops[0].tableName
        let identifier = SQLText.identifier(ColumnName.identifier)
        let isWithin = objects == column.tableName
        let own = ownInsertion.statements
        let insertion = adding(links, "+", "NEW")
        let renumbering = [adding(links, "-", "OLD"), insertion]
        var drafts = [
            Draft(
                suffix: "1$insert", tableName: objects, event: "INSERT",
                statements: [insertion] + (isWithin ? own : [])),
            Draft(
                suffix: "1$update", tableName: objects, event: isWithin ? ownUpdate.event : update(of: []),
                conditions: isWithin ? ownUpdate.conditions : ["OLD.\(identifier) IS NOT NEW.\(identifier)"],
                statements: renumbering + (isWithin ? own : [])),
            Draft(
                suffix: "1$delete", tableName: objects, isBefore: true, event: "DELETE",
                statements: [adding(links, "-", "OLD", butOf: isWithin ? "OLD.\(identifier)" : nil)]),
            Draft(
                suffix: "1$link", tableName: links.tableName, event: "INSERT", statements: [linking(links, "+", "NEW")]),
            Draft(
                suffix: "1$relink", tableName: links.tableName,
                event: "UPDATE OF \(SQLText.identifiers([links.own, links.other]))",
                statements: [linking(links, "-", "OLD"), linking(links, "+", "NEW")]),
            Draft(
                suffix: "1$unlink", tableName: links.tableName, event: "DELETE",
                statements: [linking(links, "-", "OLD")]),
        ]
        // If owners and counted objects share a table, the order within one trigger matters; see above.
        if !isWithin { drafts += [ownInsertion, ownUpdate] }
        return drafts
    }

    /// An object is added or removed: the objects paired with it count it or stop counting it.
    private func adding(_ links: CountedLinks, _ sign: String, _ row: String, butOf excluded: String? = nil) -> String {
        let identifier = SQLText.identifier(ColumnName.identifier)
        let owners =
            "SELECT \(SQLText.identifier(links.own)) FROM \(SQLText.identifier(links.tableName)) "
            + "WHERE \(SQLText.identifier(links.other)) = \(row).\(identifier)"
        let exclusion = excluded.map { " AND \(identifier) <> \($0)" } ?? ""
        return change(sign, where: "\(identifier) IN (\(owners))\(exclusion)")
    }

    /// A pair is added or removed.
    private func linking(_ links: CountedLinks, _ sign: String, _ row: String) -> String {
        let identifier = SQLText.identifier(ColumnName.identifier)
        let object =
            "SELECT 1 FROM \(SQLText.identifier(path.hops[0].tableName)) "
            + "WHERE \(identifier) = \(row).\(SQLText.identifier(links.other))"
        return change(sign, where: "\(identifier) = \(row).\(SQLText.identifier(links.own)) AND EXISTS (\(object))")
    }

    private func change(_ sign: String, where condition: String) -> String {
        let name = SQLText.identifier(column.columnName)
        return """
            UPDATE \(SQLText.identifier(column.tableName))
                SET \(name) = coalesce(\(name), 0) \(sign) 1
                WHERE \(condition)\(coverage.map { " AND \($0)" } ?? "");
            """
    }
}
