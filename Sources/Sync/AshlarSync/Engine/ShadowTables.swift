import Ashlar
import AshlarSQLite

/// The log's rows for which this store has other rows, or none. Triggers keep each row before its first change.
///
/// Each table has a shadow table with the same columns. It contains everything that is needed to remove the store's own
/// changes: its rows are the earlier ones, and a row that is not ``present`` did not exist. A row whose change was
/// undone stays until the log has the change, without harm.
///
/// The names begin with `ashlar$sync$`. So the comparison with the model's schema ignores these tables, and a migration
/// drops the triggers.
struct ShadowTables {
    static let prefix = "ashlar$sync$"
    /// The column that says whether there was a row.
    static let present = "\"present$\""

    let tables: SyncedTables
    let connection: Connection

    static func name(of table: SyncedTable) -> String { prefix + table.name }

    // MARK: Making

    /// Creates the tables and triggers that are missing or differ. It needs a transaction that may change the schema.
    ///
    /// - Returns: Whether everything was as required, so that no change can have been missed.
    @discardableResult
    func prepare() throws(SQLiteError) -> Bool {
        let found = try connection.schema().objects.filter { $0.name.hasPrefix(Self.prefix) }
        let known = Dictionary(found.map { ($0.name, $0.sql ?? "") }, uniquingKeysWith: { first, _ in first })
        var wanted: [(name: String, sql: String)] = []
        for table in tables.all { wanted += definitions(table) }
        let isComplete = wanted.allSatisfy { known[$0.name] == $0.sql }
        if isComplete { return true }
        try connection.dropTriggers(named: Self.prefix)
        for (name, sql) in wanted {
            let isTable = sql.hasPrefix("CREATE TABLE")
            if isTable, known[name] == sql { continue }
            if isTable, known[name] != nil { try connection.execute("DROP TABLE \(name.quotedIdentifier)") }
            try connection.execute(sql)
        }
        return false
    }

    /// Drops the tables, the triggers and the state.
    static func remove(_ connection: Connection) throws(SQLiteError) {
        try connection.dropTriggers(named: prefix)
        for name in try connection.schema().objects(.table).map(\.name) where name.hasPrefix(prefix) {
            try connection.execute("DROP TABLE \(name.quotedIdentifier)")
        }
    }

    private func definitions(_ table: SyncedTable) -> [(name: String, sql: String)] {
        let shadow = Self.name(of: table)
        let keys = table.stored.keyNames.map(\.quotedIdentifier)
        // A BLOB column keeps each value as it is, and files of large values are found by this type.
        let columns = table.stored.columns.filter { !table.stored.keyNames.contains($0) }
            .map { ", \($0.quotedIdentifier) BLOB" }.joined()
        let definition =
            "CREATE TABLE \(shadow.quotedIdentifier) (\(keys.map { "\($0) INTEGER NOT NULL" }.joined(separator: ", ")), "
            + "\(Self.present) INTEGER NOT NULL\(columns), PRIMARY KEY (\(keys.joined(separator: ", "))))"
            + " WITHOUT ROWID"
        let isOther = keys.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
        return [
            (shadow, definition),
            trigger(table, "insert", "INSERT", [keepingAbsence(table)]),
            trigger(table, "update", "UPDATE", [keepingRow(table)]),
            trigger(
                table, "renumber", "UPDATE OF \(keys.joined(separator: ", "))", when: isOther, [keepingAbsence(table)]),
            trigger(table, "delete", "DELETE", [keepingRow(table)]),
        ]
    }

    private func trigger(
        _ table: SyncedTable, _ suffix: String, _ event: String, when condition: String? = nil, _ statements: [String]
    ) -> (name: String, sql: String) {
        let name = "\(Self.name(of: table))$$\(suffix)"
        let isOn = "(SELECT \"isRecording\" FROM \"ashlar$sync\")"
        return (
            name,
            """
            CREATE TRIGGER \(name.quotedIdentifier) AFTER \(event) ON \(table.name.quotedIdentifier)
            WHEN \(isOn)\(condition.map { " AND (\($0))" } ?? "")
            BEGIN
                \(statements.joined(separator: "\n    "))
            END
            """
        )
    }

