import SQLQuoting

/// Facts about a statement's text that need no parser.
package enum StatementText {
    /// Returns whether a statement reads or changes rows; no others are planned.
    static func isQueryOrChange(_ sql: String) -> Bool {
        guard let keyword = tokens(sql).first else { return false }
        return ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE"].contains(keyword.uppercased())
    }

    /// Returns whether a statement only adds rows, which it has not to find.
    package static func isInsertion(_ sql: String) -> Bool { tokens(sql).first?.uppercased() == "INSERT" }

    /// The table that a statement writes to; nil for one that reads.
    static func writtenTable(_ sql: String) -> String? {
        let tokens = tokens(sql)
        guard let keyword = tokens.first?.uppercased(), keyword != "SELECT" else { return nil }
        for (index, token) in tokens.enumerated() {
            guard index + 1 < tokens.count else { break }
            switch token.uppercased() {
            case "INTO" where keyword == "INSERT", "FROM" where keyword == "DELETE", "UPDATE" where keyword == "UPDATE":
                return identifier(tokens[index + 1])
            default: continue
            }
        }
        return nil
    }

    /// A statement with `…` for the columns that it selects, if there are many.
    package static func abbreviated(_ sql: String) -> String {
        let start = "SELECT "
        guard sql.hasPrefix(start) else { return sql }
        var depth = 0
        var columns = 0
        for token in tokens(sql) {
            switch token.uppercased() {
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth == 0: columns += 1
            case "FROM" where depth == 0:
                return columns < 3 ? sql : start + "… " + sql[token.startIndex...]
            default: break
            }
        }
        return sql
    }

    /// A statement with inner joins in place of outer ones, or the unchanged statement.
    static func withInnerJoins(_ sql: String) -> String {
        let tokens = tokens(sql)
        var result = sql
        for (left, join) in zip(tokens, tokens.dropFirst()).reversed()
        where left.uppercased() == "LEFT" && join.uppercased() == "JOIN" {
            result.removeSubrange(left.startIndex..<left.endIndex)
        }
        return result
    }

    /// Returns whether a text has nothing but spaces, comments and semicolons.
    static func isBlank(_ sql: String) -> Bool { tokens(sql).allSatisfy { $0 == ";" } }

    /// The words, quoted names, literals and marks of a statement; comments and spaces are left out.
    package static func tokens(_ sql: String) -> [Substring] {
        let bytes = sql.utf8
        var result: [Substring] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            let start = index
            if isSpace(byte) {
                bytes.formIndex(after: &index)
            } else if let end = commentEnd(bytes, index) {
                index = end
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") {
                index = quotationEnd(bytes, index)
                result.append(sql[start..<index])
            } else if isWord(byte) {
                while index < bytes.endIndex, isWord(bytes[index]) { bytes.formIndex(after: &index) }
                result.append(sql[start..<index])
            } else {
                bytes.formIndex(after: &index)
                result.append(sql[start..<index])
            }
        }
        return result
    }

    /// The name in a token with quotation marks.
    package static func identifier(_ token: Substring) -> String? {
        guard token.utf8.count > 2, token.utf8.first == UInt8(ascii: "\"") else { return nil }
        return SQLQuotation.content(of: token)
    }

    private static func commentEnd(_ bytes: Substring.UTF8View.SubSequence, _ index: String.Index) -> String.Index? {
        let rest = bytes[index...]
        if rest.starts(with: "--".utf8) {
            return rest.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        }
        guard rest.starts(with: "/*".utf8) else { return nil }
        var position = bytes.index(index, offsetBy: 2)
        while position < bytes.endIndex {
            if bytes[position...].starts(with: "*/".utf8) { return bytes.index(position, offsetBy: 2) }
            bytes.formIndex(after: &position)
        }
        return bytes.endIndex
    }

    private static func commentEnd(_ bytes: String.UTF8View, _ index: String.Index) -> String.Index? {
        commentEnd(bytes[...], index)
    }

    /// A mark within quotation marks is written twice.
    private static func quotationEnd(_ bytes: String.UTF8View, _ start: String.Index) -> String.Index {
        let mark = bytes[start]
        var index = bytes.index(after: start)
        while index < bytes.endIndex {
            let next = bytes.index(after: index)
            if bytes[index] == mark {
                if next < bytes.endIndex, bytes[next] == mark {
                    index = bytes.index(after: next)
                    continue
                }
                return next
            }
            index = next
        }
        return bytes.endIndex
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
        default: byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
        }
    }
}
