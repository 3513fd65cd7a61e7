import DataModel
import SchemaMigration
import SwiftGeneration
import Testing

@testable import GeneratorPipeline

/// Scripts in a bundle are run while it is built, on sample objects.
@Suite struct MigrationScriptTests {
    private static func body(_ more: String) -> String {
        """
        <entity name="A"><attribute name="a" attributeType="String"/>\(more)<relationship name="bs" optional="YES" \
        toMany="YES" deletionRule="Nullify" destinationEntity="B" inverseName="owners" inverseEntity="B"/></entity>\
        <entity name="B"><attribute name="b" optional="YES" attributeType="String"/><relationship name="owners" \
        optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="A" inverseName="bs" inverseEntity="A"/></entity>
        """
    }
    private static let first = body("")
    private static let second = body(#"<attribute name="c" attributeType="String" defaultValueString="x"/>"#)

    private func plan(_ scripts: [String: String], stages: [String] = []) throws -> (ModelPlan?, Diagnostics) {
        let folder = try RuleFolder()
        for (name, body) in ["M": Self.first, "M 2": Self.second] {
            try folder.write(RuleFolder.document(body), to: "M.xcdatamodeld/\(name).xcdatamodel/contents")
        }
        for (name, text) in scripts { try folder.write(text, to: "M.xcdatamodeld/\(name)") }
        var configuration = GeneratorConfiguration()
        configuration.currentVersion = ["M": "M 2"]
        configuration.migrationStages = ["M": stages]
        return ModelPlan.make(modelPath: folder.path + "/M.xcdatamodeld", configuration: configuration)
    }

    @Test("row 160: SQL of the author's own stands before and after what is planned")
    func order() throws {
        let (plan, diagnostics) = try plan([
            "M 2.before.sql": "CREATE TABLE kept AS SELECT id$, b FROM B;\nUPDATE B SET b = NULL",
            "M 2.sql": "UPDATE A SET c = (SELECT b FROM kept WHERE kept.id$ = A.id$) WHERE EXISTS "
                + "(SELECT 1 FROM kept WHERE kept.id$ = A.id$ AND b IS NOT NULL);\nDROP TABLE kept;",
        ])
        #expect(diagnostics.all.isEmpty)
        let statements = try #require(plan?.versions.last).migration
        let custom = statements.indices.filter { if case .custom = statements[$0].purpose { true } else { false } }
        #expect(custom == [0, 1, statements.count - 2, statements.count - 1] && statements.count > 4)
        let text = try #require(plan?.migrationText(to: 1))
        #expect(text.contains("-- from M 2.before.sql, line 2\nUPDATE B SET b = NULL;"))
        let generator = try #require(
            plan.map { ModelGenerator(name: $0.name, schema: $0.schema, versions: $0.versions) })
        let code = try #require(generator.files(shards: 1).first)
        #expect(code.contains(#".custom("UPDATE B SET b = NULL")"#))
    }

    @Test(
        arguments: [
            (["M 2.sql": "\nUPDATE A SET nothing = 1"], "invalid-migration-script error M 2.sql:2"),
            (["M 2.before.sql": "UPDATE A SET c = 1"], "invalid-migration-script error M 2.before.sql:1"),
            (["M 2.sql": "UPDATE A SET c = NULL"], "migration-script-may-fail warning M 2.sql:1"),
            (["M 3.sql": "SELECT 1"], "invalid-migration-script error M 3.sql:0"),
            (["M.sql": "SELECT 1"], "invalid-migration-script error M.sql:0"),
            (["M 2.sql": "\nDROP TABLE B"], "invalid-migration-script error M 2.sql:2"),
            (["M 2.sql": "\n\nCREATE TABLE x (y)"], "invalid-migration-script error M 2.sql:3"),
            (
                ["M 2.before.sql": "CREATE TABLE x (y);\nCREATE VIEW v AS SELECT 1"],
                "invalid-migration-script error M 2.before.sql:2"
            ),
            (["M 2.before.sql": "CREATE TABLE x (y)"], "invalid-migration-script error M 2.before.sql:1"),
            (["M 2.sql": "SELECT 1;\nCREATE INDEX i ON A (a)"], "invalid-migration-script error M 2.sql:2"),
            (["M 2.sql": "SELECT 1;\nDELETE FROM B"], "invalid-migration-script error M 2.sql:2"),
            (["M 2.before.sql": "SELECT 1;\nDELETE FROM B"], "invalid-migration-script error M 2.before.sql:2"),
        ])
    func mistakes(_ scripts: [String: String], _ expected: String) throws {
        let (_, diagnostics) = try plan(scripts)
        let found = diagnostics.all.map { finding in
            let file = finding.location.file.split(separator: "/").last ?? ""
            return "\(finding.code.rawValue) \(finding.severity) \(file):\(finding.location.line)"
        }
        #expect(found.first == expected)
    }

    @Test func whatAScriptLeavesIsToldAtItsStatement() throws {
        func finding(_ scripts: [String: String]) throws -> Diagnostic {
            let diagnostics = try plan(scripts).1
            return try #require(diagnostics.all.first)
        }
        let table = try finding(["M 2.before.sql": "CREATE TABLE kept AS SELECT id$ FROM B", "M 2.sql": "SELECT 1"])
        #expect(
            table.message == "On the way from 'M' to 'M 2', this statement leaves 'kept' behind: drop it at the end")
        let rows = try finding(["M 2.sql": "DELETE FROM B"])
        #expect(rows.message == "On the way from 'M' to 'M 2', this statement leaves references that lead nowhere")
        #expect(rows.notes == ["a row of 'A$bs' refers to no row of 'B'"])
        #expect(try plan(["M 2.sql": "DELETE FROM B;\nDELETE FROM A$bs"]).1.all.isEmpty)
    }

    @Test func stagesNameVersionsThatAMigrationLeadsTo() throws {
        #expect(try plan([:], stages: ["M 2"]).0?.stageVersions.map(\.name) == ["M", "M 2"])
        #expect(try plan([:], stages: ["M 2"]).0?.versions.map(\.needsStage) == [false, true])
        #expect(try plan([:]).0?.stageVersions.isEmpty == true)
        for name in ["M", "M 3"] {
            #expect(try plan([:], stages: [name]).1.all.map(\.code) == [.invalidConfiguration])
        }
    }
}
