/// What a statement of a migration does, as its text tells, to estimate what it costs and to know what to check.
///
/// Texts that are not of the forms that plans have are ``Action/unknown``, which is taken for the worst.
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
        /// Only the schema changes, whatever is in the tables.
        case changeSchema
        /// Rows of the sources are read.
        case query
        case unknown
    }

    var action: Action
    /// The table that is written; empty where none is.
    var table = ""
    /// The tables that are read.
    var sources: [String] = []

    /// Whether a table that was made under another name takes the name of the one whose rows it has.
    var isReplacement: Bool {
        if case .renameTable(let name) = action { table == "\(name)$$new" } else { false }
    }

    /// Whether all rows of a table are written anew.
    var isCopyOfTable: Bool { action == .copy && table.hasSuffix("$$new") }

    init(_ sql: String) {
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

/// A word or an identifier of an SQL text.
private struct SQLToken {
    var text: String
    var isQuoted: Bool

    /// The text where it can name something.
    var name: String? { text.isEmpty ? nil : text }

    func isWord(_ word: String) -> Bool { !isQuoted && text.uppercased() == word }

    /// The words and identifiers of a text; signs are empty tokens, and literals and comments are none.
    ///
    /// It goes over bytes, since a statement may have a long literal.
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

    /// Whether a byte can begin a name, as all of those can that are not ASCII.
    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
            || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    /// Takes what is between quotation marks, doubled ones for one of them.
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