    /// The statement has no conflict clause, because that of the statement that fires the trigger would replace it.
    private func unlessKept(_ table: SyncedTable, _ row: String) -> String {
        let same = table.stored.keyNames.map { "\($0.quotedIdentifier) = \(row).\($0.quotedIdentifier)" }
            .joined(separator: " AND ")
        return "WHERE NOT EXISTS (SELECT 1 FROM \(Self.name(of: table).quotedIdentifier) WHERE \(same))"
    }

    private func keepingAbsence(_ table: SyncedTable) -> String {
        let keys = table.stored.keyNames.map(\.quotedIdentifier)
        return
            "INSERT INTO \(Self.name(of: table).quotedIdentifier) (\(keys.joined(separator: ", ")), \(Self.present)) "
            + "SELECT \(keys.map { "NEW.\($0)" }.joined(separator: ", ")), 0 \(unlessKept(table, "NEW"));"
    }

    private func keepingRow(_ table: SyncedTable) -> String {
        "INSERT INTO \(Self.name(of: table).quotedIdentifier) (\(Self.present), \(table.columnList())) "
            + "SELECT 1, \(table.columnList("OLD.")) \(unlessKept(table, "OLD"));"
    }

    // MARK: Reading and writing

    /// Returns this store's changes that the log does not have, one for each row, in the order of tables and keys.
    func pendingChanges() throws -> [RowChange] {
        var changes: [RowChange] = []
        for table in tables.all {
            let keys = table.stored.keyNames.map(\.quotedIdentifier)
            let join = keys.map { "t.\($0) = s.\($0)" }.joined(separator: " AND ")
            let width = table.stored.columns.count
            let statement = try connection.statement(
                "SELECT s.\(Self.present), t.\(keys[0]) IS NOT NULL, \(table.columnList("s.")), \(table.columnList("t.")) "
                    + "FROM \(Self.name(of: table).quotedIdentifier) AS s LEFT JOIN \(table.name.quotedIdentifier) AS t "
                    + "ON \(join) ORDER BY \(keys.map { "s.\($0)" }.joined(separator: ", "))")
            defer { statement.reset() }
            while try statement.step() {
                let found = statement.values
                let before = Array(found[2..<(2 + width)])
                let now = Array(found[(2 + width)...])
                guard let key = table.key(of: before) else { continue }
                switch (found[0].storedInteger != 0, found[1].storedInteger != 0) {
                case (false, false): continue
                case (false, true): changes.append(RowChange(table: table, operation: .insert, key: key, values: now))
                case (true, false):
                    changes.append(RowChange(table: table, operation: .delete, key: key, values: [], old: before))
                case (true, true):
                    if let change = try Self.update(table, key, from: before, to: now, connection) {
                        changes.append(change)
                    }
                }
            }
        }
        return changes
    }

    /// Returns the keys of the kept rows of a table.
    func changedKeys(of name: String) throws(SQLiteError) -> [RowKey] {
        guard let table = tables.byName[name] else { return [] }
        let keys = table.stored.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
        let rows = try connection.rows("SELECT \(keys) FROM \(Self.name(of: table).quotedIdentifier)")
        return rows.map {
            RowKey(first: $0[0].storedInteger, second: $0.count > 1 ? $0[1].storedInteger : nil)
        }
    }

    /// Returns the objects that are gone, with their rows as the log has them.
    func deletions() throws(SQLiteError) -> [RowChange] {
        var changes: [RowChange] = []
        for table in tables.all where !table.isPairs {
            let key = table.stored.keyNames[0].quotedIdentifier
            let statement = try connection.statement(
                "SELECT \(table.columnList("s.")) FROM \(Self.name(of: table).quotedIdentifier) AS s "
                    + "WHERE s.\(Self.present) AND NOT EXISTS "
                    + "(SELECT 1 FROM \(table.name.quotedIdentifier) AS t WHERE t.\(key) = s.\(key))")
            defer { statement.reset() }
            while try statement.step() {
                let row = statement.values
                guard let key = table.key(of: row) else { continue }
                changes.append(RowChange(table: table, operation: .delete, key: key, values: [], old: row))
            }
        }
        return changes
    }

    /// Returns the differences between two states of a row; nil if no value of a program differs.
    static func update(
        _ table: SyncedTable, _ key: RowKey, from before: [SQLiteValue], to now: [SQLiteValue], _ connection: Connection
    ) throws -> RowChange? {
        var values = [SQLiteValue?](repeating: nil, count: now.count)
        var hasNews = false
        for position in now.indices where table.isWritable[position] && now[position] != before[position] {
            if try isSame(now[position], before[position], connection) { continue }
            values[position] = now[position]
            hasNews = true
        }
        return hasNews ? RowChange(table: table, operation: .update, key: key, values: values, old: before) : nil
    }

