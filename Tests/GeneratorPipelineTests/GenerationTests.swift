import DataModel
import Foundation
import GeneratorPipeline
import SwiftGeneration
import Testing

@Suite struct GenerationTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "GenerationTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func generate(_ model: URL, _ folder: URL, shards: Int = 1, configuration: URL? = nil) throws -> Diagnostics
    {
        try GenerationRequest(
            modelPath: model.path, outputFolder: folder.path, configurationPath: configuration?.path, shards: shards
        ).run()
    }

    private func contents(_ folder: URL) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, try String(contentsOf: folder.appending(path: name), encoding: .utf8))
            })
    }

    // MARK: Golden files

    /// The same files are compiled and run by the target GeneratedCodeTests. `ASHLAR_UPDATE_GOLDEN=1` writes them.
    @Test(arguments: ["Models/Zoo", "Models/PhotoFeed", "Models/Newsroom", "Tests/AshlarTests/Models/Outpost"])
    func generatedCodeIsAsCommitted(_ path: String) throws {
        let name = URL(fileURLWithPath: path).lastPathComponent
        let golden = Self.package.appending(path: "Tests/GeneratedCodeTests/Generated")
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let isUpdating = ProcessInfo.processInfo.environment["ASHLAR_UPDATE_GOLDEN"] == "1"
        let output = isUpdating ? golden : folder
        let diagnostics = try generate(Self.package.appending(path: "\(path).xcdatamodeld"), output)
        #expect(diagnostics.all.isEmpty)
        let expected = try contents(golden).filter { $0.key.hasPrefix(name + "+") }
        #expect(!expected.isEmpty)
        for (file, text) in try contents(output) where file.hasPrefix(name + "+") {
            #expect(text == expected[file], "\(file) differs; ASHLAR_UPDATE_GOLDEN=1 accepts it")
        }
    }

    /// For one version: the compiler offers the new name wherever the old one is used.
    @Test func renamedItemsKeepTheirFormerNamesForOneVersion() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ version: String, _ entity: String, _ properties: String) throws {
            let url = folder.appending(path: "Feed.xcdatamodeld/\(version).xcdatamodel")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let text = """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                \(entity)\(properties)</entity>
                </model>
                """
            try Data(text.utf8).write(to: url.appending(path: "contents"))
        }
        let title = #"<attribute name="title" attributeType="String"/>"#
        let headline = #"<attribute name="headline" attributeType="String" elementID="title"/>"#
        try write("Feed", "<entity name=\"Post\">", title)
        try write("Feed 2", "<entity name=\"Article\" elementID=\"Post\">", headline)
        let former = """
            #if !ASHLAR_WITHOUT_FORMER_NAMES
            @available(*, unavailable, renamed: "Article")
            typealias Post = Article

            nonisolated extension PersistentModel where Self: Article {
                @available(*, unavailable, renamed: "headline")
                var title: String {
                    get { headline }
                    set { headline = newValue }
                }
            }

            nonisolated extension Columns where Model == Article {
                @available(*, unavailable, renamed: "headline")
                var title: Column<String> { headline }
            }
            #endif
            """
        func code(_ current: String) throws -> String {
            let list = """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>\(current).xcdatamodel</string></dict></plist>
                """
            try Data(list.utf8).write(to: folder.appending(path: "Feed.xcdatamodeld/.xccurrentversion"))
            let output = folder.appending(path: "Output")
            #expect(try generate(folder.appending(path: "Feed.xcdatamodeld"), output).hasErrors == false)
            return try contents(output)["Feed+Entities1.swift"] ?? ""
        }
        let second = try code("Feed 2")
        #expect(second.contains(former), "\(second)")
        try write("Feed 3", "<entity name=\"Article\" elementID=\"Post\">", headline)
        #expect(try !code("Feed 3").contains("FORMER_NAMES"))
        // 'title' is the name of another property now.
        let article = #"<attribute name="article" attributeType="String"/>"#
        try write("Feed 4", "<entity name=\"Article\">", headline + article)
        try write(
            "Feed 5", "<entity name=\"Article\">",
            #"<attribute name="headline" attributeType="String" elementID="article"/>"#
                + #"<attribute name="title" attributeType="String" elementID="headline"/>"#)
        let swapped = try code("Feed 5")
        #expect(swapped.contains("    var article: String {") && !swapped.contains("renamed: \"title\""))
    }

    /// Xcode sorts the properties when it saves. Existing calls of an initializer must compile afterwards.
    @Test func parametersHaveOneOrderWhateverThatOfTheModel() throws {
        let properties = [
            #"<attribute name="title" attributeType="String"/>"#,
            #"<attribute name="sum" optional="YES" attributeType="Integer 64" derived="YES" "#
                + #"derivationExpression="parts.@count"/>"#,
            #"<attribute name="day" attributeType="Date"/>"#,
            #"<attribute name="spot" attributeType="Composite" composite="Spot"/>"#,
            #"<relationship name="up" optional="YES" maxCount="1" deletionRule="Nullify" "#
                + #"destinationEntity="Thing" inverseName="parts" inverseEntity="Thing"/>"#,
            #"<relationship name="parts" optional="YES" toMany="YES" deletionRule="Nullify" "#
                + #"destinationEntity="Thing" inverseName="up" inverseEntity="Thing"/>"#,
            #"<attribute name="count" attributeType="Integer 16"/>"#,
        ]
        let leaves = ["y", "x"].map { #"<attribute name="\#($0)" attributeType="Double"/>"# }
        func signatures(_ properties: [String], _ leaves: [String]) throws -> [String] {
            let folder = try temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let bundle = folder.appending(path: "M.xcdatamodel")
            try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
            let text =
                #"<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0"><entity name="Thing">"#
                + properties.joined() + #"</entity><entity name="Special" parentEntity="Thing">"#
                + #"<attribute name="b" attributeType="Date"/><attribute name="a" attributeType="Date"/></entity>"#
                + #"<composite name="Spot">\#(leaves.joined())</composite></model>"#
            try Data(text.utf8).write(to: bundle.appending(path: "contents"))
            let output = folder.appending(path: "output")
            #expect(try generate(bundle, output).all.allSatisfy { $0.severity != .error })
            return try contents(output).sorted { $0.key < $1.key }.flatMap { _, text in
                text.matches(of: #/(?:convenience|   ) init[^{]*|: EntityValues[^}]*/#).map { String($0.output) }
                    .filter { !$0.contains("_ashlarValues values") }
            }
        }
        let written = try signatures(properties, leaves)
        #expect(try written == signatures(properties.sorted(), leaves.sorted()))
        let special = try #require(written.first { $0.contains("a: Date") && $0.contains("convenience") })
        let parameters = special.matches(of: #/(\w+): /#).map { String($0.output.1) }
        #expect(parameters == ["count", "day", "spot", "title", "up", "parts", "a", "b"])
    }

    @Test func theSameModelGivesTheSameBytesInAnyFolder() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = Self.package.appending(path: "Models/PhotoFeed.xcdatamodeld")
        let copy = folder.appending(path: "elsewhere/PhotoFeed.xcdatamodeld")
        try FileManager.default.createDirectory(
            at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: original, to: copy)
        _ = try generate(original, folder.appending(path: "first"), shards: 3)
        _ = try generate(copy, folder.appending(path: "second"), shards: 3)
        let first = try contents(folder.appending(path: "first"))
        #expect(first.count == 4)
        #expect(try first == contents(folder.appending(path: "second")))
    }

    @Test func aFileThatDidNotChangeIsNotWritten() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = Self.package.appending(path: "Models/Zoo.xcdatamodeld")
        _ = try generate(model, folder)
        let file = folder.appending(path: "Zoo+Entities1.swift")
        let past = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: file.path)
        _ = try generate(model, folder)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.modificationDate] as? Date == past)
    }

    // MARK: Bad input

    @Test func nothingIsWrittenForAModelWithErrors() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = folder.appending(path: "Bad.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="A"><attribute name="a" attributeType="Integer 128"/></entity>
            </model>
            """
        try Data(text.utf8).write(to: model.appending(path: "contents"))
        let output = folder.appending(path: "output")
        let diagnostics = try generate(model, output)
        #expect(diagnostics.all.map(\.code) == [.unknownAttributeType])
        #expect(diagnostics.all.first?.location.line == 3)
        #expect(!FileManager.default.fileExists(atPath: output.path))
    }

    @Test(arguments: [
        ("{", "cannot be read"), ("{\"model\": []}", "no option 'model'"), ("{\"access\": \"secret\"}", "access"),
        ("{\"oldestVersion\": {\"Zoo\": \"Ark\"}}", "'Ark'"),
    ])
    func aBadConfigurationIsAnError(_ json: String, _ message: String) throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = folder.appending(path: "ashlar.json")
        try Data(json.utf8).write(to: configuration)
        let output = folder.appending(path: "output")
        let diagnostics = try generate(
            Self.package.appending(path: "Models/Zoo.xcdatamodeld"), output, configuration: configuration)
        #expect(diagnostics.hasErrors)
        #expect(diagnostics.all.contains { $0.code == .invalidConfiguration && $0.message.contains(message) })
        #expect(!FileManager.default.fileExists(atPath: output.path))
    }

    @Test("row 40: the configuration chooses access and version")
    func theConfigurationChoosesAccessAndVersion() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = folder.appending(path: "ashlar.json")
        try Data("{\"access\": \"public\", \"currentVersion\": {\"PhotoFeed\": \"PhotoFeed\"}}".utf8)
            .write(to: configuration)
        _ = try generate(
            Self.package.appending(path: "Models/PhotoFeed.xcdatamodeld"), folder, configuration: configuration)
        let text = try String(contentsOf: folder.appending(path: "PhotoFeed+Entities1.swift"), encoding: .utf8)
        #expect(text.contains("public nonisolated final class Post"))
        #expect(text.contains("photo: Data?"))
        #expect(!text.contains("class Author"))
    }
}
