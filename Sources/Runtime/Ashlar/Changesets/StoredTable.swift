import AshlarSQLite
import SystemFoundation

/// A table of a store with its columns in the store's order, without generated ones.
package struct StoredTable {
    package let name: String
    package let columns: [String]
    /// The position of each column in the primary key, counted from 1; 0 for other columns.
    package let keys: [UInt8]
    /// The columns whose values the store derives.
    package let derived: Set<String>
    /// The columns of the primary key, in its order.
    package let keyNames: [String]

    package init(_ table: TrackedTable, _ connection: Connection) throws(SQLiteError) {
        try self.init(table.name, derived: Set(table.columns.filter(\.isDerived).map(\.name)), connection)
    }

    /// Reads a table by its name, of any version of a model.
    package init(_ table: String, derived: Set<String>, _ connection: Connection) throws(SQLiteError) {
        name = table
        let found = try connection.schema(holding: table).columns(of: table).filter(\.isOrdinary)
        columns = found.map(\.name)
        keys = found.map { UInt8(truncatingIfNeeded: $0.keyPosition) }
        self.derived = derived
        keyNames = zip(columns, keys).filter { $0.1 != 0 }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    private var condition: String {
        keyNames.enumerated().map { "\($1.quotedIdentifier) = ?\($0 + 1)" }.joined(separator: " AND ")
    }

    /// Returns a row of the store; nil if it does not exist.
    package func row(_ key: HistoryNet.Key, _ connection: Connection) throws(SQLiteError) -> [SQLiteValue]? {
        try row(keyValues(key), connection)
    }

    package func row(_ key: [SQLiteValue], _ connection: Connection) throws(SQLiteError) -> [SQLiteValue]? {
        let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
        let statement = try connection.statement("SELECT \(list) FROM \(name.quotedIdentifier) WHERE \(condition)")
        defer { statement.reset() }
        for (index, value) in key.enumerated() { statement.bind(value, Int32(index + 1)) }
        guard try statement.step() else { return nil }
        let row = Row(statement: statement.handle, store: 0)
        return columns.indices.map { row.value(Int32($0)) }
    }

    package func keyValues(_ key: HistoryNet.Key) -> [SQLiteValue] {
        [.integer(key.first)] + (key.second.map { [.integer($0)] } ?? [])
    }

    /// Returns the key of a row, in the order of the primary key.
    package func key(_ values: [String: SQLiteValue]) -> [SQLiteValue] { keyNames.map { values[$0] ?? .null } }

    // MARK: Writing

    package func insert(_ values: [String: SQLiteValue], _ connection: Connection) throws(SQLiteError) {
        let names = columns.filter { values[$0] != nil && $0 != "version$" }
        let list = names.map(\.quotedIdentifier).joined(separator: ", ")
        let places = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let statement = try connection.statement(
            "INSERT INTO \(name.quotedIdentifier) (\(list)) VALUES (\(places))")
        for (index, name) in names.enumerated() { statement.bindStored(values[name] ?? .null, Int32(index + 1)) }
        try statement.run()
    }

    package func update(
        _ key: [SQLiteValue], _ values: [String: SQLiteValue], _ connection: Connection
    ) throws(SQLiteError) {
        let names = columns.filter { values[$0] != nil && $0 != "version$" && !keyNames.contains($0) }
            .filter { !derived.contains($0) }
        var assignments = names.enumerated().map { "\($1.quotedIdentifier) = ?\($0 + 1 + key.count)" }
        if columns.contains("version$") { assignments.insert("\"version$\" = \"version$\" + 1", at: 0) }
        if assignments.isEmpty { return }
        let statement = try connection.statement(
            "UPDATE \(name.quotedIdentifier) SET \(assignments.joined(separator: ", ")) WHERE \(condition)")
        for (index, value) in key.enumerated() { statement.bindStored(value, Int32(index + 1)) }
        for (index, name) in names.enumerated() {
            statement.bindStored(values[name] ?? .null, Int32(index + 1 + key.count))
        }
        try statement.run()
    }

    package func delete(_ key: [SQLiteValue], _ connection: Connection) throws(SQLiteError) {
        let statement = try connection.statement("DELETE FROM \(name.quotedIdentifier) WHERE \(condition)")
        for (index, value) in key.enumerated() { statement.bindStored(value, Int32(index + 1)) }
        try statement.run()
    }
}

extension Statement {
    /// Binds a column's content without adding a tag.
    package func bindStored(_ value: SQLiteValue, _ position: Int32) {
        if case .blob(let blob) = value { return blob.withUnsafeBytes { bindBytes($0, position) } }
        bind(value, position)
    }
}
