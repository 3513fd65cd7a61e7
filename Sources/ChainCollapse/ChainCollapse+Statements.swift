extension ChainCollapse {
    /// Goes through one statement.
    mutating func handle(_ tokens: [SQLToken]) {
        func isWord(_ index: Int, _ words: String...) -> Bool {
            index < tokens.count && words.contains { tokens[index].isWord($0) }
        }
        func name(_ index: Int) -> SQLName? {
            index < tokens.count && tokens[index].kind == .name ? SQLName(tokens[index].content) : nil
        }
        if !replacements.isEmpty {
            for token in tokens where token.kind == .name { misunderstand(base(of: token.content)) }
        }
        switch (tokens.first?.text.uppercased() ?? "", tokens.count > 1 ? tokens[1].text.uppercased() : "") {
        case ("ALTER", "TABLE"): alter(tokens, name(2))
        case ("CREATE", "TABLE"): create(tokens)
        case ("CREATE", "INDEX"), ("CREATE", "UNIQUE"): createIndex(tokens)
        case ("CREATE", "TRIGGER"), ("CREATE", "VIEW"):
            passSettled(tokens)
            if tokens.count > 2 { tie(tokens[2].content, tokens) }
        case ("DROP", "TABLE"): drop(tokens, name(2))
        case ("DROP", "INDEX"): dropIndex(tokens)
        case ("DROP", "TRIGGER"), ("DROP", "VIEW"):
            pass()
            if let last = tokens.last { ties[SQLName(last.content)] = nil }
        case ("INSERT", "INTO"): insert(tokens, name(2))
        case ("UPDATE", _) where isWord(2, "SET"): update(tokens, name(1))
        case ("DELETE", "FROM"): delete(tokens, name(2))
        case ("SELECT", _): read(tokens, excluding: nil)
        default: passSettled(tokens)
        }
    }

    /// A table is read or written of which another was to take the place.
    private mutating func misunderstand(_ name: SQLName?) {
        if let name, replacements[name] != nil { isMisunderstood = true }
    }

    // MARK: Tables

    /// The table whose place one takes that is made for it.
    private func base(of name: String) -> SQLName? {
        name.hasSuffix("$$new") ? SQLName(String(name.dropLast("$$new".count))) : nil
    }

    private mutating func create(_ tokens: [SQLToken]) {
        guard let definition = TableDefinition(tokens) else { return passSettled(tokens) }
        if let base = base(of: definition.name) {
            if isDeferred(base), replaces(base, definition) { return }
            // What was deferred would need the same name for its own copy.
            settle(base)
        }
        addTable(tokens)
        pass()
    }

    /// Takes a table for one to which the rows of another are copied, if that is what comes next.
    private mutating func replaces(_ base: SQLName, _ definition: TableDefinition) -> Bool {
        guard position + 1 < tokens.count, !definition.columns.contains(where: \.isGenerated) else { return false }
        let next = tokens[position + 1]
        guard next.count > 4, next[0].isWord("INSERT"), next[2].isName(definition.name),
            let select = next.firstIndex(ofWord: "SELECT"), let from = next[select...].firstIndex(ofWord: "FROM"),
            from + 1 < next.count, next[from + 1].kind == .name, SQLName(next[from + 1].content) == base,
            next[3].isSign("("), next[select - 1].isSign(")")
        else { return false }
        let names = next[4..<(select - 1)].separatedByCommas
        let values = next[(select + 1)..<from].separatedByCommas
        var condition: [SQLToken]?
        if from + 2 < next.count {
            guard next[from + 2].isWord("WHERE") else { return false }
            condition = Array(next[(from + 3)...])
        }
        guard names.count == values.count, names.allSatisfy({ $0.count == 1 }) else { return false }
        let pairs = zip(names, values).map { (SQLName($0[0].content), $1) }
        let replacement = Replacement(
            definition: definition, values: Dictionary(pairs, uniquingKeysWith: { first, _ in first }),
            condition: condition)
        guard var table = tables[base] else { return false }
        if !table.copy(into: definition, replacement.values, where: condition) {
            // It may be told of the rows as they should be by now.
            settle(base)
            guard isDeferred(base), var settled = tables[base],
                settled.copy(into: definition, replacement.values, where: condition)
            else { return false }
        }
        replacements[base] = replacement
        skipped.insert(position + 1)
        return true
    }

    private mutating func drop(_ tokens: [SQLToken], _ name: SQLName?) {
        guard let name, tokens.count == 3 else { return passSettled(tokens) }
        guard let replacement = replacements.removeValue(forKey: name) else {
            if let table = tables.removeValue(forKey: name) { periods[table.identity] = nil }
            return pass()
        }
        for index in tables[name]?.indexes ?? [] {
            if index.isMade { emit("DROP INDEX \(SQLToken.name(index.name).text)") }
            tables[name]?.removeIndex(index.name)
        }
        if tables[name]?.copy(into: replacement.definition, replacement.values, where: replacement.condition) != true {
            settle(name)
            // Of the rows as they should be by now it was told before.
            _ = tables[name]?.copy(into: replacement.definition, replacement.values, where: replacement.condition)
        }
        charge(Cost.rewrite, name)
        replaced.insert(name)
    }

    private mutating func alter(_ tokens: [SQLToken], _ name: SQLName?) {
        guard let name, tokens.count > 5 else { return passSettled(tokens) }
        if tokens[3].isWord("RENAME"), tokens[4].isWord("TO") { return rename(name, to: tokens[5].content) }
        guard tables[name] != nil, tokens[4].isWord("COLUMN") else { return passSettled(tokens) }
        misunderstand(name)
        let isDeferred = isDeferred(name)
        if !isDeferred { settle(name) }
        switch tokens[3].text.uppercased() {
        case "ADD":
            guard let column = TableDefinition.column(Array(tokens[5...])), !column.isGenerated else {
                return forget(name)
            }
            charge(Cost.addition, name)
            tables[name]?.addColumn(column, isDeferred: isDeferred)
        case "DROP":
            charge(Cost.rewrite, name)
            tables[name]?.dropColumn(tokens[5].content, isDeferred: isDeferred)
        case "RENAME" where tokens.count == 8:
            tables[name]?.renameColumn(tokens[5].content, to: tokens[7].content, isDeferred: isDeferred)
        default: return forget(name)
        }
        if !isDeferred { pass() }
    }

    /// Runs a statement after which it is not known what columns a table has.
    private mutating func forget(_ name: SQLName) {
        settle(name)
        tables[name] = nil
        pass()
    }

    private mutating func rename(_ name: SQLName, to newName: String) {
        misunderstand(name)
        if let base = base(of: tokens[position][2].content), replaced.contains(base), base == SQLName(newName) {
            replaced.remove(base)
            return
        }
        pass()
        let oldName = tokens[position][2].content
        for key in tables.keys { tables[key]?.rename(oldName, to: newName) }
        tables[SQLName(newName)] = tables.removeValue(forKey: name)
    }

    // MARK: Indexes

    private mutating func createIndex(_ tokens: [SQLToken]) {
        guard let on = tokens.firstIndex(where: { $0.isWord("ON") }), on > 0, on + 1 < tokens.count,
            tables[SQLName(tokens[on + 1].content)] != nil
        else { return passSettled(tokens) }
        let table = SQLName(tokens[on + 1].content)
        let isDeferred = isDeferred(table)
        tables[table]?.addIndex(
            PendingTable.Index(name: tokens[on - 1].content, sql: chain[position], isMade: !isDeferred))
        if !isDeferred { pass() }
    }

    private mutating func dropIndex(_ tokens: [SQLToken]) {
        guard let last = tokens.last else { return }
        for name in tables.keys.sorted() {
            guard let index = tables[name]?.indexes.first(where: { SQLName($0.name) == SQLName(last.content) }) else {
                continue
            }
            tables[name]?.removeIndex(last.content)
            if !index.isMade { return }
        }
        pass()
    }

    // MARK: Rows

    private mutating func insert(_ tokens: [SQLToken], _ name: SQLName?) {
        if name == SQLName("sqlite_sequence"), isOfReplacement(tokens) { return }
        misunderstand(name)
        if let name { settle(name) }
        if !tokens.contains(where: { $0.isWord("SELECT") }) {
            // What another kind of table makes of it may be to read any other.
            for name in tables.keys.sorted() { settle(name) }
        }
        read(tokens, excluding: name)
    }

    /// Whether a statement carries over the mark of a table whose rows are copied later.
    private func isOfReplacement(_ tokens: [SQLToken]) -> Bool {
        tokens.contains { token in
            token.kind == .string && base(of: token.content).map { replacements[$0] != nil } == true
        }
    }

    private mutating func update(_ tokens: [SQLToken], _ name: SQLName?) {
        if name == SQLName("sqlite_sequence"), isOfReplacement(tokens) { return }
        misunderstand(name)
        guard let name, isDeferred(name) else { return passSettled(tokens) }
        let filter = tokens.firstIndex(ofWord: "WHERE")
        var assignments: [(String, [SQLToken])] = []
        for part in tokens[3..<(filter ?? tokens.count)].separatedByCommas {
            guard part.count > 2, part[0].kind == .name, part[1].isSign("=") else { return passSettled(tokens) }
            assignments.append((part[0].content, Array(part[2...])))
        }
        let condition = filter.map { Array(tokens[($0 + 1)...]) }
        guard tables[name]?.update(assignments, where: condition) == true else { return passSettled(tokens) }
        charge(Cost.rewrite, name)
    }

    private mutating func delete(_ tokens: [SQLToken], _ name: SQLName?) {
        misunderstand(name)
        guard let name, isDeferred(name), tokens.count > 4, tokens[3].isWord("WHERE"),
            tables[name]?.delete(where: Array(tokens[4...])) == true
        else { return passSettled(tokens) }
        charge(Cost.rewrite, name)
    }

    /// Runs a statement that only reads the tables that it names, but for one, as they should be by now.
    private mutating func read(_ tokens: [SQLToken], excluding target: SQLName?) {
        let columnNames = Set(tokens.filter { $0.kind == .name }.map { SQLName($0.content) })
        var queries: [String] = []
        for name in names(in: tokens) where name != target {
            guard let table = tables[name], table.isChanged else { continue }
            if let query = table.query(ofColumnsAmong: columnNames) {
                queries.append("\(SQLToken.name(table.name).text) AS (\(query))")
            } else {
                settle(name)
            }
        }
        if queries.isEmpty { return pass() }
        emit("WITH \(queries.joined(separator: ",\n    "))\n\(chain[position])", isOrigin: true)
    }
}
