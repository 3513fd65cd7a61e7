import DataModel

/// Makes the triggers that maintain a derived column.
///
/// A trigger computes the value again for the rows that may have changed, and writes it if it differs. So the order and
/// number of trigger runs do not matter, nor the cause: a save, an upsert, a batch, an action of a foreign key, another
/// program. No trigger fires itself, and none needs `recursive_triggers`. Only rows that `INSERT OR REPLACE` displaces
/// fire no trigger, unless `recursive_triggers` is on.
struct DerivationTriggers {
    /// A count or sum that changes by the contribution of one row.
    struct Increment {
        /// The column of the counted row with the `id$` of the owner.
        var reference: String
        /// The summed column; nil for a count.
        var column: String?
    }

    /// A table of pairs that count while the other object exists.
    struct CountedLinks {
        var tableName: String
        var own: String
        var other: String
    }

    /// A trigger without its final name.
    struct Draft {
        var suffix: String
        var tableName: String
        var isBefore = false
        var event: String
        var conditions: [String] = []
        var statements: [String]

        func trigger(named name: String) -> Trigger {
            let condition =
                switch conditions.count {
                case 0: ""
                case 1: "WHEN \(conditions[0])\n"
                default: "WHEN \(conditions.joined(separator: "\n    OR "))\n"
                }
            let body = statements.flatMap { $0.split(separator: "\n") }.map { "    \($0)" }
            return Trigger(
                name: name, tableName: tableName,
                definition: """
                    CREATE TRIGGER \(SQLText.identifier(name))
                    \(isBefore ? "BEFORE" : "AFTER") \(event) ON \(SQLText.identifier(tableName))
                    \(condition)BEGIN
                    \(body.joined(separator: "\n"))
                    END
                    """)
        }
    }

    let column: DerivedColumn
    let path: DerivationPath
    /// The condition that a row belongs to the entity; nil if all rows of the table do.
    let coverage: String?
    let hasDiscriminator: Bool
    let isDecimal: Bool
    /// The columns of the last level that the value depends on.
    let sourceColumns: [String]
    let increment: Increment?
    /// The table of the counted pairs.
    let countedLinks: CountedLinks?

    private var identifier: String { SQLText.identifier(ColumnName.identifier) }

    // SQLite compares the names in an UPDATE with these as texts, and takes any of them for the rowid.
    private static let identifierNames = [ColumnName.identifier, "rowid", "oid", "_rowid_"]

    /// The triggers of a value that depends on other columns.
    var triggers: [Draft] {
        if let countedLinks { return linkIncrements(countedLinks) }
        if let increment, path.hops[0].tableName == path.tableName { return incrementsWithin(increment) }
        var drafts = [ownInsertion, ownUpdate]
        if let increment { return drafts + increments(increment) }
        for level in path.hops.indices.map({ $0 + 1 }) {
            if case .joinTable(let table, let own, let other) = path.hops[level - 1].link {
                drafts += linkTriggers(level, table, own, other)
            }
            drafts += rowTriggers(level)
        }
        return drafts
    }

    /// The triggers of the time at which a row was written.
    func timeTriggers(_ watched: [String]) -> [Draft] {
        let names =
            Self.identifierNames + [ColumnName.version] + (hasDiscriminator ? [ColumnName.entity] : []) + watched
        let statement = """
            UPDATE \(SQLText.identifier(column.tableName))
                SET \(SQLText.identifier(column.columnName)) = \(column.value)
                WHERE \(identifier) = NEW.\(identifier);
            """
        return [
            Draft(suffix: "insert", tableName: column.tableName, event: "INSERT", statements: [statement]),
            Draft(
                suffix: "update", tableName: column.tableName, event: "UPDATE OF \(SQLText.identifiers(names))",
                statements: [statement]),
        ]
    }

    // MARK: Computing again

    /// Computes the value again for some rows. Their `id$` is any text that may be in the parentheses of `IN`.
    private func computing(_ identifiers: String) -> String {
        let name = SQLText.identifier(column.columnName)
        let collation = isDecimal ? " COLLATE BINARY" : ""
        return """
            UPDATE \(SQLText.identifier(column.tableName))
                SET \(name) = \(column.value)
                WHERE \(identifier) IN (\(identifiers))
                    AND \(name)\(collation) IS NOT \(column.value);
            """
    }

    var ownInsertion: Draft {
        Draft(
            suffix: "insert", tableName: column.tableName, event: "INSERT", statements: [computing("NEW.\(identifier)")]
        )
    }

    var ownUpdate: Draft {
        let watched = self.watched(atLevel: 0) + (hasDiscriminator && coverage != nil ? [ColumnName.entity] : [])
        return Draft(
            suffix: "update", tableName: column.tableName, event: update(of: watched),
            conditions: [isRenumbered] + watched.map(isChanged), statements: [computing("NEW.\(identifier)")])
    }

    /// The columns of a level's rows that contain references or values, without the identifier.
    private func watched(atLevel level: Int) -> [String] {
        var names: [String] = []
        if level > 0, case .inverseColumn(let name) = path.hops[level - 1].link { names.append(name) }
        if level < path.hops.count {
            if case .column(let name) = path.hops[level].link, !names.contains(name) { names.append(name) }
        } else {
            names += sourceColumns.filter { !names.contains($0) }
        }
        return names
    }

