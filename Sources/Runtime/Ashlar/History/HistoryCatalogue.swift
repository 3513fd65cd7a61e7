import AshlarSQLite

/// The meanings of the numbers in a store's history: entities, and the bits of columns.
///
/// The catalogue is kept in the store. Nothing is ever removed from it, so that the meaning of a number never changes.
/// A column that was removed from the model keeps its position; a renamed column keeps it under the new name.
package struct HistoryCatalogue: Equatable {
    /// A number in changes: an entity of a table, or a join table, with a group of columns.
    struct Entry: Equatable {
        var number: Int64
        var table: String
        /// The value of `entity$` in the rows; nil for the root, and for pairs.
        var discriminator: String?
        /// The number of the group. The position of its first column is this times ``HistoryCatalogue/groupSize``.
        var group: Int
    }

    /// The maximum number of columns in one change. If a table has more, several changes may record one update of a
    /// row.
    package static let groupSize = 62

    private(set) var entries: [Entry] = []
    /// The names of the columns of each table, by their positions.
    package private(set) var columns: [String: [String]] = [:]

    package init() {}

    /// Returns the catalogue of a store; an empty one if the store has none.
    static func ifExists(_ connection: Connection) throws(SQLiteError) -> HistoryCatalogue {
        try exists(connection) ? HistoryCatalogue(connection) : HistoryCatalogue()
    }

    /// Reads the catalogue of an attached store, which must have one.
    init(_ connection: Connection, _ schemaName: String = "main") throws(SQLiteError) {
        let found = try connection.statement(
            "SELECT \"number\", \"table\", \"entity\", \"group\" FROM \(schemaName).\"ashlar$historyEntity\" "
                + "ORDER BY \"number\"")
        defer { found.reset() }
        while try found.step() {
            let (number, group) = (found.integer(0), found.integer(3))
            // No model has more. The numbers are incremented and multiplied.
            guard (1..<(1 << 32)).contains(number), (0..<(1 << 16)).contains(group) else {
                throw SQLiteError(
                    code: SQLITE_CORRUPT, extendedCode: SQLITE_CORRUPT,
                    message: "ashlar$historyEntity has the number \(number) and the group \(group)", sql: "")
            }
            self.entries.append(
                Entry(
                    number: number, table: found.text(1) ?? "", discriminator: found.text(2), group: Int(group)))
        }
        let names = try connection.statement(
            "SELECT \"table\", \"name\" FROM \(schemaName).\"ashlar$historyColumn\" ORDER BY \"table\", \"position\"")
        defer { names.reset() }
        while try names.step() { columns[names.text(0) ?? "", default: []].append(names.text(1) ?? "") }
    }

    /// Returns whether the store has the tables of a history.
    static func exists(_ connection: Connection, _ schemaName: String = "main") throws(SQLiteError) -> Bool {
        try connection.schema(of: schemaName).hasTable("ashlar$historyState")
    }

    /// Replaces the catalogue in the store.
    package func write(to connection: Connection) throws(SQLiteError) {
        try connection.execute(["DELETE FROM \"ashlar$historyEntity\"", "DELETE FROM \"ashlar$historyColumn\""])
        let addEntity = try connection.statement(
            "INSERT INTO \"ashlar$historyEntity\" (\"number\", \"table\", \"entity\", \"group\") "
                + "VALUES (?1, ?2, ?3, ?4)")
        for entry in entries {
            addEntity.bind(entry.number, 1)
            addEntity.bind(entry.table, 2)
            addEntity.bind(SQLiteValue(entry.discriminator), 3)
            addEntity.bind(Int64(entry.group), 4)
            try addEntity.run()
        }
        let addColumn = try connection.statement(
            "INSERT INTO \"ashlar$historyColumn\" (\"table\", \"position\", \"name\") VALUES (?1, ?2, ?3)")
        for (table, names) in columns {
            for (position, name) in names.enumerated() {
                addColumn.bind(table, 1)
                addColumn.bind(Int64(position), 2)
                addColumn.bind(name, 3)
                try addColumn.run()
            }
        }
    }

    // MARK: Looking up

    /// Returns the number of an entity and a group of columns.
    package func number(_ table: String, _ discriminator: String?, group: Int = 0) -> Int64? {
        entries.first { $0.table == table && $0.discriminator == discriminator && $0.group == group }?.number
    }

    /// Returns the number that represents a table while the recording of insertions into it is paused.
    func pausableNumber(_ table: String) -> Int64 { entries.first { $0.table == table }?.number ?? -1 }

    /// Returns the positions of a table's columns by name. If a name occurs several times, its last position counts.
    package func positions(_ table: String) -> [String: Int] {
        Dictionary((columns[table] ?? []).enumerated().map { ($1, $0) }, uniquingKeysWith: { $1 })
    }

    /// Returns the number of groups of a table's columns.
    package func groupCount(_ table: String) -> Int {
        max(1, ((columns[table]?.count ?? 0) + Self.groupSize - 1) / Self.groupSize)
    }

    // MARK: Changing

    /// Adds the parts of a table that the catalogue lacks.
    mutating func add(_ table: TrackedTable) {
        addColumns(table.columns.map(\.name), to: table.name)
        switch table.content {
        case .pairs: add(table.name, nil, group: 0)
        case .objects(let entities):
            for (discriminator, _) in entities { addEntity(discriminator, of: table.name) }
        }
    }

    /// Adds the columns of a table that the catalogue lacks.
    package mutating func addColumns(_ added: [String], to table: String) {
        var names = columns[table] ?? []
        for name in added where !names.contains(name) { names.append(name) }
        if !names.isEmpty { columns[table] = names }
    }

    /// Adds the numbers of an entity that the catalogue lacks, one for each group of the table's columns.
    package mutating func addEntity(_ discriminator: String?, of table: String) {
        for group in 0..<groupCount(table) { add(table, discriminator, group: group) }
    }

    private mutating func add(_ table: String, _ discriminator: String?, group: Int) {
        guard number(table, discriminator, group: group) == nil else { return }
        entries.append(
            Entry(number: (entries.last?.number ?? 0) + 1, table: table, discriminator: discriminator, group: group))
    }

    /// Returns whether the catalogue contains a table.
    func has(_ table: String) -> Bool { entries.contains { $0.table == table } }

    mutating func renameTable(_ name: String, to newName: String) {
        for index in entries.indices where entries[index].table == name { entries[index].table = newName }
        if let names = columns.removeValue(forKey: name) { columns[newName] = names }
    }

    /// Renames columns of a table, all at once.
    mutating func renameColumns(of table: String, _ newNames: [String: String]) {
        columns[table] = columns[table]?.map { newNames[$0] ?? $0 }
    }
}
