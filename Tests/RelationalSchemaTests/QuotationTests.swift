import AwkwardText
import RelationalSchema
import Testing

#if canImport(SQLite3)
    import SQLite3
#elseif StaticSQLite
    import CSQLiteStatic
#else
    import CSQLite
#endif

/// SQLite reads a quoted text back byte for byte.
@Suite struct QuotationTests {
    private static let marks = ["'", "\"", "`", "]", "--", "\\", ";"]

    /// The bytes of the name and value of a statement's only column; nil if SQLite refuses the statement.
    private func columns(_ sql: String) -> [(name: [UInt8], value: [UInt8])]? {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        var text = sql
        return text.withUTF8 { bytes in
            guard sqlite3_open(":memory:", &database) == SQLITE_OK else { return nil }
            var rest: UnsafePointer<CChar>?
            let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            guard sqlite3_prepare_v2(database, start, Int32(bytes.count), &statement, &rest) == SQLITE_OK,
                let start, let rest, rest - start == bytes.count, sqlite3_step(statement) == SQLITE_ROW
            else { return nil }
            return (0..<sqlite3_column_count(statement)).map { column in
                let count = Int(sqlite3_column_bytes(statement, column))
                let value = UnsafeBufferPointer(start: sqlite3_column_text(statement, column), count: count)
                let name = sqlite3_column_name(statement, column)
                return (name.map { String(cString: $0).utf8.map(\.self) } ?? [], Array(value))
            }
        }
    }

    /// Calls a closure with groups of texts, because each statement needs a database of its own.
    private func inGroups(of count: Int, _ texts: [String], _ body: (ArraySlice<String>) -> Void) {
        for start in stride(from: 0, to: texts.count, by: count) {
            body(texts[start..<min(start + count, texts.count)])
        }
    }

    @Test func literalsComeBack() {
        let texts = AwkwardText.texts(around: Self.marks + ["\0"]) + ["", "'", "''", "\0", "a\0'b\0\0"]
        inGroups(of: 500, texts) { texts in
            let found = columns("SELECT " + texts.map { SQLText.literal($0) }.joined(separator: ", "))
            #expect(found?.map(\.value) == texts.map { Array($0.utf8) })
        }
    }

    @Test func namesComeBack() {
        let texts = AwkwardText.texts(around: Self.marks) + ["", "\"", "\"\""]
        inGroups(of: 500, texts) { texts in
            let found = columns("SELECT " + texts.map { "1 AS " + SQLText.identifier($0) }.joined(separator: ", "))
            #expect(found?.map(\.name) == texts.map { Array($0.utf8) })
        }
    }

    @Test func aNameWithNULIsNoStatement() {
        #expect(columns("SELECT 1 AS \(SQLText.identifier("a")), 2") != nil)
        #expect(columns("SELECT 1 AS \(SQLText.identifier("a\0")), 2") == nil)
    }

    @Test func aDefaultStaysWithinItsLiteral() throws {
        for scalar in AwkwardText.scalars {
            let text = "x'\(scalar), evil TEXT DEFAULT 'y"
            #expect(columns("SELECT \(SQLText.literal(text))")?.map(\.value) == [Array(text.utf8)])
        }
    }
}
