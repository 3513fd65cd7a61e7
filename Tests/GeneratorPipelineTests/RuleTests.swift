import DataModel
import Foundation
import ModelFormat
import SchemaMigration
import Testing

@testable import GeneratorPipeline

/// All rules with models that break them: where each mistake is found, and the file after each of the fixes.
@Suite struct RuleTests {
    static let rules =
        Rule.ofTheFormat + Rule.ofNames + Rule.ofAttributes + Rule.ofComposites + Rule.ofRelationships + Rule.ofIndexes
        + Rule.ofPredicates + Rule.ofConfigurations

    @Test("row 30: a mistake is found at its place", arguments: rules)
    func aMistakeIsFoundAtItsPlace(_ rule: Rule) throws {
        let folder = try RuleFolder()
        let (text, line, column) = try RuleFolder.place(in: rule.text)
        let finding = try #require(folder.check(text).first { $0.code == rule.code }, "\(folder.check(text))")
        #expect(
            "\(finding.severity) \(finding.location.line):\(finding.location.column)"
                == "\(rule.severity) \(line):\(column)")
    }

    @Test(arguments: rules)
    func eachFixPutsItRight(_ rule: Rule) throws {
        let folder = try RuleFolder()
        let (text, _, _) = try RuleFolder.place(in: rule.text)
        let finding = try #require(folder.check(text).first { $0.code == rule.code })
        var resolver = FindingResolver()
        let before = try #require(folder.model())
        var results: [String] = []
        for fix in finding.fixes {
            let made = resolver.edits(of: fix)
            let edits = try #require(made, "\(fix.title) cannot be made")
            let fixed = String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self)
            results.append((fix.isSafe ? "✓ " : "") + RuleFolder.body(of: fixed, like: rule.text))
            let left = try RuleFolder().check(fixed).filter { $0.code == finding.code && $0.message == finding.message }
            #expect(left.isEmpty, "\(fix.title)")
            guard fix.isSafe, finding.severity != .error else { continue }
            let other = try RuleFolder()
            _ = other.check(fixed)
            let after = try #require(other.model())
            #expect(after.versionHash == before.versionHash)
            #expect(after.schemaHash == before.schemaHash)
        }
        #expect(results == rule.fixed)
    }

    @Test(arguments: rules)
    func notesAreSentencesThatNoFixRepeats(_ rule: Rule) throws {
        let (text, _, _) = try RuleFolder.place(in: rule.text)
        for finding in try RuleFolder().check(text) {
            #expect(finding.notes.allSatisfy { $0.first?.isLowercase == false })
            let lines = finding.description.split(separator: "\n").map { $0.replacing("note: fix: ", with: "note: ") }
            #expect(Set(lines).count == lines.count)
        }
    }

    /// Rules that need more than one version, or a missing or invalid file. `migration-unproven` is a mistake of
    /// Ashlar's, and only `ashlar check` finds `missing-index` and `unbuilt-model`.
    @Test func everyOtherRuleIsFoundToo() throws {
        var found: Set<Diagnostic.Code> = [.migrationUnproven, .missingIndex, .unbuiltModel]
        func note(
            _ files: [String: String], _ path: String = "M.xcdatamodeld",
            configuration: GeneratorConfiguration = .init()
        ) throws {
            let folder = try RuleFolder()
            for (name, text) in files { try folder.write(text, to: name) }
            let findings = ModelPlan.make(modelPath: "\(folder.path)/\(path)", configuration: configuration).diagnostics
            found.formUnion(findings.all.map(\.code))
        }
        let model = RuleFolder.document("<entity name=\"A\"/>")
        let required = RuleFolder.document(
            "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Integer 16\"/></entity>")
        let old = "<attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>"
        let renamed = RuleFolder.document("<entity name=\"A\">\(old.replacing("\"note\"", with: "\"notes\""))</entity>")
        let (first, second) = ("M.xcdatamodeld/M.xcdatamodel/contents", "M.xcdatamodeld/M 2.xcdatamodel/contents")
        try note([:])
        try note(["M.txt": ""], "M.txt")
        try note(["M.xcdatamodeld/readme": ""])
        try note(["M.xcdatamodeld/M.xcdatamodel/readme": ""])
        try note(["M.xcdatamodeld/M.xcdatamodel/elements": ""])
        try note([first: "<model>"])
        try note([first: model, second: model])
        let deep = (0...ModelLimits.inheritanceDepth).map { number in
            "<entity name=\"E\(number)\"\(number == 0 ? "" : " parentEntity=\"E\(number - 1)\"")/>"
        }
        try note([first: RuleFolder.document(deep.joined())])
        var configuration = GeneratorConfiguration()
        configuration.currentVersion = ["M": "M 2"]
        try note([first: model, second: required], configuration: configuration)
        let abstract = RuleFolder.document("<entity name=\"A\" isAbstract=\"YES\"/>")
        try note([first: model, second: abstract], configuration: configuration)
        configuration.oldestVersion = ["M": "N"]
        try note([first: model, second: model], configuration: configuration)
        let kept = RuleFolder.document("<entity name=\"A\">\(old)\(Self.removed("b"))</entity>")
        let unlike = RuleFolder.document("<entity name=\"A\"><attribute name=\"b\" attributeType=\"Date\"/></entity>")
        configuration.oldestVersion = nil
        try note(
            [first: RuleFolder.document("<entity name=\"A\">\(old)</entity>"), second: renamed],
            configuration: configuration)
        try note(
            [first: RuleFolder.document("<entity name=\"A\">\(old)</entity>"), second: unlike],
            configuration: configuration)
        try note([first: unlike, second: kept], configuration: configuration)
        try note([
            first: model, second: model,
            "M.xcdatamodeld/.xccurrentversion":
                "<plist><dict><key>_XCCurrentVersionName</key><string>M.xcdatamodel</string></dict></plist>",
        ])
        try note(
            [first: model, second: model, "Moves.xcmappingmodel/xcmapping.xml": "<database/>"],
            configuration: configuration)
        let script = "M.xcdatamodeld/M 2.sql"
        for sql in ["BEGIN", "INSERT INTO A (id$) SELECT max(id$) FROM A"] {
            try note([first: model, second: model, script: sql], configuration: configuration)
        }
        let lock = "M.xcdatamodeld.lock"
        try note([first: model, second: model, lock: "none"], configuration: configuration)
        let released = LockFile([Model(name: "M")], path: "").text(modelName: "M")
        try note([first: model, second: model, lock: released], configuration: configuration)
        let expected = Set(Diagnostic.Code.allCases).subtracting(Self.rules.map(\.code))
        #expect(expected.subtracting(found).isEmpty)
    }

    private static func removed(_ names: String) -> String {
        "<userInfo><entry key=\"ashlar.removed\" value=\"\(names), x\"/></userInfo>"
    }

    @Test func aRequiredAttributeInAnOlderStoreHasThreeWaysOut() throws {
        let folder = try RuleFolder()
        try folder.write(RuleFolder.document("<entity name=\"A\"/>"), to: "M.xcdatamodeld/M.xcdatamodel/contents")
        let text = RuleFolder.document(
            "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Integer 16\"/></entity>")
        let file = "M.xcdatamodeld/M 2.xcdatamodel/contents"
        try folder.write(text, to: file)
        var configuration = GeneratorConfiguration()
        configuration.currentVersion = ["M": "M 2"]
        let path = folder.path + "/M.xcdatamodeld"
        let finding = try #require(ModelPlan.make(modelPath: path, configuration: configuration).diagnostics.all.first)
        #expect(finding.code == .migrationNotInferrable)
        #expect(
            finding.fixes.map(\.title) == [
                "Make it optional", "Give it a default", "Give objects of older versions a value",
            ])
        for fix in finding.fixes {
            try folder.write(text, to: file)
            var resolver = FindingResolver()
            let made = resolver.edits(of: fix)
            let edits = try #require(made)
            try folder.write(String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self), to: file)
            #expect(ModelPlan.make(modelPath: path, configuration: configuration).diagnostics.all.isEmpty)
        }
    }
}

