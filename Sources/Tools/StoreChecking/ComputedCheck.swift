import AshlarSQLite
import RelationalSchema

/// Checks values that are computed from others: derived values, R-trees, full-text indexes, letters.
struct ComputedCheck: StoreCheckStep {
    let subject = "computed values"

    func run(_ store: CheckedStore) throws {
        let remedy = "It is computed again."
        for table in store.schema.letterTables where store.usableTables.contains(table.name) {
            if try !hasItsLetters(table, store) {
                store.add(
                    StoreFinding(
                        kind: .staleLetters, text: "The table \(table.name) has not the letters that it should.",
                        remedy: remedy, table: table.name, mending: .fillLetters(table.name)))
            }
        }
        for column in store.schema.derivedColumns where store.usableTables.contains(column.tableName) {
            guard let sql = column.staleRows else { continue }
            try store.find(
                StoreFinding(
                    kind: .staleDerivedValue, text: "The derived value does not match its expression.", remedy: remedy,
                    entity: column.entityName, property: column.attributeName, table: column.tableName,
                    mending: .derive(table: column.tableName, column: column.columnName)), sql)
        }
        for tree in store.schema.rtrees
        where store.usableTables.contains(tree.tableName) && store.usableVirtualTables.contains(tree.name) {
            try check(
                StoreFinding(
                    kind: .staleRTree, text: "The R-tree \(tree.name) has not the object's place.", remedy: remedy,
                    table: tree.tableName, mending: .fill(tree.name)), [tree.missingRows, tree.surplusRows], store)
            let answer = try store.connection.text("SELECT rtreecheck('main', ?1)", [.text(tree.name)])
            if let answer, answer != "ok" { damaged(.staleRTree, "R-tree", tree.name, tree.tableName, answer, store) }
        }
        for table in store.schema.fullTextTables
        where store.usableTables.contains(table.tableName) && store.usableVirtualTables.contains(table.name) {
            try check(
                StoreFinding(
                    kind: .staleFullText, text: "The full-text index \(table.name) has not the object's texts.",
                    remedy: remedy, table: table.tableName, mending: .fill(table.name)),
                [table.missingRows, table.surplusRows], store)
            try checkIndex(table, store)
        }
    }

    /// Rows that cannot be read of a virtual table are its damage, and no damage of the file.
    private func check(_ finding: StoreFinding, _ queries: [String], _ store: CheckedStore) throws(SQLiteError) {
        for sql in queries {
            do {
                try store.find(finding, sql)
            } catch {
                guard error.code == SQLITE_CORRUPT || error.code == SQLITE_ERROR else { throw error }
                var finding = finding
                finding.text = "The indexed values cannot be read: \(error.message)."
                store.add(finding)
                return
            }
        }
    }

    private func damaged(
        _ kind: StoreFinding.Kind, _ what: String, _ name: String, _ table: String, _ reason: String,
        _ store: CheckedStore
    ) {
        store.add(
            StoreFinding(
                kind: kind, text: "The \(what) \(name) is damaged: \(reason.replacing("\n", with: "; ")).",
                remedy: "It is made anew.", table: table, mending: .fill(name)))
    }

    /// Whether FTS5 finds its index sound: with the lock for writing it compares it with the texts; without, all of it is
    /// read.
    private func checkIndex(_ table: FullTextTable, _ store: CheckedStore) throws(SQLiteError) {
        let name = SQLText.identifier(table.name)
        do {
            if try store.connection.integer("PRAGMA query_only") == 0 {
                try store.connection.execute("INSERT INTO \(name) (\(name)) VALUES ('integrity-check')")
            } else {
                let statement = try store.connection.prepare(
                    "SELECT \"rowid\" FROM \(name) WHERE \(name) MATCH 'a* OR b*' LIMIT 1")
                _ = try statement.step()
            }
        } catch {
            guard error.code == SQLITE_CORRUPT || error.code == SQLITE_ERROR else { throw error }
            damaged(.staleFullText, "full-text index", table.name, table.tableName, error.message, store)
        }
    }

    private func hasItsLetters(_ table: LetterTable, _ store: CheckedStore) throws(SQLiteError) -> Bool {
        let other = try Connection(
            opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY)
        try other.execute([table.definition, table.filling])
        let sql = "SELECT \"letter\", \"text\" FROM \(SQLText.identifier(table.name)) ORDER BY 1"
        let (found, expected) = (try store.connection.prepare(sql), try other.prepare(sql))
        while true {
            let (hasFound, hasExpected) = (try found.step(), try expected.step())
            if !hasFound || !hasExpected { return hasFound == hasExpected }
            for column in Int32(0)..<2 where found.text(column) != expected.text(column) { return false }
        }
    }
}
