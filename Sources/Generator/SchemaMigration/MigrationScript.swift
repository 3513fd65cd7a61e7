import AshlarSQLite
public import DataModel

/// SQL that the author wrote for the migration to a version. It runs in the same transaction as the planned statements.
///
/// The files are in the bundle beside the versions: `PhotoFeed 3.before.sql` runs on the tables of the version before,
/// and `PhotoFeed 3.sql` on those of `PhotoFeed 3`, with all rows in them.
public struct MigrationScript: Sendable, Hashable {
    /// One statement, without a semicolon at its end, and where it begins.
    public struct Statement: Sendable, Hashable {
        public var sql: String
        public var location: SourceLocation

        public init(sql: String, location: SourceLocation) {
            self.sql = sql
            self.location = location
        }
    }

    /// The statements before the planned ones.
    public var before: [Statement]
    /// The statements after the planned ones.
    public var after: [Statement]

    /// Makes a script.
    public init(before: [Statement] = [], after: [Statement] = []) {
        self.before = before
        self.after = after
    }

    public var isEmpty: Bool { before.isEmpty && after.isEmpty }

    /// Parses the statements of a file. Statements that no migration may contain are reported and left out.
    public static func statements(
        of text: String, file: String, reportingTo diagnostics: inout Diagnostics
    ) -> [Statement] {
        var statements: [Statement] = []
        for statement in separated(text, file: file) {
            let word = statement.sql.prefix { $0.isLetter }.uppercased()
            if let reason = reasonAgainst(word) {
                diagnostics.report(
                    .invalidMigrationScript, at: statement.location,
                    "A migration cannot run \(word.isEmpty ? "this" : word)", notes: [reason])
            } else {
                statements.append(statement)
            }
        }
        return statements
    }

    private static func reasonAgainst(_ word: String) -> String? {
        switch word {
        case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE":
            "All versions of a chain are one transaction, which the runtime begins and ends"
        case "PRAGMA", "ATTACH", "DETACH", "VACUUM":
            "It has no effect within a transaction, or one beyond it"
        case "": "Write statements of SQLite, and comments after --"
        default: nil
        }
    }

    /// Splits a text into statements. SQLite itself determines where each ends, so that the statements inside a trigger
    /// stay together.
    private static func separated(_ text: String, file: String) -> [Statement] {
        var statements: [Statement] = []
        let all = Array(text.utf8)
        var rest = all[...]
        var line = 1
        /// Skips white space, semicolons and comments between statements.
        func skipSpace() {
            while let byte = rest.first {
                if byte == UInt8(ascii: "\n") { line += 1 }
                if byte <= UInt8(ascii: " ") || byte == UInt8(ascii: ";") {
                    rest.removeFirst()
                } else if rest.starts(with: "--".utf8) {
                    rest = rest.drop { $0 != UInt8(ascii: "\n") }
                } else if rest.starts(with: "/*".utf8) {
                    let comment = Self.comment(rest)
                    line += comment.count { $0 == UInt8(ascii: "\n") }
                    rest = rest[comment.endIndex...]
                } else {
                    return
                }
            }
        }
        skipSpace()
        while !rest.isEmpty {
            let lineStart = all[..<rest.startIndex].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            let column = rest.startIndex - lineStart + 1
            var end = rest.startIndex
            var isComplete = false
            while !isComplete, let semicolon = rest[end...].firstIndex(of: UInt8(ascii: ";")) {
                end = semicolon + 1
                isComplete = StatementTail.isComplete(rest[..<end])
            }
            let bytes = isComplete ? rest[..<(end - 1)] : rest
            let trimmed = bytes.reversed().drop { $0 <= UInt8(ascii: " ") }.reversed()
            statements.append(
                Statement(
                    sql: String(decoding: trimmed, as: UTF8.self),
                    location: SourceLocation(file: file, line: line, column: column)))
            line += bytes.count { $0 == UInt8(ascii: "\n") }
            rest = isComplete ? rest[end...] : []
            skipSpace()
        }
        return statements
    }

    /// A comment between `/*` and `*/`, or the rest of the text if the comment does not end.
    private static func comment(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var position = bytes.startIndex + 2
        while position + 1 < bytes.endIndex {
            if bytes[position...].starts(with: "*/".utf8) { return bytes[..<(position + 2)] }
            position += 1
        }
        return bytes
    }
}
