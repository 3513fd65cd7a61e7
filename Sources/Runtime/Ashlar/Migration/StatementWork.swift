import StoreDescription

/// The effect of a migration's statement on the rows of tables, for estimates and checks.
///
/// A planned statement contains this description. Only custom statements are parsed. A statement of an unknown form is
/// ``Action/unknown``, for which the worst is assumed.
struct StatementWork: Equatable {
    enum Action: Equatable {
        /// Rows of the sources are written into the table.
        case copy
        case update
        case delete
        case makeIndex
        case dropTable
        case dropColumn(String)
        case renameTable(String)
        /// Only the schema changes, regardless of the rows.
        case changeSchema
        /// Rows of the sources are read.
        case query
        case unknown
    }

    var action: Action
    /// The table that is written; empty if there is none.
    var table = ""
    /// The tables that are read.
    var sources: [String] = []

    /// Whether a table that was created under a temporary name takes the name of the table whose rows it has.
    var isReplacement: Bool {
        if case .renameTable(let name) = action { MigrationOperation.replacedTable(by: table) == name } else { false }
    }

    private init(_ action: Action, _ table: String = "", reading sources: [String] = []) {
        self.action = action
        self.table = table
        self.sources = sources
    }

    /// Creates the work of a statement from its value.
    init(_ operation: MigrationOperation) {
        switch operation {
        case .createTable, .createReplacement, .addColumn, .createTrigger, .createVirtualTable, .dropIndex,
            .dropTrigger, .dropVirtualTable:
            self.init(.changeSchema)
        case .renameColumn(_, let table, _): self.init(.changeSchema, table)
        case .dropTable(let name): self.init(.dropTable, name)
        case .renameTable(let name, let newName): self.init(.renameTable(newName), name)
        case .replaceTable(let name):
            self.init(.renameTable(name), MigrationOperation.replacementName(of: name))
        case .dropColumn(let column, let table): self.init(.dropColumn(column), table)
        case .createIndex(_, let table, _): self.init(.makeIndex, table)
        case .fillVirtualTable(let contents, let table): self.init(.copy, contents.name, reading: [table])
        case .copyRows(let copy): self.init(.copy, copy.table, reading: [copy.source])
        case .insertRows(let table, let sources, _): self.init(.copy, table, reading: sources)
        case .updateRows(let update): self.init(.update, update.table)
        case .deleteRows(let table, _): self.init(.delete, table)
        case .makeMark: self.init(.copy, Self.marks, reading: [Self.marks])
        case .raiseMark: self.init(.update, Self.marks)
        case .query(let tables, _): self.init(.query, reading: tables)
        case .other(let sql): self.init(writtenByHand: sql)
        }
    }

    /// SQLite's own table of the greatest rowids that tables ever used.
    private static let marks = "sqlite_sequence"

    /// Creates the work of a custom statement by parsing it.
    init(writtenByHand sql: String) {
        let tokens = SQLToken.all(in: sql)
        func isWord(_ index: Int, _ word: String) -> Bool { index < tokens.count && tokens[index].isWord(word) }
        func name(_ index: Int) -> String { index < tokens.count ? tokens[index].name ?? "" : "" }
        sources = tokens.indices.dropLast().compactMap { index in
            isWord(index, "FROM") || isWord(index, "JOIN") ? tokens[index + 1].name : nil
        }
        let first = tokens.first?.name?.uppercased() ?? ""
        let start = isWord(1, "UNIQUE") ? 2 : 1
        switch first {
        case "INSERT" where isWord(1, "INTO"): (action, table) = (.copy, name(2))
        case "UPDATE": (action, table) = (.update, name(1))
        case "DELETE" where isWord(1, "FROM"): (action, table) = (.delete, name(2))
        case "CREATE" where isWord(start, "INDEX"):
            let target = tokens.firstIndex { $0.isWord("ON") } ?? tokens.count
            (action, table) = (.makeIndex, name(target + 1))
        case "CREATE": action = .changeSchema
        case "DROP" where isWord(1, "TABLE"): (action, table) = (.dropTable, name(isWord(2, "IF") ? 4 : 2))
        case "DROP": action = .changeSchema
        case "ALTER" where isWord(1, "TABLE"):
            table = name(2)
            if isWord(3, "DROP") {
                action = .dropColumn(name(isWord(4, "COLUMN") ? 5 : 4))
            } else if isWord(3, "RENAME"), isWord(4, "TO") {
                action = .renameTable(name(5))
            } else {
                action = .changeSchema
            }
        case "SELECT": action = .query
        default: action = .unknown
        }
        if action == .changeSchema { sources = [] }
    }
}

extension SchemaCatalogue.Object {
    /// The work of creating the object.
    var work: StatementWork {
        StatementWork(
            kind == .index ? .createIndex("", on: table, definition: sql) : .createTrigger("", definition: sql))
    }
}

/// A word or an identifier of an SQL text.
private struct SQLToken {
    var text: String
    var isQuoted: Bool

    /// The text if it can be a name.
    var name: String? { text.isEmpty ? nil : text }

    func isWord(_ word: String) -> Bool { !isQuoted && text.uppercased() == word }

    /// Returns the words and identifiers of a text. Other characters become empty tokens; literals and comments are
    /// skipped.
    ///
    /// It works on bytes, because a statement may have a long literal.
    static func all(in sql: String) -> [SQLToken] {
        var tokens: [SQLToken] = []
        var rest = Array(sql.utf8)[...]
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "'"): _ = quoted(&rest, byte)
            case UInt8(ascii: "\""), UInt8(ascii: "`"):
                let text = quoted(&rest, byte)
                tokens.append(SQLToken(text: String(decoding: text, as: UTF8.self), isQuoted: true))
            case UInt8(ascii: "-") where rest.dropFirst().first == byte:
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            case _ where isLetter(byte):
                let word = rest.prefix { isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
                tokens.append(SQLToken(text: String(decoding: word, as: UTF8.self), isQuoted: false))
                rest = rest[word.endIndex...]
            default:
                if byte > UInt8(ascii: " ") { tokens.append(SQLToken(text: "", isQuoted: false)) }
                rest = rest.dropFirst()
            }
        }
        return tokens
    }

    /// Returns whether a byte can begin a name. All bytes that are not ASCII can.
    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    /// Removes a quoted text from the input, and returns it with doubled quotation marks as single ones.
    private static func quoted(_ rest: inout ArraySlice<UInt8>, _ mark: UInt8) -> [UInt8] {
        rest = rest.dropFirst()
        var text: [UInt8] = []
        while let end = rest.firstIndex(of: mark) {
            text += rest[..<end]
            rest = rest[(end + 1)...]
            guard rest.first == mark else { return text }
            text.append(mark)
            rest = rest.dropFirst()
        }
        text += rest
        rest = []
        return text
    }
}