    /// Returns whether two values are the same large one, which may be in a row, in a file, and with the log.
    static func isSame(_ left: SQLiteValue, _ right: SQLiteValue, _ connection: Connection) throws -> Bool {
        guard case (.blob(let first), .blob(let second)) = (left, right) else { return left == right }
        func hash(_ value: SQLiteValue) throws -> String? {
            guard case .blob(let bytes) = try ModelContainer.content(value, connection) else { return nil }
            return EntryBody.hash(of: bytes)
        }
        switch (TaggedBlob.loggedHash(first), TaggedBlob.loggedHash(second)) {
        case (nil, nil):
            return try ModelContainer.content(left, connection) == ModelContainer.content(right, connection)
        case (let known?, nil): return try hash(right) == known
        case (nil, let known?): return try hash(left) == known
        case (let known?, let other?): return known == other
        }
    }

    /// Returns whether nothing is kept at all.
    func isEmpty() throws(SQLiteError) -> Bool {
        for table in tables.all {
            if try connection.integer("SELECT 1 FROM \(Self.name(of: table).quotedIdentifier) LIMIT 1") != nil {
                return false
            }
        }
        return true
    }

    func clear() throws(SQLiteError) {
        for table in tables.all { try connection.execute("DELETE FROM \(Self.name(of: table).quotedIdentifier)") }
    }

    /// Marks changes as present in the log. Rows that are equal to the changed ones are no longer kept; for other rows,
    /// the changed values become the earlier ones.
    func settle(_ changes: [RowChange]) throws {
        for change in changes {
            let table = change.table
            let kept = try keptRow(table, change.key)
            var base: [SQLiteValue]?
            switch change.operation {
            case .insert: base = change.values.map { $0 ?? .null }
            case .delete: base = nil
            case .update: base = kept.map { row in zip(change.values, row).map { $0 ?? $1 } }
            }
            let now = try table.row(change.key, connection)
            try forget(table, change.key)
            let isSame =
                switch (base, now) {
                case (nil, nil): true
                case (let base?, let now?):
                    try Self.update(table, change.key, from: base, to: now, connection) == nil
                default: false
                }
            if !isSame { try keep(base, table, change.key) }
        }
    }

    private func keptRow(_ table: SyncedTable, _ key: RowKey) throws(SQLiteError) -> [SQLiteValue]? {
        let statement = try connection.statement(
            "SELECT \(table.columnList()) FROM \(Self.name(of: table).quotedIdentifier) WHERE \(table.condition()) "
                + "AND \(Self.present)")
        defer { statement.reset() }
        statement.bind(key.values)
        return try statement.step() ? statement.values : nil
    }

    private func forget(_ table: SyncedTable, _ key: RowKey) throws(SQLiteError) {
        try connection.run(
            "DELETE FROM \(Self.name(of: table).quotedIdentifier) WHERE \(table.condition())", key.values)
    }

    private func keep(_ row: [SQLiteValue]?, _ table: SyncedTable, _ key: RowKey) throws(SQLiteError) {
        let shadow = Self.name(of: table).quotedIdentifier
        guard let row else {
            let keys = table.stored.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
            let places = key.values.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
            return try connection.run(
                "INSERT INTO \(shadow) (\(keys), \(Self.present)) VALUES (\(places), 0)", key.values)
        }
        let places = row.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let statement = try connection.statement(
            "INSERT INTO \(shadow) (\(table.columnList()), \(Self.present)) VALUES (\(places), 1)")
        for (index, value) in row.enumerated() { statement.bindStored(value, Int32(index + 1)) }
        try statement.run()
    }

    /// Marks every row as missing in the log.
    func keepAbsenceOfAll() throws(SQLiteError) {
        for table in tables.all {
            let keys = table.stored.keyNames.map(\.quotedIdentifier).joined(separator: ", ")
            try connection.execute(
                "INSERT INTO \(Self.name(of: table).quotedIdentifier) (\(keys), \(Self.present)) "
                    + "SELECT \(keys), 0 FROM \(table.name.quotedIdentifier)")
        }
    }
}
