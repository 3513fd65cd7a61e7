import StoreDescription
import Testing

/// The statements about a virtual table, built from its parts.
@Suite struct VirtualTableContentsTests {
    @Test func theStatements() {
        let contents = VirtualTableContents(
            name: "full\"text", columnNames: ["rowid", "title"], rows: "SELECT id, title\nFROM Post")
        #expect(
            contents.filling == """
                INSERT INTO "full""text" ("rowid", "title")
                SELECT id, title
                FROM Post
                """)
        #expect(
            contents.comparison == """
                SELECT * FROM (SELECT * FROM (SELECT id, title
                FROM Post EXCEPT SELECT "rowid", "title" FROM "full""text")
                UNION ALL SELECT * FROM (SELECT "rowid", "title" FROM "full""text" EXCEPT SELECT id, title
                FROM Post)) ORDER BY 1 LIMIT 1
                """)
    }
}
