import DataModel

extension FullTextTable {
    /// The triggers of the table.
    ///
    /// Each removes the entry of a row and adds its present texts. So they may run in any order, any number of times,
    /// between changes of other triggers, and with any conflict clause.
    public var triggers: [Trigger] {
        let isSame = "OLD.\(identifier) IS NEW.\(identifier)"
        let isOther = "OLD.\(identifier) IS NOT NEW.\(identifier)"
        return [
            trigger("insert", "INSERT", when: nil, deletion(of: ["NEW"]) + insertion),
            trigger("delete", "DELETE", when: nil, deletion(of: ["OLD"])),
            trigger(
                "update", updateOfTexts, when: "\(isSame)\n    AND \(isChanged)", deletion(of: ["NEW"]) + insertion),
            trigger("renumber", updateOfIdentifier, when: isOther, deletion(of: ["OLD", "NEW"]) + insertion),
        ]
    }

    private var identifier: String { SQLText.identifier(ColumnName.identifier) }

    private var watchedColumnNames: [String] {
        columnNames + (entityNames == nil ? [] : [ColumnName.entity])
    }

    private var updateOfTexts: String {
        let sources = sourceColumnNames.filter { !watchedColumnNames.contains($0) }
        return "UPDATE OF \(SQLText.identifiers(watchedColumnNames + sources))"
    }

    // SQLite compares the names in an UPDATE with these as texts, and takes any of them for the rowid.
    private var updateOfIdentifier: String {
        "UPDATE OF \(SQLText.identifiers([ColumnName.identifier, "rowid", "oid", "_rowid_"]))"
    }

    private var isChanged: String {
        let changes = watchedColumnNames.map { name in
            "OLD.\(SQLText.identifier(name)) IS NOT NEW.\(SQLText.identifier(name))"
        }
        return "(\(changes.joined(separator: " OR ")))"
    }

    private func deletion(of rows: [String]) -> [String] {
        let identifiers = rows.map { "\($0).\(identifier)" }.joined(separator: ", ")
        return [
            "DELETE FROM \(SQLText.identifier(name))",
            "    WHERE \"rowid\" IN (\(identifiers));",
        ]
    }

    /// The present row, whether or not other triggers have run.
    private var insertion: [String] {
        [
            contents.insertionHead,
            "    SELECT \(SQLText.identifiers([ColumnName.identifier] + columnNames))",
            "    FROM \(SQLText.identifier(tableName))",
            "    WHERE \(identifier) = NEW.\(identifier) AND \(coverage);",
        ]
    }

    private func trigger(_ suffix: String, _ event: String, when condition: String?, _ body: [String]) -> Trigger {
        let triggerName = "\(name)$\(suffix)"
        let lines =
            [
                "CREATE TRIGGER \(SQLText.identifier(triggerName))",
                "AFTER \(event) ON \(SQLText.identifier(tableName))",
            ] + (condition.map { ["WHEN \($0)"] } ?? []) + ["BEGIN"] + body.map { "    \($0)" } + ["END"]
        return Trigger(name: triggerName, tableName: tableName, definition: lines.joined(separator: "\n"))
    }
}
