import DataModel
import SchemaMigration
import Testing

/// An author's SQL for the migration to a version is divided into statements where SQLite ends them.
@Suite struct MigrationScriptTests {
    private func parse(_ text: String) -> (statements: [MigrationScript.Statement], diagnostics: Diagnostics) {
        var diagnostics = Diagnostics()
        let statements = MigrationScript.statements(of: text, file: "V.sql", reportingTo: &diagnostics)
        return (statements, diagnostics)
    }

    @Test(
        arguments: [
            ("", []), ("  \n -- nothing\n/* at\nall */ ;;", []), ("DELETE FROM a", ["1 DELETE FROM a"]),
            ("-- one\nDELETE FROM a;\n\n/* two\n*/ DELETE FROM \"b;\";", ["2 DELETE FROM a", "5 DELETE FROM \"b;\""]),
            (
                "UPDATE a SET b = ';' -- ; \n, c = 1 ;\n  DELETE\nFROM c ;x",
                [
                    "1 UPDATE a SET b = ';' -- ; \n, c = 1", "3 DELETE\nFROM c", "4 x",
                ]
            ),
            (
                "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; DELETE FROM c; END; DELETE FROM d",
                ["1 CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; DELETE FROM c; END", "1 DELETE FROM d"]
            ),
            ("UPDATE a SET b = 'é\n;'; DELETE FROM ü;", ["1 UPDATE a SET b = 'é\n;'", "2 DELETE FROM ü"]),
        ] as [(String, [String])])
    func statements(_ text: String, _ expected: [String]) {
        let (statements, diagnostics) = parse(text)
        #expect(statements.map { "\($0.location.line) \($0.sql)" } == expected)
        #expect(diagnostics.all.isEmpty)
    }

    @Test(arguments: [
        "BEGIN", "commit", "END", "Rollback", "SAVEPOINT a", "RELEASE a", "PRAGMA x", "ATTACH 'a' AS b", "VACUUM", ")",
    ])
    func whatNoMigrationMayRun(_ sql: String) throws {
        let (statements, diagnostics) = parse("DELETE FROM a;\n\(sql);\nDELETE FROM b")
        #expect(statements.map(\.sql) == ["DELETE FROM a", "DELETE FROM b"])
        let finding = try #require(diagnostics.all.first)
        #expect(finding.code == .invalidMigrationScript && finding.location.line == 2 && diagnostics.all.count == 1)
    }
}
