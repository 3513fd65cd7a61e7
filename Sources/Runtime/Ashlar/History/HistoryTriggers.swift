/// Creates the triggers that record the changes of a table's rows by any program.
///
/// A trigger only appends one narrow row to one table. It also fires for the actions of foreign keys and for other
/// triggers.
struct HistoryTriggers {
    let table: TrackedTable
    let catalogue: HistoryCatalogue

    /// The names and the statements of the triggers.
    var definitions: [(name: String, sql: String)] {
        switch table.content {
        case .objects(let entities): objectTriggers(entities)
        case .pairs(let relationship): pairTriggers(relationship)
        }
    }

    private static let identifierNames = ["id$", "rowid", "oid", "_rowid_"]

    // MARK: Objects

    private func objectTriggers(
        _ entities: [(discriminator: String?, entity: EntitySchema)]
    ) -> [(name: String, sql: String)] {
        let isHierarchy = entities.contains { $0.entity.hasDiscriminator }
        let isSame = "OLD.\"id$\" IS NEW.\"id$\"" + (isHierarchy ? " AND OLD.\"entity$\" IS NEW.\"entity$\"" : "")
        let isOther =
            "OLD.\"id$\" IS NOT NEW.\"id$\"" + (isHierarchy ? " OR OLD.\"entity$\" IS NOT NEW.\"entity$\"" : "")
        let watched = Self.identifierNames + (isHierarchy ? ["entity$"] : [])
        var triggers = [
            trigger(
                "insert", "INSERT",
                when: "(SELECT \"pausedEntity\" FROM \"ashlar$historyState\") IS NOT \(pausableNumber)",
                [recording("NEW", entities, .insertion)]),
            trigger(
                "renumber", "UPDATE OF \(names(watched))", when: isOther,
                [recording("OLD", entities, .deletion)] + tombstones
                    + [recording("NEW", entities, .insertion)]),
            trigger("delete", "DELETE", [recording("OLD", entities, .deletion)] + tombstones),
        ]
        for (group, columns) in columnGroups {
            let changes = columns.map { isChanged($0.column) }
            // SQLite's bit operators have the same precedence, and are evaluated from left to right.
            let bits = columns.map { "((\(isChanged($0.column))) << \($0.bit))" }
            triggers.append(
                trigger(
                    group == 0 ? "update" : "update$\(group)", "UPDATE OF \(names(columns.map(\.column.name)))",
                    when: "\(isSame) AND (\(changes.joined(separator: "\n    OR ")))",
                    [
                        recording(
                            "NEW", entities, .update, group: group, detail: bits.joined(separator: "\n            | "))
                    ]))
        }
        return triggers
    }

    /// The number that represents the table while the recording of insertions is paused.
    private var pausableNumber: Int64 { catalogue.pausableNumber(table.name) }

    /// The columns of each group that has any, with their bits.
    private var columnGroups: [(Int, [(column: TrackedTable.Column, bit: Int)])] {
        let positions = catalogue.positions(table.name)
        var groups: [Int: [(column: TrackedTable.Column, bit: Int)]] = [:]
        for column in table.columns {
            guard let position = positions[column.name] else { continue }
            let (group, bit) = position.quotientAndRemainder(dividingBy: HistoryCatalogue.groupSize)
            groups[group, default: []].append((column, bit))
        }
        return groups.map { ($0, $1.sorted { $0.bit < $1.bit }) }.sorted { $0.0 < $1.0 }
    }

    private func isChanged(_ column: TrackedTable.Column) -> String {
        let name = column.name.quotedIdentifier
        // Other programs lack the collation, and 1.0 and 1 are different values.
        return "OLD.\(name)\(column.isDecimal ? " COLLATE BINARY" : "") IS NOT NEW.\(name)"
    }

    private func recording(
        _ row: String, _ entities: [(discriminator: String?, entity: EntitySchema)], _ kind: RecordedKind,
        group: Int = 0, detail: String = "NULL"
    ) -> String {
        """
        INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
            VALUES (\(number(row, entities, group)), \(row)."id$", \(kind.rawValue), \(detail));
        """
    }

