import StoreDescription

extension ChainCollapse {
    /// Processes one statement with its tokens.
    mutating func handle(_ operation: MigrationOperation, _ tokens: [SQLToken]) {
        if !replacements.isEmpty {
            for token in tokens where token.kind == .name { misunderstand(base(of: token.content)) }
        }
        switch operation {
        case .createTable: create(tokens, inPlaceOf: nil)
        case .createReplacement(let table, _): create(tokens, inPlaceOf: SQLName(table))
        case .replaceTable(let table):
            misunderstand(SQLName(MigrationOperation.replacementName(of: table)))
            if replaced.remove(SQLName(table)) == nil {
                rename(MigrationOperation.replacementName(of: table), to: table)
            }
        case .dropTable(let name): drop(SQLName(name))
        case .renameTable(let name, let newName): rename(name, to: newName)
        case .addColumn, .dropColumn, .renameColumn: alter(operation, tokens)
        case .createIndex(let name, let table, let sql): createIndex(name, SQLName(table), sql, tokens)
        case .dropIndex(let name, _): dropIndex(name)
        case .createTrigger(let name, _):
            passSettled(tokens)
            tie(name, tokens)
        case .dropTrigger(let name, _):
            pass()
            ties[SQLName(name)] = nil
        case .dropVirtualTable: pass()
        case .fillVirtualTable(let contents, _): insert(tokens, into: SQLName(contents.name))
        case .copyRows(let copy): insert(tokens, into: SQLName(copy.table))
        case .insertRows(let table, _, _): insert(tokens, into: SQLName(table))
        case .updateRows(let change): update(change, tokens)
        case .deleteRows(let table, let condition): delete(SQLName(table), where: condition, tokens)
        case .makeMark(let table): if !isOfReplacement(table) { insert(tokens, into: SQLName("sqlite_sequence")) }
        case .raiseMark(let table, _): if !isOfReplacement(table) { passSettled(tokens) }
        case .query: read(tokens, excluding: nil)
        case .createVirtualTable, .other: passSettled(tokens)
        }
    }

    /// Records that a statement reads or writes a table that another one was about to replace.
    private mutating func misunderstand(_ name: SQLName?) {
        if let name, replacements[name] != nil { isMisunderstood = true }
    }

    // MARK: Tables

    /// The table that a table of this name is made to replace.
    private func base(of name: String) -> SQLName? { MigrationOperation.replacedTable(by: name).map { SQLName($0) } }

    private mutating func create(_ tokens: [SQLToken], inPlaceOf base: SQLName?) {
        guard let definition = TableDefinition(tokens) else { return passSettled(tokens) }
        if let base {
            if isDeferred(base), replaces(base, definition) { return }
            // The deferred changes would need the same name for their own copy.
            settle(base)
        }
        addTable(tokens)
        pass()
    }

    /// Treats a table as a replacement if the next statement copies the rows of the other table into it.
    private mutating func replaces(_ base: SQLName, _ definition: TableDefinition) -> Bool {
        guard position + 1 < chain.count, !definition.columns.contains(where: \.isGenerated),
            case .copyRows(let copy) = chain[position + 1], SQLName(copy.table) == SQLName(definition.name),
            SQLName(copy.source) == base
        else { return false }
        let pairs = zip(copy.columns, copy.values).map { (SQLName($0), SQLToken.part($1)) }
        let replacement = Replacement(
            definition: definition, values: Dictionary(pairs, uniquingKeysWith: { first, _ in first }),
            condition: copy.condition.map { SQLToken.part($0) })
        guard var table = tables[base] else { return false }
        if !table.copy(into: definition, replacement.values, where: replacement.condition) {
            // The copy may be expressible in terms of the settled rows.
            settle(base)
            guard isDeferred(base), var settled = tables[base],
                settled.copy(into: definition, replacement.values, where: replacement.condition)
            else { return false }
        }
        replacements[base] = replacement
        skipped.insert(position + 1)
        return true
    }

