import Ashlar
import AshlarSQLite

/// The key of a row: the number of an object, or both of a pair.
struct RowKey: Hashable, Comparable {
    var first: Int64
    var second: Int64?

    var values: [SQLiteValue] { second.map { [.integer(first), .integer($0)] } ?? [.integer(first)] }

    /// Whether a row may have it.
    var isValid: Bool { [first, second ?? 1].allSatisfy { $0 >= 1 && $0 <= 1 << 62 } }

    static func < (left: RowKey, right: RowKey) -> Bool {
        (left.first, left.second ?? 0) < (right.first, right.second ?? 0)
    }
}

/// A synchronized table, with the positions and statements that its rows need.
final class SyncedTable {
    let stored: StoredTable
    /// The positions of the key's columns, in the order of the key.
    let keyPositions: [Int]
    /// Whether each column holds values that programs write.
    let isWritable: [Bool]
    /// The position of the discriminator; nil if there is none.
    let entityPosition: Int?
    private let versionPosition: Int?
    /// The positions of the columns in unique indexes.
    let uniquePositions: [Int]
    private var updates: [[Bool]: String] = [:]

    var name: String { stored.name }
    var isPairs: Bool { keyPositions.count > 1 }

    init(_ stored: StoredTable, _ connection: Connection) throws(SQLiteError) {
        self.stored = stored
        keyPositions = stored.keyNames.compactMap { stored.columns.firstIndex(of: $0) }
        isWritable = stored.columns.map { stored.isWritable($0) }
        entityPosition = stored.columns.firstIndex(of: "entity$")
        versionPosition = stored.columns.firstIndex(of: "version$")
        let unique = try connection.schema().indexes(of: stored.name).filter { $0.isUnique && $0.origin != .primaryKey }
        let names = Set(unique.flatMap(\.columns).compactMap(\.name))
        uniquePositions = stored.columns.indices.filter { names.contains(stored.columns[$0]) }
    }

    func key(of row: [SQLiteValue?]) -> RowKey? {
        guard case .integer(let first)?? = keyPositions.first.map({ row[$0] }) else { return nil }
        guard keyPositions.count > 1 else { return RowKey(first: first) }
        guard case .integer(let second)? = row[keyPositions[1]] else { return nil }
        return RowKey(first: first, second: second)
    }

    /// The columns, quoted, each after a qualifier.
    func columnList(_ qualifier: String = "") -> String {
        stored.columns.map { qualifier + $0.quotedIdentifier }.joined(separator: ", ")
    }

    /// A condition that names one row, with its key's values numbered from a place on.
    func condition(from place: Int = 1) -> String {
        stored.keyNames.enumerated().map { "\($1.quotedIdentifier) = ?\($0 + place)" }.joined(separator: " AND ")
    }

    // MARK: Statements

    private(set) lazy var selection =
        "SELECT \(columnList()) FROM \(name.quotedIdentifier) WHERE \(condition())"
    private(set) lazy var deletion = "DELETE FROM \(name.quotedIdentifier) WHERE \(condition())"
    private var deletions: [Int: String] = [:]

    /// Deletes rows of objects.
    private func deletion(rows: Int) -> String {
        if let known = deletions[rows] { return known }
        let places = (1...rows).map { "?\($0)" }.joined(separator: ", ")
        let sql = "DELETE FROM \(name.quotedIdentifier) WHERE \(stored.keyNames[0].quotedIdentifier) IN (\(places))"
        deletions[rows] = sql
        return sql
    }
    /// The maximum number of rows that one statement inserts. A full-text index writes its collected rows with each
    /// statement, so the limit makes it write now and then.
    private(set) lazy var rowsPerInsertion = max(1, min(128, 4000 / max(1, stored.columns.count)))
    static let rowsPerDeletion = 128
    private var insertions: [Int: String] = [:]

    /// Inserts rows with all columns but their versions, which begin anew.
    private func insertion(rows: Int) -> String {
        if let known = insertions[rows] { return known }
        let names = stored.columns.filter { $0 != "version$" }
        let list = names.map(\.quotedIdentifier).joined(separator: ", ")
        let places = (0..<rows).map { row in
            "(\(names.indices.map { "?\(row * names.count + $0 + 1)" }.joined(separator: ", ")))"
        }
        let sql = "INSERT INTO \(name.quotedIdentifier) (\(list)) VALUES \(places.joined(separator: ", "))"
        insertions[rows] = sql
        return sql
    }

    /// Returns the update of the marked columns; nil if none of them can be updated.
    func update(of told: [Bool]) -> String? {
        if let known = updates[told] { return known }
        var place = keyPositions.count
        var assignments = versionPosition != nil ? ["\"version$\" = \"version$\" + 1"] : []
        for position in told.indices where told[position] && isWritable[position] {
            place += 1
            assignments.append("\(stored.columns[position].quotedIdentifier) = ?\(place)")
        }
        if place == keyPositions.count { return nil }
        let sql = "UPDATE \(name.quotedIdentifier) SET \(assignments.joined(separator: ", ")) WHERE \(condition())"
        updates[told] = sql
        return sql
    }

