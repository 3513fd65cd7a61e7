import Ashlar
import AshlarSQLite
import CoreDataStore
import StoreDescription
import SystemFoundation

/// The search for data that violates the model, row by row, and its repair.
extension ImportFiller {
    /// Runs checks one after the other, and adds their findings to the report.
    func find(_ checks: [CoreDataCopy.Check], _ report: inout ImportReport) throws {
        for check in checks {
            let statement = try Statement(check.sql, database: connection.database)
            var count = 0
            try monitor.watching(connection) {
                while try statement.step() {
                    let values = statement.values
                    count += 1
                    if count <= ImportReport.findingLimit { report.findings.append(finding(check, values)) }
                }
            }
            report.findingCount += count
        }
    }

    private func finding(_ check: CoreDataCopy.Check, _ values: [SQLiteValue]) -> ImportFinding {
        let key = if case .integer(let key)? = values.first { key } else { Int64(0) }
        let value = values.count > 2 ? values[2] : .null
        let isMissing = values.count > 3 ? values[3] == .text("null") : value.isNull
        var (kind, found): (ImportFinding.Kind, String) = (.invalidValue, value.shown)
        switch check.subject {
        case .rows: (kind, found) = (.unknownObject, "entity \((values.count > 1 ? values[1] : .null).shown)")
        case .attribute:
            if values.count > 3, values[3] == .text("blob") { found = "bytes" }
            if isMissing {
                kind = .missingValue
            } else if check.isExternal, found == "bytes" {
                kind = .missingFile
            }
        case .reference(let destination):
            (kind, found) = isMissing ? (.missingValue, "") : (.danglingReference, "\(destination) \(value.shown)")
        case .oneSided(let destination): (kind, found) = (.oneSidedReference, "\(destination) \(value.shown)")
        case .pairs(let destination): (kind, found) = (.danglingReference, "\(destination) \(value.shown)")
        }
        return ImportFinding(
            kind: kind, remedy: check.remedy, entity: check.entity, property: check.property, key: key, found: found)
    }

    // MARK: Repairing

    /// Copies everything that can be copied, after the search for invalid data. If a row is left out, rows that require
    /// it are left out too.
    func repair(_ report: inout ImportReport) throws {
        (report.findings, report.findingCount) = ([], 0)
        try connection.execute("DROP TABLE IF EXISTS \(CoreDataCopy.excludedTable)")
        try connection.execute(
            "CREATE TABLE \(CoreDataCopy.excludedTable) (\"table\" TEXT, \"key\" INTEGER, PRIMARY KEY (\"table\", \"key\"))"
        )
        let copy = copy(.repair)
        let checks = copy.checks
        repeat {
            var changes: Int64 = 1
            while changes > 0 {
                changes = 0
                for check in checks where check.excludesRow {
                    try find([check], &report)
                    try connection.execute(copy.excluding(check))
                    changes += connection.changedRowCount
                }
            }
            try schema.empty(on: connection)
            try run(copy, &report)
        } while try checkUniqueness(&report, excluding: true)
        try find(checks.filter { !$0.excludesRow }, &report)
        report.findings.sort { ($0.entity, $0.key, $0.property) < ($1.entity, $1.key, $1.property) }
    }

    /// Creates the unique indexes, and reports objects that prevent one.
    ///
    /// - Parameter excluding: Whether all but the first of equal objects are left out.
    /// - Returns: Whether there are any.
    @discardableResult
    func checkUniqueness(_ report: inout ImportReport, excluding: Bool) throws -> Bool {
        var hasDuplicates = false
        for index in schema.uniqueIndexes {
            try connection.execute("DROP INDEX IF EXISTS main.\(index.name.quotedIdentifier)")
            do {
                try connection.execute(index.sql)
            } catch {
                guard error.code == SQLITE_CONSTRAINT else { throw error }
                hasDuplicates = true
                try findDuplicates(index, &report, excluding: excluding)
            }
        }
        return hasDuplicates
    }

    private func findDuplicates(
        _ index: ImportedSchema.UniqueIndex, _ report: inout ImportReport, excluding: Bool
    ) throws {
        guard let table = match.layout.tables.first(where: { $0.entities.first?.table == index.table }) else { return }
        let columns = index.columns.map(\.quotedIdentifier).joined(separator: ", ")
        let isThere = index.columns.map { "\($0.quotedIdentifier) IS NOT NULL" }
        let condition = (isThere + [index.condition].compactMap { $0 }.map { "(\($0))" }).joined(separator: " AND ")
        let rows = try connection.rows(
            """
            SELECT "key", "first" FROM (
                SELECT "id$" AS "key", min("id$") OVER (PARTITION BY \(columns)) AS "first"
                FROM main.\(index.table.quotedIdentifier) WHERE \(condition))
            WHERE "key" <> "first" ORDER BY 1
            """)
        for row in rows {
            report.findingCount += 1
            report.findings.append(
                ImportFinding(
                    kind: .duplicate, remedy: .leavesOutObject, entity: table.root,
                    property: index.columns.joined(separator: ", "), key: row[0].storedInteger, found: row[1].shown))
            guard excluding else { continue }
            let statement = try connection.statement(
                "INSERT INTO \(CoreDataCopy.excludedTable) (\"table\", \"key\") VALUES (?1, ?2) ON CONFLICT DO NOTHING")
            statement.bind([.text(table.name), row[0]])
            try statement.run()
        }
    }

    // MARK: Derived values

    /// Reports derived values of the old store that differ from those that the new one derives.
    func compareDerivedValues(_ report: inout ImportReport) throws {
        for table in match.layout.tables {
            for entity in table.entities {
                for attribute in entity.attributes where attribute.isDerived {
                    guard let sql = copy(.refuse).comparingDerived(attribute, of: entity, in: table) else { continue }
                    var count = 0
                    let statement = try Statement(sql, database: connection.database)
                    while try statement.step() {
                        count += 1
                        if count > ImportReport.findingLimit { continue }
                        let values = statement.values
                        report.findings.append(
                            ImportFinding(
                                kind: .derivedDifference, remedy: .computesAnew, entity: entity.name,
                                property: attribute.keyPath, key: values[0].storedInteger, found: values[1].shown))
                    }
                    report.findingCount += count
                }
            }
        }
    }
}

extension CoreDataCopy.Check {
    /// Whether it concerns a value that no statement copies.
    var isOfUncopiedValue: Bool { if case .oneSided = subject { true } else { false } }

    fileprivate var remedy: ImportFinding.Remedy {
        if case .pairs = subject { return .leavesOutPair }
        return excludesRow ? .leavesOutObject : hasDefault ? .setsDefault : .setsNil
    }
}

extension SQLiteValue {
    /// The value in a few words.
    var shown: String {
        switch self {
        case .null: "nothing"
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): "\"\(text)\""
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}
