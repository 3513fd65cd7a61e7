import Ashlar
import AshlarSQLite
import CoreDataStore
import StoreDescription
import SystemFoundation

/// Copies the rows of an old store into the empty tables of its version, and reports data that cannot be copied as it
/// is.
struct ImportFiller {
    let match: CoreDataVersion
    let schema: ImportedSchema
    let old: URL
    let repairs: Bool
    let files: ImportedFiles
    let connection: Connection
    let monitor: MigrationMonitor

    func copy(_ remedy: CoreDataCopy.Remedy) -> CoreDataCopy {
        CoreDataCopy(
            layout: match.layout, joinTables: match.joinTables, remedy: remedy, defaults: schema.defaults)
    }

    /// Copies everything. If something cannot be copied, the report lists it, and unless it is repaired, the tables are
    /// empty.
    func fill(_ report: inout ImportReport) throws {
        let plain = copy(.refuse)
        // No statement checks values that are not copied into our columns.
        try find(plain.checks.filter(\.isOfUncopiedValue), &report)
        if report.findings.isEmpty {
            do {
                try run(plain, &report)
                try checkUniqueness(&report, excluding: false)
                if try hasDanglingReference(plain) {
                    try findAll(plain, &report)
                    if report.findings.isEmpty {
                        throw ImportError(.damaged, old, "its references contradict its rows.")
                    }
                }
            } catch let error as SQLiteError where Self.isOfData(error) && files.error == nil {
                if let attributes = match.layout.entities.values.overflowingAttributes(error) {
                    throw overflow(attributes)
                }
                try findAll(plain, &report)
                // If no check finds anything, the error does not concern single values.
                if report.findings.isEmpty { throw error }
            } catch {
                throw files.error ?? error
            }
        } else {
            try find(plain.checks.filter { !$0.isOfUncopiedValue }, &report)
        }
        if repairs, !report.findings.isEmpty { try repair(&report) }
    }

    private func overflow(_ attributes: [String]) -> ImportError {
        ImportError(
            .derivedOverflow, old,
            "the derived sum \(attributes.sorted().joined(separator: " or ")) would leave the range of 64-bit integers. "
                + "Sum up floating-point numbers instead.")
    }

    /// Whether a copied reference leads to no object, by the indexes of references, which this makes.
    private func hasDanglingReference(_ copy: CoreDataCopy) throws -> Bool {
        try monitor.watching(connection) {
            try schema.makeReferenceIndexes(on: connection)
            return try copy.danglingReferences.contains { try connection.integer($0) != nil }
        }
    }

    /// Removes the copied rows, and searches for everything that prevents copying them as they are.
    private func findAll(_ copy: CoreDataCopy, _ report: inout ImportReport) throws {
        try schema.empty(on: connection)
        try find(copy.checks.filter { !$0.isOfUncopiedValue }, &report)
    }

    /// Returns whether SQLite refused a statement because of a row's values.
    private static func isOfData(_ error: SQLiteError) -> Bool {
        [SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH].contains(error.code)
    }

    // MARK: Copying

    func run(_ copy: CoreDataCopy, _ report: inout ImportReport) throws {
        let statements = copy.statements
        let lengths = try statements.map { statement in
            Int(
                clamping: max(
                    0,
                    try connection.integer(
                        "SELECT max(\"rowid\") FROM \(CoreDataCopy.sourceName).\(statement.source.quotedIdentifier)")
                        ?? 0))
        }
        monitor.update { progress in
            progress.totalStatements = statements.count
            progress.completedStatements = 0
            progress.completedRows = 0
            progress.estimatedRows = lengths.reduce(0, +)
        }
        report.objects = [:]
        report.pairs = 0
        for (statement, length) in zip(statements, lengths) {
            let count = try run(statement, rows: length)
            if let table = copy.layout.tables.first(where: { $0.entities.first?.table == statement.table }) {
                try countObjects(of: table, count, copy, &report)
            } else {
                report.pairs += count
            }
            monitor.update { $0.completedStatements += 1 }
        }
    }

    /// Runs one statement, and gives the number of rows.
    private func run(_ copy: CoreDataCopy.Statement, rows: Int) throws -> Int {
        let statement = try Statement(copy.sql, database: connection.database)
        var told = 0
        func tell(_ done: Int) {
            let more = max(0, min(rows, done) - told)
            told += more
            if more > 0 { monitor.update { $0.completedRows += more } }
        }
        let tellMore = { tell(statement.scannedRowCount) }
        try monitor.watching(connection, telling: tellMore) {
            while try statement.step() {}
        }
        tell(rows)
        return Int(clamping: connection.changedRowCount)
    }

    /// Counts the objects of each entity in a table. Where there are several, Core Data has an index of them.
    private func countObjects(
        of table: CoreDataLayout.EntityTable, _ count: Int, _ copy: CoreDataCopy, _ report: inout ImportReport
    ) throws {
        for entity in table.entities where !entity.isAbstract { report.objects[entity.name] = 0 }
        if table.entities.count == 1 {
            report.objects[table.root] = count
            return
        }
        let names = Dictionary(match.layout.numbers.map { ($1, $0) }) { first, _ in first }
        for row in try connection.rows(copy.counting(table)) {
            guard case .integer(let number) = row[0], case .integer(let count) = row[1] else { continue }
            if let name = names[number] { report.objects[name] = Int(clamping: count) }
        }
    }

    /// Numbers that objects had are not used again.
    func restoreMarks(_ schema: CoreDataSchema) throws {
        for table in match.layout.tables {
            guard let entity = schema.entities[table.root], let name = table.entities.first?.table,
                entity.greatestKey > 0
            else { continue }
            let found = try connection.integer(
                "SELECT \"seq\" FROM main.\"sqlite_sequence\" WHERE \"name\" = ?1", [.text(name)])
            let sql =
                found == nil
                ? "INSERT INTO main.\"sqlite_sequence\" (\"seq\", \"name\") VALUES (?1, ?2)"
                : "UPDATE main.\"sqlite_sequence\" SET \"seq\" = ?1 WHERE \"name\" = ?2"
            let statement = try connection.statement(sql)
            statement.bind([.integer(max(found ?? 0, entity.greatestKey)), .text(name)])
            try statement.run()
        }
    }
}