    func update(of names: [String]) -> String {
        "UPDATE OF \(SQLText.identifiers(Self.identifierNames + names))"
    }

    private func isChanged(_ name: String) -> String {
        let name = SQLText.identifier(name)
        return "OLD.\(name) IS NOT NEW.\(name) COLLATE BINARY"
    }

    private var isRenumbered: String { "OLD.\(identifier) IS NOT NEW.\(identifier)" }

    /// Rows of a level are inserted, changed and deleted.
    private func rowTriggers(_ level: Int) -> [Draft] {
        let table = path.tableName(ofLevel: level)
        func statement(_ rows: [String]) -> String {
            if case .inverseColumn(let name) = path.hops[level - 1].link {
                // The references of a deleted row can no longer be queried.
                let references = rows.map { "\($0).\(SQLText.identifier(name))" }
                return computing(path.owners(of: references.joined(separator: ", "), atLevel: level - 1))
            }
            let identifiers = rows.map { "\($0).\(identifier)" }
            return computing(path.owners(of: identifiers.joined(separator: ", "), atLevel: level))
        }
        let names = watched(atLevel: level)
        return [
            Draft(suffix: "\(level)$insert", tableName: table, event: "INSERT", statements: [statement(["NEW"])]),
            Draft(
                suffix: "\(level)$update", tableName: table, event: update(of: names),
                conditions: [isRenumbered] + names.map(isChanged), statements: [statement(["OLD", "NEW"])]),
            Draft(suffix: "\(level)$delete", tableName: table, event: "DELETE", statements: [statement(["OLD"])]),
        ]
    }

    /// Pairs of a join table are inserted, changed and deleted.
    private func linkTriggers(_ level: Int, _ table: String, _ own: String, _ other: String) -> [Draft] {
        func statement(_ rows: [String]) -> String {
            let identifiers = rows.map { "\($0).\(SQLText.identifier(own))" }
            return computing(path.owners(of: identifiers.joined(separator: ", "), atLevel: level - 1))
        }
        return [
            Draft(suffix: "\(level)$link", tableName: table, event: "INSERT", statements: [statement(["NEW"])]),
            Draft(
                suffix: "\(level)$relink", tableName: table, event: "UPDATE OF \(SQLText.identifiers([own, other]))",
                statements: [statement(["OLD", "NEW"])]),
            Draft(suffix: "\(level)$unlink", tableName: table, event: "DELETE", statements: [statement(["OLD"])]),
        ]
    }

    // MARK: Adding the contribution of one row

    private func increments(_ increment: Increment) -> [Draft] {
        let table = path.hops[0].tableName
        let reference = SQLText.identifier(increment.reference)
        return [
            Draft(
                suffix: "1$insert", tableName: table, event: "INSERT", conditions: ["NEW.\(reference) IS NOT NULL"],
                statements: [adding(increment, "+", "NEW")]),
            Draft(
                suffix: "1$update", tableName: table, event: "UPDATE OF \(SQLText.identifiers(columns(increment)))",
                conditions: columns(increment).map(isChanged),
                statements: [adding(increment, "-", "OLD"), adding(increment, "+", "NEW")]),
            Draft(
                suffix: "1$delete", tableName: table, event: "DELETE", conditions: ["OLD.\(reference) IS NOT NULL"],
                statements: [adding(increment, "-", "OLD")]),
        ]
    }

    /// If owners and counted objects share a table, an object may be its own owner. Then the contribution of a row
    /// comes before its own value.
    private func incrementsWithin(_ increment: Increment) -> [Draft] {
        let table = column.tableName
        let names = columns(increment) + (hasDiscriminator && coverage != nil ? [ColumnName.entity] : [])
        return [
            Draft(
                suffix: "insert", tableName: table, event: "INSERT",
                statements: [adding(increment, "+", "NEW"), computing("NEW.\(identifier)")]),
            Draft(
                suffix: "update", tableName: table, event: update(of: names),
                conditions: [isRenumbered] + names.map(isChanged),
                statements: [
                    adding(increment, "-", "OLD"), adding(increment, "+", "NEW"), computing("NEW.\(identifier)"),
                ]),
            Draft(
                suffix: "delete", tableName: table, event: "DELETE",
                statements: [adding(increment, "-", "OLD")]),
        ]
    }

    private func columns(_ increment: Increment) -> [String] {
        [increment.reference] + (increment.column.map { [$0] } ?? [])
    }

    private func adding(_ increment: Increment, _ sign: String, _ row: String) -> String {
        let name = SQLText.identifier(column.columnName)
        let amount = increment.column.map { "coalesce(\(row).\(SQLText.identifier($0)), 0)" } ?? "1"
        return """
            UPDATE \(SQLText.identifier(column.tableName))
                SET \(name) = coalesce(\(name), 0) \(sign) \(amount)
                WHERE \(identifier) = \(row).\(SQLText.identifier(increment.reference))\
            \(coverage.map { " AND \($0)" } ?? "");
            """
    }
}
