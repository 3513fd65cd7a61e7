import DataModel
import RelationalSchema
import StoreDescription

extension StorePlanner {
    /// Deletes objects that a new constraint refuses, all but the first of each group, if the model requests it.
    ///
    /// References to them are removed afterwards, like those to other deleted objects. Derived values are computed too
    /// late for this: a constraint on one of them refuses the store.
    func planDuplicates() {
        for entityName in new.names {
            guard let node = new.nodes[entityName], !(flows[node.storage.tableName] ?? []).isEmpty else { continue }
            let named = node.entity.userInfo.names(UserInfo.deletesDuplicatesKey)
            for constraint in node.entity.uniquenessConstraints
            where named.contains(constraint.propertyNames.joined(separator: "+")) {
                guard let columns = columns(of: constraint, node) else { continue }
                sweeps.append(MigrationStatement(deletion(ofDuplicatesBy: columns, of: node)))
                deduplicatedTables.insert(node.storage.tableName)
            }
        }
    }

    private func columns(of constraint: UniquenessConstraint, _ node: Version.Node) -> [String]? {
        let names = constraint.propertyNames.compactMap { name -> String? in
            guard let property = node.properties.last(where: { $0.name == name }), property.attribute?.isDerived != true
            else { return nil }
            return new.columnNames[property.key]
        }
        return names.count == constraint.propertyNames.count ? names : nil
    }

    private func deletion(ofDuplicatesBy columns: [String], of node: Version.Node) -> MigrationOperation {
        let table = SQLText.identifier(node.storage.tableName)
        let identifier = SQLText.identifier(ColumnName.identifier)
        let names = columns.map { SQLText.identifier($0) }
        var conditions = names.map { "\($0) IS NOT NULL" }
        if node.parentName != nil {
            conditions.append("\(SQLText.identifier(ColumnName.entity)) IN (\(SQLText.literals(node.hierarchy)))")
        }
        let condition = """
            \(identifier) IN (
                SELECT \(identifier)
                FROM (
                    SELECT \(identifier), row_number() OVER (
                        PARTITION BY \(names.joined(separator: ", ")) ORDER BY \(identifier)) AS "number$"
                    FROM \(table)
                    WHERE \(conditions.joined(separator: " AND "))
                )
                WHERE "number$" > 1
            )
            """
        return .deleteRows(of: node.storage.tableName, condition: condition)
    }
}