    /// Returns the SQL expression of the number of a row's entity.
    private func number(
        _ row: String, _ entities: [(discriminator: String?, entity: EntitySchema)], _ group: Int
    ) -> String {
        let root = catalogue.number(table.name, nil, group: group) ?? 0
        let branches = entities.compactMap { discriminator, _ in
            discriminator.map { name in
                "WHEN \(name.quotedLiteral) THEN \(catalogue.number(table.name, name, group: group) ?? 0)"
            }
        }
        if branches.isEmpty { return "\(root)" }
        return "CASE \(row).\"entity$\" \(branches.joined(separator: " ")) ELSE \(root) END"
    }

    /// The statements that preserve marked values of a deleted row. Values in separate files are deleted with the
    /// files.
    private var tombstones: [String] {
        let positions = catalogue.positions(table.name)
        let rows = table.columns.filter(\.isPreserved).compactMap { column in
            positions[column.name].map { position in
                let value = "OLD.\(column.name.quotedIdentifier)"
                return "(last_insert_rowid(), \(position), "
                    + "iif(substr(\(value), 1, 12) = x'6173686C61722466696C653A', NULL, \(value)))"
            }
        }
        if rows.isEmpty { return [] }
        return [
            """
            INSERT INTO "ashlar$tombstone" ("change", "position", "value")
                VALUES \(rows.joined(separator: ",\n            "));
            """
        ]
    }

    // MARK: Pairs

    private func pairTriggers(_ relationship: PairedRelationship) -> [(name: String, sql: String)] {
        let isSame = "OLD.\"source$\" IS NEW.\"source$\" AND OLD.\"target$\" IS NEW.\"target$\""
        let isOther = "OLD.\"source$\" IS NOT NEW.\"source$\" OR OLD.\"target$\" IS NOT NEW.\"target$\""
        var triggers = [
            trigger("insert", "INSERT", [recordingPair("NEW", .insertion)]),
            trigger("delete", "DELETE", [recordingPair("OLD", .deletion)]),
            trigger(
                "relink", "UPDATE OF \"source$\", \"target$\"", when: isOther,
                [recordingPair("OLD", .deletion), recordingPair("NEW", .insertion)]),
        ]
        let orders = [relationship.source.order, relationship.target.order].compactMap { $0 }.sorted()
        if !orders.isEmpty {
            let changes = orders.map { "OLD.\($0.quotedIdentifier) IS NOT NEW.\($0.quotedIdentifier)" }
            triggers.append(
                trigger(
                    "update", "UPDATE OF \(names(orders))",
                    when: "\(isSame) AND (\(changes.joined(separator: " OR ")))", [recordingPair("NEW", .update)]))
        }
        return triggers
    }

    private func recordingPair(_ row: String, _ kind: RecordedKind) -> String {
        """
        INSERT INTO "ashlar$change" ("entity", "row", "kind", "detail")
            VALUES (\(catalogue.number(table.name, nil) ?? 0), \(row)."source$", \(kind.rawValue), \(row)."target$");
        """
    }

    // MARK: Text

    private func names(_ names: [String]) -> String { names.map(\.quotedIdentifier).joined(separator: ", ") }

    private func trigger(
        _ suffix: String, _ event: String, when condition: String? = nil, _ statements: [String]
    ) -> (name: String, sql: String) {
        let name = "\(HistoryTables.triggerPrefix)\(table.name)$$\(suffix)"
        let lines = statements.flatMap { $0.split(separator: "\n") }.map { "    \($0)" }
        return (
            name,
            """
            CREATE TRIGGER \(name.quotedIdentifier)
            AFTER \(event) ON \(table.name.quotedIdentifier)
            \(condition.map { "WHEN \($0)\n" } ?? "")BEGIN
            \(lines.joined(separator: "\n"))
            END
            """
        )
    }
}
