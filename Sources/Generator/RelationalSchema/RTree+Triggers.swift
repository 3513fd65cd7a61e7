import DataModel

extension RTree {
    /// The triggers of the table.
    ///
    /// There are as many as in the GeoPackage standard, whose first versions had fewer and were wrong. The conflict
    /// clause of the firing statement, as of an upsert, also applies to the trigger's statements, so `INSERT OR
    /// REPLACE` does not replace. The condition of each trigger therefore decides whether the virtual table has a row.
    public var triggers: [Trigger] {
        let isSame = "OLD.\(identifier) IS NEW.\(identifier)"
        let isOther = "OLD.\(identifier) IS NOT NEW.\(identifier)"
        return [
            trigger("insert", "INSERT", when: [isCovered("NEW")], [insertion]),
            trigger("delete", "DELETE", when: [isCovered("OLD")], [deletion(of: ["OLD"])]),
            trigger("leave", updateOfCoordinates, when: [isSame, isNotCovered("NEW")], [deletion(of: ["OLD"])]),
            trigger("enter", updateOfCoordinates, when: [isSame, isNotCovered("OLD"), isCovered("NEW")], [insertion]),
            trigger(
                "move", updateOfCoordinates, when: [isSame, isCovered("OLD"), isCovered("NEW"), isMoved], [movement]),
            trigger(
                "renumber", updateOfIdentifier, when: [isOther, isCovered("NEW")], [deletion(of: ["OLD"]), insertion]),
            trigger(
                "renumber$leave", updateOfIdentifier, when: [isOther, isNotCovered("NEW")],
                [deletion(of: ["OLD", "NEW"])]),
        ]
    }

    private var identifier: String { SQLText.identifier(ColumnName.identifier) }

    private var updateOfCoordinates: String {
        let watched = columnNames + (entityNames == nil ? [] : [ColumnName.entity])
        return "UPDATE OF \(SQLText.identifiers(watched))"
    }

    // SQLite compares the names in an UPDATE with these as texts, and takes any of them for the rowid.
    private var updateOfIdentifier: String {
        "UPDATE OF \(SQLText.identifiers([ColumnName.identifier, "rowid", "oid", "_rowid_"]))"
    }

    private func isNotCovered(_ row: String) -> String { "(\(isCovered(row))) IS NOT TRUE" }

    private var isMoved: String {
        let changes = columnNames.map { "\(column($0, of: "OLD")) IS NOT \(column($0, of: "NEW"))" }
        return "(\(changes.joined(separator: " OR ")))"
    }

    private var insertion: String {
        """
        \(contents.insertionHead)
            VALUES (\(values(of: "NEW").joined(separator: ", ")));
        """
    }

    private var movement: String {
        let changes = zip(virtualColumnNames, values(of: "NEW")).dropFirst().map { name, value in
            "\(SQLText.identifier(name)) = \(value)"
        }
        return """
            UPDATE \(SQLText.identifier(name))
                SET \(changes.joined(separator: ", "))
                WHERE \(identifier) = OLD.\(identifier);
            """
    }

    private func deletion(of rows: [String]) -> String {
        let identifiers = rows.map { "\($0).\(identifier)" }
        return """
            DELETE FROM \(SQLText.identifier(name))
                WHERE \(identifier) IN (\(identifiers.joined(separator: ", ")));
            """
    }

    private func trigger(_ suffix: String, _ event: String, when conditions: [String], _ body: [String]) -> Trigger {
        let triggerName = "\(name)$\(suffix)"
        let statements = body.joined(separator: "\n").split(separator: "\n").map { "    \($0)" }
        return Trigger(
            name: triggerName, tableName: tableName,
            definition: """
                CREATE TRIGGER \(SQLText.identifier(triggerName))
                AFTER \(event) ON \(SQLText.identifier(tableName))
                WHEN \(conditions.joined(separator: "\n    AND "))
                BEGIN
                \(statements.joined(separator: "\n"))
                END
                """)
    }
}
