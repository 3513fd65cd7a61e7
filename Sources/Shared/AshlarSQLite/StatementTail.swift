/// The end of one statement in an SQL text.
///
/// SQLite compiles the first statement of a text and reports where the rest begins. The rest must not be executable: a
/// text from a file, or with names from one, is refused unless it is one statement.
package enum StatementTail {
    package static let refusal = "the text has more than one statement"

    /// Whether a text ends with the end of a statement: a semicolon outside of literals, comments and triggers.
    package static func isComplete(_ bytes: some Sequence<UInt8>) -> Bool {
        sqlite3_complete(bytes.map { CChar(bitPattern: $0) } + [0]) != 0
    }

    /// Whether only white space, semicolons and comments follow, up to the end of the text.
    package static func isEmpty(_ tail: UnsafePointer<CChar>) -> Bool {
        var position = tail
        while position.pointee != 0 {
            switch (position[0], position[1]) {
            case (space, _), (semicolon, _), (9...13, _): position += 1
            case (hyphen, hyphen): while position.pointee != 0, position.pointee != newline { position += 1 }
            case (slash, star):
                position += 2
                while position.pointee != 0, !(position[0] == star && position[1] == slash) { position += 1 }
                // A comment without an end goes to the end of the text.
                if position.pointee != 0 { position += 2 }
            default: return false
            }
        }
        return true
    }

    private static let space: CChar = 0x20
    private static let semicolon: CChar = 0x3B
    private static let newline: CChar = 0x0A
    private static let hyphen: CChar = 0x2D
    private static let slash: CChar = 0x2F
    private static let star: CChar = 0x2A
}
