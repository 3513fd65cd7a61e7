import Ashlar
import AshlarSQLite
import CoreDataStore
import StoreDescription
import SystemFoundation

/// Brings the persistent history of an old store, transaction by transaction, so that it reads as one of ours does.
///
/// One of our transactions owns the changes between two numbers. So all are renumbered, in the order of Core Data's
/// transactions, and the store's later records follow them. Invalid rows are left out, and listed in the report.
final class ImportedHistory {
    private let history: CoreDataHistory
    private let connection: Connection
    private let monitor: MigrationMonitor
    private var catalogue = HistoryCatalogue()
    /// The positions of the columns of each table, which stay as they are.
    private var positions: [String: [String: Int]] = [:]
    /// Our numbers of the entities in the changes, one for each group of columns, by Core Data's numbers.
    private var numbers: [Int64: [Int64]] = [:]
    private var findings: ImportedHistoryFindings
    /// The number of the newest change.
    private var newest: Int64 = 0
    private var transactionCount = 0
    private var changeCount = 0

    init(_ history: CoreDataHistory, on connection: Connection, monitor: MigrationMonitor) {
        (self.history, self.connection, self.monitor) = (history, connection, monitor)
        findings = ImportedHistoryFindings()
        // All columns first: an entity has a number for each group of them.
        for entity in history.entities.sorted(by: { $0.key < $1.key }).map(\.value) {
            catalogue.addColumns(entity.properties.flatMap(\.columns), to: entity.table)
        }
        for table in catalogue.columns.keys { positions[table] = catalogue.positions(table) }
    }

    /// Creates and fills the tables of the history, and turns it on, in the open transaction. Bringing the store up to
    /// date creates the triggers.
    func fill(_ report: inout ImportReport) throws {
        for statement in HistoryTables.definitions { try connection.execute(statement) }
        try monitor.watching(connection) { try copy() }
        try catalogue.write(to: connection)
        try connection.execute("UPDATE \"ashlar$historyState\" SET \"isTracked\" = 1")
        report.historyTransactions = transactionCount
        report.historyChanges = changeCount
        findings.add(to: &report)
    }

    /// Returns whether a migration since could not follow the history, and began it anew.
    static func isLost(_ connection: Connection) throws -> Bool {
        try connection.integer("SELECT \"purged\" FROM main.\"ashlar$historyState\"") ?? 0 > 0
    }

    private func copy() throws {
        let transactions = try Statement(history.transactions, database: connection.database)
        let changes = try Statement(history.changes, database: connection.database)
        var change = try next(changes)
        while let transaction = try next(transactions) {
            guard case .integer(let number) = transaction[0] else { continue }
            change = try leaveOut(change, changes, before: number)
            let time = time(of: transaction)
            let first = newest + 1
            while let found = change, found[1] == .integer(number) {
                if time == nil {
                    findings.leaveOut("CHANGE", found[0], "ZTRANSACTIONID", found[1])
                } else {
                    try add(found)
                }
                change = try next(changes)
            }
            if let time { try end(transaction, at: time, from: first) }
        }
        _ = try leaveOut(change, changes, before: nil)
    }

    private func next(_ statement: Statement) throws -> [SQLiteValue]? { try statement.step() ? statement.values : nil }

    /// Leaves out changes of no transaction, up to those of one, and gives the next.
    private func leaveOut(
        _ change: [SQLiteValue]?, _ changes: Statement, before transaction: Int64?
    ) throws -> [SQLiteValue]? {
        var change = change
        while let found = change {
            if case .integer(let number) = found[1], let transaction, number >= transaction { break }
            findings.leaveOut("CHANGE", found[0], "ZTRANSACTIONID", found[1])
            change = try next(changes)
        }
        return change
    }

    // MARK: Transactions

    /// Returns the time of a transaction; nil if it is invalid, so that the transaction is left out.
    private func time(of transaction: [SQLiteValue]) -> Double? {
        switch transaction[1] {
        case .real(let time) where time.isFinite: return time
        case .integer(let time): return Double(time)
        default:
            findings.leaveOut("TRANSACTION", transaction[0], "ZTIMESTAMP", transaction[1])
            return nil
        }
    }

