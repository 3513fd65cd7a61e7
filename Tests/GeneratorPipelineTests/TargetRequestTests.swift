import DataModel
import Foundation
import GeneratorPipeline
import Testing

/// The code of a target's models, as the build tool plugin asks for it in each build.
@Suite struct TargetRequestTests {
    private let folder: RuleFolder
    private let request: TargetRequest

    init() throws {
        let folder = try RuleFolder()
        self.folder = folder
        request = TargetRequest(
            targetName: "Feed", targetFolder: "\(folder.path)/Sources/Feed", packageFolder: folder.path,
            statePath: "\(folder.path)/Feed.state",
            outputPaths: ["Model", "Entities1", "Entities2"].map { "\(folder.path)/Feed+\($0).swift" })
        try folder.write("", to: "Feed.state")
    }

    /// Writes a version of a model with an entity for each name.
    private func write(_ entities: String..., version: String = "Feed", to bundle: String = "Models/Feed") throws {
        let body = entities.map { "<entity name=\"\($0)\"/>\n" }.joined()
        try folder.write(
            RuleFolder.document(body), to: "\(bundle).xcdatamodeld/\(version).xcdatamodel/contents")
    }

    private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: "\(folder.path)/\(path)") }

    private func run() throws -> [String] { try request.run().sorted.map { "\($0.code.rawValue): \($0.message)" } }

    private func texts() throws -> [String] {
        try request.outputPaths.map { try String(contentsOfFile: $0, encoding: .utf8) }
    }

    /// The classes that the code declares.
    private func classes() throws -> [String] {
        try texts().flatMap { $0.matches(of: #/final class (\w+)/#).map { String($0.output.1) } }
    }

    // MARK: Finding models

    @Test func theModelIsTheOneOfTheTargetsNameElseThoseInItsFolder() throws {
        try write("Leaf", to: "Sources/Feed/Deep/Other")
        #expect(try run().isEmpty)
        #expect(try classes() == ["Leaf"])
        try write("Recommended")
        #expect(try run().isEmpty)
        #expect(try classes() == ["Recommended"])
        try write("Named", to: "Somewhere/Third")
        try folder.write(
            #"{"models": ["Somewhere/Third.xcdatamodeld", "Sources/Feed/Deep/Other.xcdatamodeld"]}"#,
            to: "Sources/Feed/ashlar.json")
        #expect(try run().isEmpty)
        #expect(try classes().sorted() == ["Leaf", "Named"])
        #expect(try texts()[0].contains("enum ThirdModel") && texts().joined().contains("enum OtherModel"))
    }

    @Test func aMissingModelIsAnErrorUntilItIsMade() throws {
        #expect(try run() == ["model-not-found: The target Feed has no data model"])
        #expect(try request.run().sorted.first?.notes.first?.contains("swift package ashlar init Feed") == true)
        try folder.write(#"{"models": ["Models/Other.xcdatamodeld"]}"#, to: "Sources/Feed/ashlar.json")
        #expect(
            try run() == ["model-not-found: There is no data model at \(folder.path)/Models/Other.xcdatamodeld"])
        try folder.write(#"{"models": "Models/Other.xcdatamodeld"}"#, to: "Sources/Feed/ashlar.json")
        #expect(try run().first?.hasPrefix("invalid-configuration: The configuration cannot be read: models") == true)
        #expect(FileManager.default.contents(atPath: request.statePath)?.isEmpty == true)
        try write("Post")
        try remove("Sources/Feed/ashlar.json")
        #expect(try run().isEmpty)
        #expect(try classes() == ["Post"])
    }

    // MARK: Several models

    @Test func twoModelsOfATargetCannotMakeOneType() throws {
        try folder.write(
            #"{"models": ["Models/One.xcdatamodeld", "Models/Two.xcdatamodeld"]}"#, to: "Sources/Feed/ashlar.json")
        try write("Item", "Box", version: "One", to: "Models/One")
        try write("Bag", "Item", version: "Two", to: "Models/Two")
        let finding = try #require(try request.run().sorted.first)
        #expect(finding.code == .duplicateEntity)
        #expect(finding.location.file == "\(folder.path)/Models/Two.xcdatamodeld/Two.xcdatamodel/contents")
        #expect(finding.location.line == 4)
        #expect(
            finding.message == "Two models of the target make the type 'Item': entity 'Item' of Two and "
                + "entity 'Item' of One")
        #expect(finding.notes.first?.contains("One.xcdatamodel/contents:3") == true)
        #expect(!FileManager.default.fileExists(atPath: request.outputPaths[0]))
        // The names of types must differ, not those of entities; the models' own types count too.
        try write("Bag", "OneModel", version: "Two", to: "Models/Two")
        #expect(try run().map { $0.prefix(17) } == ["duplicate-entity:"])
        try write("Bag", version: "Two", to: "Models/Two")
        #expect(try run().isEmpty)
        #expect(try classes().sorted() == ["Bag", "Box", "Item"])
    }

    // MARK: Later builds

    /// Changes of files that a model may consist of, and their effects on the code.
    @Test func everyChangeIsNoticed() throws {
        try write("Post")
        let marker = "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"
        var seen: Set<[String]> = []
        func expectChange(_ place: Comment, isError: Bool = false, _ change: () throws -> Void) throws {
            try change()
            let findings = try request.run()
            #expect(findings.hasErrors == isError, place)
            if isError { return }
            let isNew = try seen.insert(texts()).inserted
            #expect(isNew, place)
        }
        func current(_ name: String) -> String {
            "<plist><dict><key>_XCCurrentVersionName</key><string>\(name).xcdatamodel</string></dict></plist>"
        }
        let bundle = "Models/Feed.xcdatamodeld"
        try expectChange("first") {}
        try expectChange("edited") { try write("Post", "Author") }
        try expectChange("a new version without a current one", isError: true) {
            try write("Post", "Author", "Tag", version: "Feed 2")
        }
        try expectChange("a current version") { try folder.write(current("Feed 2"), to: "\(bundle)/.xccurrentversion") }
        try expectChange("an edit of the new version") {
            let body = "<entity name=\"Post\">\(marker)</entity><entity name=\"Author\"/>"
            try folder.write(RuleFolder.document(body), to: "\(bundle)/Feed 2.xcdatamodel/contents")
        }
        try expectChange("an edit of the old version") { try write("Post", "Author", "Old") }
        try expectChange("a script") { try folder.write("DELETE FROM Post;", to: "\(bundle)/Feed 2.before.sql") }
        try expectChange("an edit of the script") {
            try folder.write("UPDATE Post SET \"version$\" = 2;", to: "\(bundle)/Feed 2.before.sql")
        }
        try expectChange("a script with an error", isError: true) {
            try folder.write("UPDATE Post SET nonsense = 2;", to: "\(bundle)/Feed 2.sql")
        }
        try expectChange("the other script alone") {
            try remove("\(bundle)/Feed 2.sql")
            try folder.write("DELETE FROM Author;", to: "\(bundle)/Feed 2.before.sql")
        }
        try expectChange("the bundle's configuration") {
            try folder.write(#"{"oldestVersion": "Feed 2"}"#, to: "\(bundle)/ashlar.json")
            try remove("\(bundle)/Feed 2.before.sql")
        }
        try expectChange("the target's configuration") {
            try folder.write(#"{"access": "public"}"#, to: "Sources/Feed/ashlar.json")
        }
        try expectChange("a lock file", isError: true) { try folder.write("nonsense", to: "\(bundle).lock") }
        try expectChange("a merged bundle") {
            try remove("\(bundle).lock")
            try write("Account", version: "Users", to: "Models/Users")
            try folder.write(
                #"{"oldestVersion": "Feed 2", "merges": {"Users.xcdatamodeld": {"Feed": "Users"}}}"#,
                to: "\(bundle)/ashlar.json")
        }
        try expectChange("an edit of the merged bundle") {
            try write("Account", "Group", version: "Users", to: "Models/Users")
        }
        try expectChange("the old version removed", isError: true) { try remove("\(bundle)/Feed.xcdatamodel") }
        try expectChange("another model") {
            try write("Account", "Third", version: "Users", to: "Models/Users")
            try folder.write(#"{"models": ["Models/Users.xcdatamodeld"]}"#, to: "Sources/Feed/ashlar.json")
        }
    }

    /// A mapping model only gives a warning, which a build prints once.
    @Test func aMappingModelThatAppearsIsNoticed() throws {
        try write("Post")
        try write("Post", "Author", version: "Feed 2")
        try folder.write(#"{"currentVersion": {"Feed": "Feed 2"}}"#, to: "Sources/Feed/ashlar.json")
        #expect(try run().isEmpty)
        try folder.write("", to: "Models/Maps/First.xcmappingmodel/xcmapping.xml")
        #expect(try run().count == 1)
        #expect(try run().isEmpty)
        // After an error the warning is printed again.
        try folder.write("nonsense", to: "Models/Feed.xcdatamodeld.lock")
        #expect(try request.run().hasErrors)
        try remove("Models/Feed.xcdatamodeld.lock")
        #expect(try run().count == 1)
    }

    @Test func nothingIsWrittenIfNothingChanged() throws {
        try write("Post")
        _ = try run()
        let past = Date(timeIntervalSince1970: 1_000_000)
        func date(_ path: String) throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        }
        for path in request.outputPaths + [request.statePath] {
            try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: path)
        }
        let state = FileManager.default.contents(atPath: request.statePath)
        #expect(try run().isEmpty)
        for path in request.outputPaths { #expect(try date(path) == past) }
        // The build system has to see a change to run the generator the next time.
        #expect(try date(request.statePath) != past)
        #expect(FileManager.default.contents(atPath: request.statePath) == state)
    }

    @Test func anOutputThatIsGoneOrEditedIsWrittenAgain() throws {
        try write("Post")
        _ = try run()
        let expected = try texts()
        try folder.write("nonsense", to: "Feed+Model.swift")
        try remove("Feed+Entities2.swift")
        #expect(try run().isEmpty)
        #expect(try texts() == expected)
    }
}
