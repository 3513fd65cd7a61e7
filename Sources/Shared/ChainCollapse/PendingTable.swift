import StoreDescription

/// A table whose rows are still unchanged, and the changes that one copy will make to them.
struct PendingTable {
    /// The new value of a column, in terms of the present row.
    enum Value: Hashable {
        case column(String)
        case expression([SQLToken])

        var tokens: [SQLToken] {
            switch self {
            case .column(let name): [.name(name)]
            case .expression(let tokens): tokens
            }
        }
    }

    struct Index: Hashable {
        var name: String
        var sql: String
        /// Whether the store has it, on the rows as they are.
        var isMade: Bool

        mutating func renameTable(to newName: String) {
            var tokens = SQLToken.all(in: sql)
            guard let on = tokens.firstIndex(where: { $0.isWord("ON") }), on + 1 < tokens.count else { return }
            tokens[on + 1] = .name(newName)
            sql = tokens.sql
        }

        /// Renames a column in the index's text after the names of the index and its table.
        mutating func renameColumn(_ name: String, to newName: String) {
            let tokens = SQLToken.all(in: sql)
            guard let on = tokens.firstIndex(where: { $0.isWord("ON") }), on + 1 < tokens.count else { return }
            var rest = Array(tokens[(on + 2)...])
            rest.rename(name, to: newName)
            sql = (tokens[...(on + 1)] + rest).sql
        }
    }

    /// Longer expressions are not made of shorter ones.
    private static let greatestLength = 400

    /// Distinguishes tables that have the same name one after the other.
    let identity: Int
    /// The new definition of the table, under its present name.
    var definition: TableDefinition
    private(set) var indexes: [Index] = []
    /// Whether a copy is due.
    private(set) var isChanged = false
    /// The columns as they are.
    private var columns: [SQLName: TableDefinition.Column] = [:]
    /// The value of each column.
    private var values: [SQLName: Value] = [:]
    /// The condition of the rows that stay.
    private var condition: [SQLToken] = []

    init(_ definition: TableDefinition, identity: Int) {
        self.definition = definition
        self.identity = identity
        settle()
    }

    var name: String { definition.name }

    /// Takes the deferred changes as made.
    mutating func settle() {
        isChanged = false
        columns = [:]
        values = [:]
        condition = []
        for column in definition.columns {
            columns[SQLName(column.name)] = column
            values[SQLName(column.name)] = .column(column.name)
        }
        for index in indexes.indices { indexes[index].isMade = true }
    }

    // MARK: Expressions

    /// An expression in terms of a row as it is; nil if it could mean something else there.
    ///
    /// A comparison depends on the collation of a column, which a value that only becomes one does not have yet.
    func translated(_ tokens: [SQLToken]) -> [SQLToken]? {
        var result: [SQLToken] = []
        for token in tokens {
            if token.isWord("SELECT") || token.kind == .word && token.text.hasSuffix(".") { return nil }
            guard token.kind == .name else {
                result.append(token)
                continue
            }
            guard let value = usableValue(ofColumn: token.content) else { return nil }
            var part = value.tokens
            if part.count > 1 { part = [SQLToken(.sign, "(")] + part + [SQLToken(.sign, ")", space: "")] }
            part[0].space = token.space
            result += part
            if result.count > Self.greatestLength { return nil }
        }
        return result
    }

    private func usableValue(ofColumn name: String) -> Value? {
        let name = SQLName(name)
        guard let value = values[name], let column = definition.columns.first(where: { SQLName($0.name) == name })
        else { return nil }
        switch value {
        case .column(let source):
            let source = columns[SQLName(source)]
            return source?.type == column.type && source?.collation == column.collation ? value : nil
        case .expression: return column.collation == nil ? value : nil
        }
    }

    /// The table as a query that others can read, with some of its columns; nil if one could mean something else.
    func query(ofColumnsAmong names: Set<SQLName>) -> String? {
        var list: [String] = []
        for column in definition.columns where names.contains(SQLName(column.name)) {
            guard let value = usableValue(ofColumn: column.name) else { return nil }
            list.append("\(value.tokens.sql) AS \(SQLToken.name(column.name).text)")
        }
        if list.isEmpty { list = ["1"] }
        return "SELECT \(list.joined(separator: ", ")) FROM main.\(SQLToken.name(name).text)\(filter)"
    }

    private var filter: String { condition.isEmpty ? "" : "\nWHERE \(condition.sql)" }

    // MARK: Changes

    /// Adds a column, with its default in all rows.
    mutating func addColumn(_ column: TableDefinition.Column, isDeferred: Bool) {
        definition.columns.append(column)
        values[SQLName(column.name)] = .expression(column.defaultValue)
        if isDeferred { isChanged = true } else { settleColumns() }
    }

