import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// Refuses objects of entities that have become abstract.
    ///
    /// The checks come after the author's own SQL and Swift code, which may have deleted the objects or given them
    /// another entity.
    func planAbstractEntities() {
        for name in new.names {
            guard let node = new.nodes[name], node.entity.isAbstract, let oldName = match.oldEntityNames[name],
                old.nodes[oldName]?.entity.isAbstract == false
            else { continue }
            finalChecks.append(
                MigrationStatement(
                    .query(
                        reading: [node.storage.tableName],
                        statement: """
                            SELECT \(SQLText.identifier(ColumnName.identifier))
                            FROM \(SQLText.identifier(node.storage.tableName))
                            WHERE \(node.storage.rowCondition)
                            LIMIT 1
                            """),
                    purpose: .check(
                        reason: "'\(name)' is abstract now, so there must be no object of it", entityName: name)))
            diagnostics.report(
                .becomesAbstract, at: node.entity.location,
                "Entity '\(name)' is abstract now: the migration fails where there are objects of it",
                notes: [
                    "Objects of its sub-entities stay. A script or a custom stage may delete the others, or give them "
                        + "another entity: the migration looks for them afterwards"
                ], fixes: [.removing("isAbstract", of: node.entity.location, "Leave it concrete")])
        }
    }
}
