import ChainCollapse
import StoreDescription

/// The names in a statement of a migration, in any expression, without reading a schema.
///
/// The operation of a planned statement is known from its value. Its text is read only for the names in it.
struct StatementNames {
    /// Every token that may be the name of a table, an index or a trigger, including names of columns.
    ///
    /// The table that a foreign key refers to is left out: while foreign keys are off, the statement does not change
    /// it.
    let names: [String]
    /// The names of tables that rows are joined with, which the statement does not change. They are not among the
    /// others.
    let joinedNames: [String]
    /// Whether the author wrote it.
    let isCustom: Bool
    /// The name that it creates, or renames a table to.
    let created: String?
    /// Whether all tables keep their rows and the identifiers of these, whatever else changes.
    let keepsRows: Bool
    /// Whether SQLite checks the whole schema, and fails if a trigger names something that does not exist.
    let checksSchema: Bool
    /// Whether the statement may contain names that are not found, or change something that it does not name.
    let isUnclear: Bool

    /// Reads the names in a statement.
    init(_ statement: MigrationStatement) {
        let isCustom = if case .custom = statement.purpose { true } else { false }
        self.init(statement.sql, isCustom: isCustom, statement.operation)
    }

    /// Reads the names in a text that the author wrote, or that was planned.
    init(_ sql: String, isCustom: Bool) { self.init(sql, isCustom: isCustom, .other(sql)) }

    private init(_ sql: String, isCustom: Bool, _ operation: MigrationOperation) {
        let tokens = SQLToken.all(in: sql)
        var names: [String] = []
        var joinedNames: [String] = []
        for (index, token) in tokens.enumerated() {
            let word = index > 0 ? tokens[index - 1] : token
            if word.isWord("REFERENCES") || token.kind == .sign { continue }
            if word.isWord("JOIN"), token.kind == .name {
                joinedNames.append(token.content)
            } else if token.kind != .word {
                names.append(token.content)
            } else if isCustom {
                // Planned statements have quotation marks around every name.
                names += token.content.split(separator: ".").map(String.init)
            }
        }
        self.names = names
        self.joinedNames = joinedNames
        self.isCustom = isCustom
        if case .other = operation {
            created = Self.created(by: tokens)
            keepsRows = Self.keepsRows(tokens)
            checksSchema = tokens.first?.isWord("ALTER") == true && !tokens.contains { $0.isWord("ADD") }
        } else {
            (created, keepsRows, checksSchema) = (operation.created, operation.keepsRows, operation.checksSchema)
        }
        isUnclear = isCustom && Self.isUnclear(sql, names)
    }

    private static func created(by tokens: [SQLToken]) -> String? {
        guard let first = tokens.first else { return nil }
        if first.isWord("CREATE") {
            let words = [
                "CREATE", "TEMP", "TEMPORARY", "UNIQUE", "VIRTUAL", "TABLE", "INDEX", "TRIGGER", "VIEW", "IF", "NOT",
                "EXISTS",
            ]
            return tokens.first { token in !words.contains { token.isWord($0) } }?.content
        }
        return newTableName(tokens)
    }

    /// Returns the name to which `ALTER TABLE` renames a table; nil for other statements.
    private static func newTableName(_ tokens: [SQLToken]) -> String? {
        guard tokens.first?.isWord("ALTER") == true else { return nil }
        let position = tokens.indices.dropFirst().first { tokens[$0].isWord("TO") && tokens[$0 - 1].isWord("RENAME") }
        return position.flatMap { $0 + 1 < tokens.count ? tokens[$0 + 1].content : nil }
    }

    private static func keepsRows(_ tokens: [SQLToken]) -> Bool {
        guard let first = tokens.first else { return true }
        func isAbout(_ word: String) -> Bool { tokens.prefix(3).contains { $0.isWord(word) } }
        if first.isWord("SELECT") { return true }
        // The actions of a new trigger are run by later statements, which do not name the trigger.
        if first.isWord("CREATE") { return !isAbout("TRIGGER") }
        if first.isWord("DROP") { return isAbout("INDEX") || isAbout("TRIGGER") }
        return first.isWord("ALTER") && newTableName(tokens) == nil
    }

    /// Comments, and the quotation marks of SQL Server and MySQL, which SQLite also supports, can hide names. SQLite's
    /// own tables contain all others.
    private static func isUnclear(_ sql: String, _ names: [String]) -> Bool {
        ["--", "/*", "[", "`"].contains { sql.contains($0) }
            || names.contains { name in ["sqlite_", "pragma_"].contains { name.lowercased().hasPrefix($0) } }
    }
}

extension MigrationOperation {
    /// The name that it creates, or renames a table to.
    fileprivate var created: String? {
        switch self {
        case .createTable(let name, _), .createIndex(let name, _, _), .createTrigger(let name, _),
            .createVirtualTable(let name, _), .replaceTable(let name), .renameTable(_, to: let name):
            name
        case .createReplacement(let name, _): Self.replacementName(of: name)
        default: nil
        }
    }

    /// Whether all tables keep their rows and the identifiers of these, whatever else changes.
    fileprivate var keepsRows: Bool {
        switch self {
        case .query, .createTable, .createReplacement, .createIndex, .createVirtualTable, .dropIndex, .dropTrigger,
            .addColumn, .dropColumn, .renameColumn:
            true
        // The actions of a new trigger are run by later statements, which do not name the trigger.
        case .createTrigger, .renameTable, .replaceTable, .dropTable, .dropVirtualTable, .fillVirtualTable, .copyRows,
            .insertRows, .updateRows, .deleteRows, .makeMark, .raiseMark, .other:
            false
        }
    }

    /// Whether SQLite checks the whole schema, and fails if a trigger names something that does not exist.
    fileprivate var checksSchema: Bool {
        switch self {
        case .renameTable, .replaceTable, .dropColumn, .renameColumn: true
        default: false
        }
    }
}