    /// Ends a transaction with the changes from a number on.
    private func end(_ transaction: [SQLiteValue], at time: Double, from first: Int64) throws {
        // A transaction without changes has a number of its own, by which it is in its place.
        if newest < first { try insert(entity: 0, row: 0, kind: RecordedKind.none, nil) }
        let statement = try connection.statement(
            """
            INSERT INTO main."ashlar$transaction" ("last", "first", "timestamp", "author", "context", "bundle", "process")
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        let texts = zip(["ZAUTHOR", "ZCONTEXTNAME", "ZBUNDLEID", "ZPROCESSID"], [2, 5, 8, 11]).map { name, position in
            text(name, Array(transaction[position..<position + 3]), of: transaction[0])
        }
        statement.bind([.integer(newest), .integer(first), .real(time)] + texts)
        try statement.run()
        transactionCount += 1
    }

    /// A text of a transaction: one of a list, in newer stores, and in older ones the text itself.
    private func text(_ name: String, _ values: [SQLiteValue], of transaction: SQLiteValue) -> SQLiteValue {
        let (plain, key, listed) = (values[0], values[1], values[2])
        if case .text = listed { return listed }
        if case .text = plain { return plain }
        if !key.isNull { findings.setNil("TRANSACTION", transaction, name + "TS", key) }
        if !plain.isNull { findings.setNil("TRANSACTION", transaction, name, plain) }
        return .null
    }

    // MARK: Changes

    /// Adds a change: its number, those of its transaction, entity and object, its kind and bits, and the values that
    /// outlive the object.
    private func add(_ change: [SQLiteValue]) throws {
        guard case .integer(let number) = change[2], let entity = history.entities[number] else {
            return findings.leaveOut("CHANGE", change[0], "ZENTITY", change[2])
        }
        guard case .integer(let row) = change[3], row > 0 else {
            return findings.leaveOut("CHANGE", change[0], "ZENTITYPK", change[3])
        }
        guard case .integer(let code) = change[4], let kind = RecordedKind(rawValue: code) else {
            return findings.leaveOut("CHANGE", change[0], "ZCHANGETYPE", change[4])
        }
        let groups = numbers(of: entity, number)
        guard let recorded = groups.first else { return }
        changeCount += 1
        switch kind {
        case .insertion: try insert(entity: recorded, row: row, kind: kind.rawValue, nil)
        case .update: try update(change, entity, row, groups)
        case .deletion:
            try insert(entity: recorded, row: row, kind: kind.rawValue, nil)
            try keepValues(change, entity)
        }
    }

    private func numbers(of entity: CoreDataHistory.Entity, _ number: Int64) -> [Int64] {
        if let known = numbers[number] { return known }
        catalogue.addEntity(entity.discriminator, of: entity.table)
        let groups = (0..<catalogue.groupCount(entity.table)).compactMap {
            catalogue.number(entity.table, entity.discriminator, group: $0)
        }
        numbers[number] = groups
        return groups
    }

    /// An update has a row for each group with a changed column. One without a column is still a change of the object.
    private func update(
        _ change: [SQLiteValue], _ entity: CoreDataHistory.Entity, _ row: Int64, _ groups: [Int64]
    ) throws {
        var masks: [Int: Int64] = [:]
        for column in changedColumns(change, entity) {
            guard let position = positions[entity.table]?[column] else { continue }
            let (group, bit) = position.quotientAndRemainder(dividingBy: HistoryCatalogue.groupSize)
            masks[group, default: 0] |= 1 << Int64(bit)
        }
        if masks.isEmpty { masks[0] = 0 }
        for (group, mask) in masks.sorted(by: { $0.key < $1.key }) where groups.indices.contains(group) {
            try insert(entity: groups[group], row: row, kind: RecordedKind.update.rawValue, mask)
        }
    }

    private func changedColumns(_ change: [SQLiteValue], _ entity: CoreDataHistory.Entity) -> [String] {
        switch change[5] {
        case .null: return []
        case .blob(let bytes):
            let count = entity.properties.count
            let told = (0..<min(count, bytes.count * 8)).filter { bit in
                bytes[bytes.startIndex + bit / 8] & (0x80 >> UInt8(bit % 8)) != 0
            }
            // Bits of another version's properties, whose names are unknown.
            let rest = bytes.dropFirst(count / 8).enumerated().contains { index, byte in
                byte & (index == 0 ? 0xFF >> UInt8(count % 8) : 0xFF) != 0
            }
            if rest { break }
            return told.flatMap { entity.properties[$0].columns }
        default: break
        }
        findings.setNil("CHANGE", change[0], "ZCOLUMNS", change[5])
        return []
    }

    /// Keeps the values that outlive a deleted object.
    private func keepValues(_ change: [SQLiteValue], _ entity: CoreDataHistory.Entity) throws {
        for (index, value) in change.dropFirst(6).enumerated() where !value.isNull {
            guard index < entity.preserved.count else {
                findings.setNil("CHANGE", change[0], "ZTOMBSTONE\(index)", value)
                continue
            }
            guard let attribute = entity.preserved[index], let type = attribute.type,
                let position = positions[entity.table]?[attribute.column]
            else { continue }
            guard let converted = ImportedFiles.value(value, as: type) else {
                findings.setNil("CHANGE", change[0], "ZTOMBSTONE\(index)", value)
                continue
            }
            let statement = try connection.statement(
                "INSERT INTO main.\"ashlar$tombstone\" (\"change\", \"position\", \"value\") VALUES (?1, ?2, ?3)")
            statement.bind([.integer(newest), .integer(Int64(position)), converted])
            try statement.run()
        }
    }

    private func insert(entity: Int64, row: Int64, kind: Int64, _ detail: Int64?) throws {
        newest += 1
        let statement = try connection.statement(
            """
            INSERT INTO main."ashlar$change" ("number", "entity", "row", "kind", "detail") VALUES (?1, ?2, ?3, ?4, ?5)
            """)
        statement.bind([
            .integer(newest), .integer(entity), .integer(row), .integer(kind), detail.map { .integer($0) } ?? .null,
        ])
        try statement.run()
    }
}

/// The invalid rows of an old store's history.
struct ImportedHistoryFindings {
    private var findings: [ImportFinding] = []
    private var count = 0
    private var counts: [String: Int] = [:]

    /// Notes a row that is left out.
    mutating func leaveOut(_ entity: String, _ key: SQLiteValue, _ property: String, _ value: SQLiteValue) {
        add(.leavesOutHistory, entity, key, property, value)
    }

    /// Notes a value that becomes nil.
    mutating func setNil(_ entity: String, _ key: SQLiteValue, _ property: String, _ value: SQLiteValue) {
        add(.setsNil, entity, key, property, value)
    }

    private mutating func add(
        _ remedy: ImportFinding.Remedy, _ entity: String, _ key: SQLiteValue, _ property: String, _ value: SQLiteValue
    ) {
        count += 1
        counts["\(entity).\(property)", default: 0] += 1
        if counts["\(entity).\(property)", default: 0] > ImportReport.findingLimit { return }
        findings.append(
            ImportFinding(
                kind: .invalidHistory, remedy: remedy, entity: entity, property: property, key: key.storedInteger,
                found: value.shown))
    }

    func add(to report: inout ImportReport) {
        report.findings += findings
        report.findingCount += count
    }
}