    private mutating func drop(_ name: SQLName) {
        guard let replacement = replacements.removeValue(forKey: name) else {
            if let table = tables.removeValue(forKey: name) { periods[table.identity] = nil }
            return pass()
        }
        for index in tables[name]?.indexes ?? [] {
            if index.isMade { emit(.dropIndex(index.name)) }
            tables[name]?.removeIndex(index.name)
        }
        if tables[name]?.copy(into: replacement.definition, replacement.values, where: replacement.condition) != true {
            settle(name)
            // In terms of the settled rows, the copy was expressible before.
            _ = tables[name]?.copy(into: replacement.definition, replacement.values, where: replacement.condition)
        }
        charge(Cost.rewrite, name)
        replaced.insert(name)
    }

    /// Adds, drops or renames a column.
    private mutating func alter(_ operation: MigrationOperation, _ tokens: [SQLToken]) {
        let table: String
        switch operation {
        case .addColumn(_, let name), .dropColumn(_, let name), .renameColumn(_, let name, _): table = name
        default: return passSettled(tokens)
        }
        let name = SQLName(table)
        guard tables[name] != nil else { return passSettled(tokens) }
        misunderstand(name)
        let isDeferred = isDeferred(name)
        if !isDeferred { settle(name) }
        switch operation {
        case .addColumn(let definition, _):
            guard let column = TableDefinition.column(SQLToken.part(definition)), !column.isGenerated else {
                return forget(name)
            }
            charge(Cost.addition, name)
            tables[name]?.addColumn(column, isDeferred: isDeferred)
        case .dropColumn(let column, _):
            charge(Cost.rewrite, name)
            tables[name]?.dropColumn(column, isDeferred: isDeferred)
        case .renameColumn(let column, _, let newName):
            tables[name]?.renameColumn(column, to: newName, isDeferred: isDeferred)
        default: return forget(name)
        }
        if !isDeferred { pass() }
    }

    /// Runs a statement after which the columns of a table are unknown.
    private mutating func forget(_ name: SQLName) {
        settle(name)
        tables[name] = nil
        pass()
    }

    private mutating func rename(_ name: String, to newName: String) {
        misunderstand(SQLName(name))
        pass()
        for key in tables.keys { tables[key]?.rename(name, to: newName) }
        tables[SQLName(newName)] = tables.removeValue(forKey: SQLName(name))
    }

    // MARK: Indexes

    private mutating func createIndex(_ name: String, _ table: SQLName, _ sql: String, _ tokens: [SQLToken]) {
        guard tables[table] != nil else { return passSettled(tokens) }
        let isDeferred = isDeferred(table)
        tables[table]?.addIndex(PendingTable.Index(name: name, sql: sql, isMade: !isDeferred))
        if !isDeferred { pass() }
    }

    private mutating func dropIndex(_ indexName: String) {
        for name in tables.keys.sorted() {
            guard let index = tables[name]?.indexes.first(where: { SQLName($0.name) == SQLName(indexName) }) else {
                continue
            }
            tables[name]?.removeIndex(indexName)
            if !index.isMade { return }
        }
        pass()
    }

    // MARK: Rows

    private mutating func insert(_ tokens: [SQLToken], into name: SQLName) {
        misunderstand(name)
        settle(name)
        if !tokens.contains(where: { $0.isWord("SELECT") }) {
            // An insertion into another kind of table may read any other table.
            for name in tables.keys.sorted() { settle(name) }
        }
        read(tokens, excluding: name)
    }

    /// Returns whether a table whose mark is carried over is one to which rows are copied later.
    private func isOfReplacement(_ table: String) -> Bool { base(of: table).map { replacements[$0] != nil } ?? false }

    private mutating func update(_ update: RowUpdate, _ tokens: [SQLToken]) {
        let name = SQLName(update.table)
        misunderstand(name)
        guard isDeferred(name) else { return passSettled(tokens) }
        let assignments = zip(update.columns, update.values).map { ($0, SQLToken.part($1)) }
        let condition = update.condition.map { SQLToken.part($0) }
        guard tables[name]?.update(assignments, where: condition) == true else { return passSettled(tokens) }
        charge(Cost.rewrite, name)
    }

    private mutating func delete(_ name: SQLName, where condition: String, _ tokens: [SQLToken]) {
        misunderstand(name)
        guard isDeferred(name), tables[name]?.delete(where: SQLToken.part(condition)) == true
        else { return passSettled(tokens) }
        charge(Cost.rewrite, name)
    }

    /// Runs a statement that only reads the tables that it names, except for one, after their deferred changes.
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
        emit(chain[position].reading(queries), isOrigin: true)
    }
}
