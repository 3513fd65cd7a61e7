import SQLQuoting

/// A word, name, literal or sign of an SQL text.
package struct SQLToken: Hashable {
    package enum Kind {
        /// A keyword, a name without quotation marks, or a number.
        case word
        /// A name in quotation marks.
        case name
        case string
        /// Any other single character.
        case sign
    }

    package var kind: Kind
    /// The token as it is written.
    var text: String
    /// The white space before it.
    var space: String

    init(_ kind: Kind, _ text: String, space: String = " ") {
        self.kind = kind
        self.text = text
        self.space = space
    }

    /// A name, with quotation marks around it.
    static func name(_ name: String, space: String = " ") -> SQLToken {
        SQLToken(.name, SQLQuotation.identifier(name), space: space)
    }

    static func words(_ words: String...) -> [SQLToken] { words.map { SQLToken(.word, $0) } }

    /// The text between the quotation marks of a name or a string.
    package var content: String {
        kind == .name || kind == .string ? SQLQuotation.content(of: text) : text
    }

    /// Returns whether this is a keyword, which is given in capital letters.
    package func isWord(_ word: String) -> Bool {
        kind == .word && text.utf8.elementsEqual(word.utf8) { $0 == $1 || $0 ^ 0x20 == $1 }
    }
    func isSign(_ sign: String) -> Bool { kind == .sign && text == sign }
    func isName(_ name: String) -> Bool { kind == .name && SQLName(content) == SQLName(name) }

    /// The tokens of a text without comments.
    package static func all(in sql: String) -> [SQLToken] {
        var tokens: [SQLToken] = []
        let bytes = Array(sql.utf8)
        var position = 0
        var end = 0
        while position < bytes.count {
            let start = position
            let kind: Kind
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                position += 1
                continue
            case let mark where mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'"):
                kind = mark == UInt8(ascii: "'") ? .string : .name
                position += 1
                while position < bytes.count {
                    if bytes[position] == mark {
                        if position + 1 < bytes.count, bytes[position + 1] == mark { position += 1 } else { break }
                    }
                    position += 1
                }
                position = min(position + 1, bytes.count)
            case let byte where isPartOfWord(byte):
                kind = .word
                while position < bytes.count, isPartOfWord(bytes[position]) { position += 1 }
                // The text of a BLOB belongs to the letter before it.
                if position - start == 1, bytes[start] | 0x20 == UInt8(ascii: "x"), position < bytes.count,
                    bytes[position] == UInt8(ascii: "'")
                {
                    position += 1
                    while position < bytes.count, bytes[position] != UInt8(ascii: "'") { position += 1 }
                    position = min(position + 1, bytes.count)
                }
            default:
                kind = .sign
                position += 1
            }
            let space = start > end ? String(decoding: bytes[end..<start], as: UTF8.self) : ""
            tokens.append(SQLToken(kind, String(decoding: bytes[start..<position], as: UTF8.self), space: space))
            end = position
        }
        return tokens
    }

    /// The tokens of a part of a statement, such as an expression, with a space before the first.
    static func part(_ sql: String) -> [SQLToken] {
        var tokens = all(in: sql)
        if !tokens.isEmpty { tokens[0].space = " " }
        return tokens
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."), 0x80...0xFF:
            true
        default: false
        }
    }
}

/// The name of a table, column or index, as SQLite compares names: without regard to the case of ASCII letters.
package struct SQLName: Hashable, Comparable {
    private let folded: String

    package init(_ name: String) {
        folded = String(decoding: name.utf8.map { 65...90 ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
    }

    package static func < (left: SQLName, right: SQLName) -> Bool { left.folded < right.folded }
}

extension Sequence<SQLToken> {
    /// The text of tokens, without white space before the first.
    var sql: String {
        var text = ""
        for token in self { text += text.isEmpty ? token.text : token.space + token.text }
        return text
    }
}

extension Collection<SQLToken> {
    /// The parts between the commas that are in no parentheses.
    var separatedByCommas: [[SQLToken]] {
        if isEmpty { return [] }
        var parts: [[SQLToken]] = [[]]
        var depth = 0
        for token in self {
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            if depth == 0, token.isSign(",") {
                parts.append([])
            } else {
                parts[parts.count - 1].append(token)
            }
        }
        return parts
    }

    /// The position of the first token in no parentheses that is one of some words.
    func firstIndex(ofWord words: String...) -> Index? {
        var depth = 0
        for index in indices {
            if self[index].isSign("(") { depth += 1 }
            if self[index].isSign(")") { depth -= 1 }
            if depth == 0, words.contains(where: { self[index].isWord($0) }) { return index }
        }
        return nil
    }
}