/// A folder of its own for a model.
final class RuleFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "RuleTests-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: path).appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// The findings about a document.
    func check(_ text: String) -> [Diagnostic] {
        try? write(text, to: "M.xcdatamodel/contents")
        return ModelPlan.make(modelPath: path + "/M.xcdatamodel").diagnostics.sorted
    }

    /// The model that was checked last.
    func model() -> Model? { ModelReader().read(atPath: path + "/M.xcdatamodel").model?.versions.first }

    private static let start = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">

        """

    /// A document with the elements of a model.
    static func document(_ body: String) -> String { start + body + "</model>\n" }

    /// The document that a rule's text stands for, and the place that is marked in it.
    static func place(in text: String) throws -> (text: String, line: Int, column: Int) {
        let marked = text.contains("<entity") ? document(text) : document(thing + text + "</entity>\n")
        let mark = try #require(marked.firstRange(of: "▸"))
        let before = marked[..<mark.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
        return (marked.replacing("▸", with: ""), before.count, (before.last?.utf8.count ?? 0) + 1)
    }

    /// The part of a document that a rule's text stands for.
    static func body(of document: String, like text: String) -> String {
        let (start, end) =
            text.contains("<entity") ? (Self.start, "</model>\n") : (Self.start + thing, "</entity>\n</model>\n")
        guard document.hasPrefix(start), document.hasSuffix(end) else { return document }
        return String(document.dropFirst(start.count).dropLast(end.count))
    }

    private static let thing = "<entity name=\"Thing\">"
}