    mutating func dropColumn(_ name: String, isDeferred: Bool) {
        guard let index = definition.index(ofColumn: name) else { return }
        definition.columns.remove(at: index)
        values[SQLName(name)] = nil
        if isDeferred { isChanged = true } else { settleColumns() }
    }

    mutating func renameColumn(_ name: String, to newName: String, isDeferred: Bool) {
        definition.renameColumn(name, to: newName)
        for index in indexes.indices { indexes[index].renameColumn(name, to: newName) }
        values[SQLName(newName)] = values.removeValue(forKey: SQLName(name))
        if isDeferred { isChanged = true } else { settleColumns() }
    }

    /// SQLite has made a change of the columns itself.
    private mutating func settleColumns() {
        let made = indexes
        settle()
        indexes = made
    }

    /// Sets columns in the rows that satisfy a condition; returns false if that cannot be expressed.
    mutating func update(_ assignments: [(name: String, value: [SQLToken])], where filter: [SQLToken]?) -> Bool {
        var changed = values
        let condition = filter.map { translated($0) }
        if case .some(nil) = condition { return false }
        for (name, value) in assignments {
            guard let new = translated(value), let old = values[SQLName(name)] else { return false }
            guard let condition = condition ?? nil else {
                changed[SQLName(name)] = .expression(new)
                continue
            }
            changed[SQLName(name)] = .expression(
                SQLToken.words("CASE", "WHEN") + condition + SQLToken.words("THEN") + new + SQLToken.words("ELSE")
                    + old.tokens + SQLToken.words("END"))
        }
        values = changed
        isChanged = true
        return true
    }

    /// Deletes the rows that satisfy a condition; returns false if that cannot be expressed.
    mutating func delete(where filter: [SQLToken]) -> Bool {
        guard let translated = translated(filter) else { return false }
        keep([SQLToken(.sign, "(")] + translated + [SQLToken(.sign, ")")] + SQLToken.words("IS", "NOT", "TRUE"))
        isChanged = true
        return true
    }

    private mutating func keep(_ filter: [SQLToken]) {
        condition += (condition.isEmpty ? [] : SQLToken.words("AND")) + filter
    }

    /// Copies the rows in another form, as a copy into a replacement table would; returns false if that cannot be
    /// expressed.
    mutating func copy(into definition: TableDefinition, _ copied: [SQLName: [SQLToken]], where filter: [SQLToken]?)
        -> Bool
    {
        var changed: [SQLName: Value] = [:]
        for column in definition.columns {
            let name = SQLName(column.name)
            guard let value = copied[name] else {
                changed[name] = .expression(column.defaultValue)
                continue
            }
            if value.count == 1, value[0].kind == .name, let source = values[SQLName(value[0].content)] {
                changed[name] = source
            } else if let value = translated(value) {
                changed[name] = .expression(value)
            } else {
                return false
            }
        }
        if let filter {
            guard let translated = translated(filter) else { return false }
            keep([SQLToken(.sign, "(")] + translated + [SQLToken(.sign, ")")])
        }
        let name = name
        self.definition = definition
        self.definition.name = name
        values = changed
        isChanged = true
        return true
    }

    // MARK: Indexes

    mutating func addIndex(_ index: Index) { indexes.append(index) }

    mutating func removeIndex(_ name: String) { indexes.removeAll { SQLName($0.name) == SQLName(name) } }

    /// Follows the new name of a table, which may be this one.
    mutating func rename(_ table: String, to newName: String) {
        if SQLName(name) == SQLName(table) {
            definition.name = newName
            for index in indexes.indices { indexes[index].renameTable(to: newName) }
        }
        definition.renameReferences(to: table, as: newName)
    }

    // MARK: The copy

    /// The operations that change the table to its new definition, including its indexes.
    var operations: [MigrationOperation] {
        let missing = indexes.filter { isChanged || !$0.isMade }.map {
            MigrationOperation.createIndex($0.name, on: name, definition: $0.sql)
        }
        if !isChanged { return missing }
        let temporary = MigrationOperation.replacementName(of: name)
        let copy = RowCopy(
            into: temporary, columns: definition.columns.map(\.name),
            values: definition.columns.map { (values[SQLName($0.name)]?.tokens ?? SQLToken.words("NULL")).sql },
            from: name, where: condition.isEmpty ? nil : condition.sql)
        return [
            .createReplacement(of: name, definition: definition.statement(named: temporary)), .copyRows(copy),
        ] + mark(of: temporary) + [.dropTable(name), .replaceTable(name)] + missing
    }

    /// Carries over the mark of the identifiers that were ever used, so that none is used twice.
    private func mark(of temporary: String) -> [MigrationOperation] {
        guard definition.columns.contains(where: \.isAutoincrement) else { return [] }
        return [.makeMark(of: temporary), .raiseMark(of: temporary, from: [name])]
    }
}