    func row(_ key: RowKey, _ connection: Connection) throws(SQLiteError) -> [SQLiteValue]? {
        let statement = try connection.statement(selection)
        defer { statement.reset() }
        bind(key, statement)
        guard try statement.step() else { return nil }
        return statement.values
    }

    func insert(_ values: [SQLiteValue?], _ connection: Connection) throws(SQLiteError) {
        let statement = try connection.statement(insertion(rows: 1))
        var place: Int32 = 0
        bind(values, statement, &place)
        try statement.run()
    }

    /// Inserts rows with one statement, of ``rowsPerInsertion`` at most: all of them, or none.
    func insert(_ rows: ArraySlice<RowChange>, _ connection: Connection) throws(SQLiteError) {
        let statement = try connection.statement(insertion(rows: rows.count))
        var place: Int32 = 0
        for row in rows { bind(row.values, statement, &place) }
        try statement.run()
    }

    private func bind(_ values: [SQLiteValue?], _ statement: Statement, _ place: inout Int32) {
        for position in values.indices where position != versionPosition {
            place += 1
            statement.bindStored(values[position] ?? .null, place)
        }
    }

    /// Changes the marked columns, except for those that the store derives.
    func update(_ key: RowKey, _ values: [SQLiteValue?], _ connection: Connection) throws(SQLiteError) {
        guard let sql = update(of: values.map { $0 != nil }) else { return }
        let statement = try connection.statement(sql)
        bind(key, statement)
        var place = Int32(keyPositions.count)
        for position in values.indices where isWritable[position] {
            guard let value = values[position] else { continue }
            place += 1
            statement.bindStored(value, place)
        }
        try statement.run()
    }

    func delete(_ key: RowKey, _ connection: Connection) throws(SQLiteError) {
        let statement = try connection.statement(deletion)
        bind(key, statement)
        try statement.run()
    }

    /// Deletes objects with one statement, of ``rowsPerDeletion`` at most.
    func delete(_ rows: ArraySlice<RowChange>, _ connection: Connection) throws(SQLiteError) {
        let statement = try connection.statement(deletion(rows: rows.count))
        for (index, row) in rows.enumerated() { statement.bind(row.key.first, Int32(index + 1)) }
        try statement.run()
    }

    private func bind(_ key: RowKey, _ statement: Statement) {
        statement.bind(key.first, 1)
        if let second = key.second { statement.bind(second, 2) }
    }
}

/// The change of a row.
struct RowChange {
    enum Operation { case insert, update, delete }

    var table: SyncedTable
    var operation: Operation
    var key: RowKey
    /// The new values of the columns in the order of the table; nil for unchanged ones. Empty for a deletion.
    var values: [SQLiteValue?]
    /// The whole row before the change, if it is known.
    var old: [SQLiteValue] = []

    /// Returns whether the change, an insertion, makes a row with the same values.
    func hasSameValues(as row: [SQLiteValue]) -> Bool {
        row.indices.allSatisfy { !table.isWritable[$0] || values.element($0) == row[$0] }
    }

    /// The change that undoes this one. It needs the row before the change.
    var inverse: RowChange {
        switch operation {
        case .insert: RowChange(table: table, operation: .delete, key: key, values: [])
        case .delete: RowChange(table: table, operation: .insert, key: key, values: old)
        case .update:
            RowChange(
                table: table, operation: .update, key: key,
                values: zip(values, old).map { $0 == nil ? nil : $1 })
        }
    }
}

/// The tables of a store.
final class SyncedTables {
    let byName: [String: SyncedTable]
    /// By name, so that the same is done in the same order everywhere.
    let all: [SyncedTable]
    /// The numbers of their columns.
    private(set) lazy var columnCounts = byName.mapValues { $0.stored.columns.count }

    init(_ tables: [StoredTable], _ connection: Connection) throws(SQLiteError) {
        var all: [SyncedTable] = []
        for table in tables.sorted(by: { $0.name < $1.name }) { all.append(try SyncedTable(table, connection)) }
        self.all = all
        byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The tables of a store, as its model describes them.
    convenience init(_ tables: ChangedTables) throws {
        try self.init(try tables.tracked.keys.map { try tables.shape($0) }, tables.connection)
    }

    /// The tables of a store's file of any version: those of objects and of pairs.
    convenience init(fileOf connection: Connection) throws(SQLiteError) {
        let schema = try connection.schema()
        var tables: [StoredTable] = []
        for table in schema.objects(.table) where !table.isVirtualTable && !table.name.hasPrefix("ashlar$") {
            let keys = try schema.columns(of: table.name).filter { $0.keyPosition != 0 }.map(\.name)
            guard keys.contains("id$") || keys.contains("source$") else { continue }
            tables.append(try StoredTable(table.name, derived: [], connection))
        }
        try self.init(tables, connection)
    }
}
