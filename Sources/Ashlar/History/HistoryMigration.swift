import AshlarSQLite
import SQLQuoting

/// Carries a store's history over a migration: changes are not recorded while it runs, and what was recorded before keeps
/// its meaning under new names.
///
/// The names are followed by the statements that the generator writes. Where a table or a sub-entity is gone afterwards,
/// or cannot be followed, older changes may mean nothing any more, or lack the objects that were deleted: the history
/// begins anew then, and older tokens are too old.
struct HistoryMigration {
    private let tracker: HistoryTracker
    private let connection: Connection
    private var catalogue: HistoryCatalogue
    /// The columns of tables that were filled from others, with the columns that their values come from.
    private var copies: [String: (source: String, columns: [String: String])] = [:]
    private var isLost = false

    /// Begins, within the migration's transaction; nil where the store's history is off.
    init?(_ model: ModelDescription, _ connection: Connection) throws(SQLiteError) {
        guard try HistoryTracker.isTracked(connection) else { return nil }
        tracker = HistoryTracker(model: model, connection: connection)
        self.connection = connection
        catalogue = try HistoryCatalogue(connection)
        try tracker.suspend()
    }

    /// Follows a statement of the migration, which was run.
    mutating func follow(_ sql: String) {
        var scanner = StatementScanner(sql)
        if scanner.skip("ALTER TABLE "), let table = scanner.name() {
            if scanner.skip(" RENAME TO "), let newName = scanner.name() {
                rename(table, to: newName)
            } else if scanner.skip(" RENAME COLUMN "), let column = scanner.name(), scanner.skip(" TO "),
                let newName = scanner.name()
            {
                catalogue.renameColumns(of: table, [column: newName])
            }
        } else if scanner.skip("INSERT INTO "), let table = scanner.name(), scanner.skip(" ("),
            let columns = scanner.list(upTo: ")"), scanner.skip("\nSELECT "),
            let values = scanner.list(upTo: "\nFROM "), let source = scanner.name(), columns.count == values.count
        {
            copies[table] = (source, Dictionary(zip(columns, values), uniquingKeysWith: { first, _ in first }))
        }
    }

    /// Ends, when the store has the schema of the model.
    func finish() throws(SQLiteError) {
        let tables = TrackedTable.tables(of: tracker.model)
        let isKnown = catalogue.entries.allSatisfy { entry in
            tables.contains { table in
                guard table.name == entry.table else { return false }
                guard case .objects(let entities) = table.content else { return true }
                return entities.contains { $0.discriminator == entry.discriminator }
            }
        }
        if isLost || !isKnown { try tracker.expire() }
        try catalogue.write(to: connection)
        try tracker.update()
    }

    private mutating func rename(_ table: String, to newName: String) {
        if catalogue.has(table) { return catalogue.renameTable(table, to: newName) }
        // A copy takes the place of a table that was dropped.
        guard catalogue.has(newName) else { return }
        guard let copy = copies[table], copy.source == newName else {
            isLost = true
            return
        }
        let names = catalogue.columns[newName] ?? []
        var newNames: [String: String] = [:]
        for (column, value) in copy.columns where names.contains(value) && column != value { newNames[value] = column }
        // Of two columns with the values of one, that of the same name is the one.
        for name in copy.columns.keys where copy.columns[name] == name { newNames[name] = nil }
        let kept = ["id$", "source$", "target$"].filter { copy.columns[$0] != nil }
        if kept.contains(where: { copy.columns[$0] != $0 }) { isLost = true }
        catalogue.renameColumns(of: newName, newNames)
    }
}

/// Reads the statements that the generator writes, whose names are all in double quotes. It goes by bytes, as SQLite does.
private struct StatementScanner {
    private var rest: Substring.UTF8View

    init(_ sql: String) { rest = sql[...].utf8 }

    private static let quote = UInt8(ascii: "\"")

    mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest.removeFirst(text.utf8.count)
        return true
    }

    /// A name in double quotes.
    mutating func name() -> String? {
        guard rest.first == Self.quote else { return nil }
        var position = rest.index(after: rest.startIndex)
        while position < rest.endIndex {
            let next = rest.index(after: position)
            if rest[position] == Self.quote {
                guard next < rest.endIndex, rest[next] == Self.quote else {
                    defer { rest = rest[next...] }
                    return SQLQuotation.content(of: Substring(rest[..<next]))
                }
                position = next
            }
            position = rest.index(after: position)
        }
        return nil
    }

    /// Expressions that are separated by commas, up to a text that is in no parentheses or quotes, and past it. Names are
    /// given without their quotes.
    mutating func list(upTo end: String) -> [String]? {
        var items: [String] = []
        var item: [UInt8] = []
        var depth = 0
        var quote: UInt8?
        while let byte = rest.first {
            if quote == nil, depth == 0, rest.starts(with: end.utf8) {
                rest.removeFirst(end.utf8.count)
                return items + [Self.plain(item)]
            }
            rest.removeFirst()
            if let open = quote {
                // A quote that is doubled ends one text and begins the next.
                if byte == open { quote = nil }
            } else if byte == Self.quote || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "(") {
                depth += 1
            } else if byte == UInt8(ascii: ")") {
                depth -= 1
            } else if byte == UInt8(ascii: ","), depth == 0 {
                items.append(Self.plain(item))
                item = []
                continue
            }
            item.append(byte)
        }
        return nil
    }

    private static func plain(_ item: [UInt8]) -> String {
        let text = String(decoding: item.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }, as: UTF8.self)
        var scanner = StatementScanner(text)
        if let name = scanner.name(), scanner.rest.isEmpty { return name }
        return text
    }
}
