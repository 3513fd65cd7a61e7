import DataModel
import Foundation
import Testing

@testable import GeneratorPipeline

/// Commands find the settings that the builds of the package's targets use for a model.
@Suite struct ConfigurationFinderTests {
    private let folder: RuleFolder
    private static let model = "Models/Feed.xcdatamodeld"

    init() throws {
        folder = try RuleFolder()
        try folder.write("", to: "Package.swift")
        try writeModel(at: Self.model)
    }

    private func writeModel(at path: String) throws {
        let document = RuleFolder.document("<entity name=\"A\"/>")
        for version in ["Feed", "Feed 2", "Feed 3"] {
            try folder.write(document, to: "\(path)/\(version).xcdatamodel/contents")
        }
        let current = "<plist><dict><key>_XCCurrentVersionName</key><string>Feed 3.xcdatamodel</string></dict></plist>"
        try folder.write(current, to: "\(path)/.xccurrentversion")
    }

    private func find(_ path: String = model) -> (configuration: GeneratorConfiguration?, codes: [Diagnostic.Code]) {
        var diagnostics = Diagnostics()
        let path = "\(folder.path)/\(path)"
        let found = ConfigurationFinder.configuration(ofModelAtPath: path, reportingTo: &diagnostics)
        let whole = found?.includingBundle(ofModelAtPath: path, reportingTo: &diagnostics)
        return (whole, diagnostics.all.map(\.code))
    }

    private static let stages = "\"migrationStages\": {\"Feed\": [\"Feed 3\"]}"

    @Test(arguments: [
        // The target names the model, has its name, has it in its folder, or mentions it.
        ("Sources/App/ashlar.json", "{\"models\": [\"Models/Feed.xcdatamodeld\"], \(stages)}", model),
        ("Sources/App/ashlar.json", "{\"models\": [\"./Sources/../Models/Feed.xcdatamodeld\"], \(stages)}", model),
        ("Sources/Feed/ashlar.json", "{\(stages)}", model),
        ("Somewhere/Deep/Own/ashlar.json", "{\(stages)}", model),
        ("Sources/App/ashlar.json", "{\(stages)}", "Sources/App/Data/Feed.xcdatamodeld"),
        // A package within the package, and one model for both.
        ("Extra/Sources/App/ashlar.json", "{\"models\": [\"../Models/Feed.xcdatamodeld\"], \(stages)}", model),
    ])
    func stagesAreFound(_ file: String, _ text: String, _ path: String) throws {
        try folder.write(text, to: file)
        try folder.write("", to: "Extra/Package.swift")
        if path != Self.model { try writeModel(at: path) }
        for end in ["", "/"] {
            let found = find(path + end)
            #expect(found.configuration?.migrationStages == ["Feed": ["Feed 3"]])
            #expect(found.codes.isEmpty)
        }
    }

    @Test(arguments: [
        ("Sources/App/ashlar.json", "{\"models\": [\"Models/Other.xcdatamodeld\"], \(stages)}"),
        ("Sources/App/ashlar.json", "{\"models\": [\"Other/Feed.xcdatamodeld\"], \(stages)}"),
        ("Sources/App/ashlar.json", "{\"migrationStages\": {\"Other\": [\"Other 3\"]}}"),
        (".build/checkouts/x/Sources/App/ashlar.json", "{\"models\": [\"Models/Feed.xcdatamodeld\"], \(stages)}"),
        ("DerivedData/x/Sources/App/ashlar.json", "{\"models\": [\"Models/Feed.xcdatamodeld\"], \(stages)}"),
        // A file that does not concern the model may be wrong.
        ("Sources/App/ashlar.json", "{\"models\": 3"),
    ])
    func anotherModelsAreNot(_ file: String, _ text: String) throws {
        try folder.write(text, to: file)
        let found = find()
        #expect(found.configuration == GeneratorConfiguration())
        #expect(found.codes.isEmpty)
    }

    @Test func aConfigurationThatMayBeAboutTheModelMustBeReadable() throws {
        try folder.write("{\"models\": [\"Models/Feed.xcdatamodeld\"", to: "Sources/App/ashlar.json")
        #expect(find().configuration == nil)
        #expect(find().codes == [.invalidConfiguration])
    }

    @Test func outsideOfAPackageTheBundleCounts() throws {
        try FileManager.default.removeItem(atPath: folder.path + "/Package.swift")
        try folder.write("{\"models\": [\"Models/Feed.xcdatamodeld\"], \(Self.stages)}", to: "Sources/App/ashlar.json")
        #expect(find().configuration == GeneratorConfiguration())
        try folder.write("{\"migrationStages\": [\"Feed 2\"]}", to: "\(Self.model)/ashlar.json")
        #expect(find().configuration?.migrationStages == ["Feed": ["Feed 2"]])
    }

    @Test func stagesOfAllTargetsAndOfTheBundleCount() throws {
        let models = "\"models\": [\"Models/Feed.xcdatamodeld\"]"
        try folder.write("{\(models), \(Self.stages)}", to: "Sources/One/ashlar.json")
        try folder.write("{\(models)}", to: "Sources/Two/ashlar.json")
        try folder.write("{\"migrationStages\": [\"Feed 2\"]}", to: "\(Self.model)/ashlar.json")
        #expect(Set(find().configuration?.migrationStages?["Feed"] ?? []) == ["Feed 2", "Feed 3"])
    }

    /// A target that builds an earlier release does not change the current version of the model.
    @Test func anEarlierReleaseIsNotTheCurrentVersion() throws {
        let models = "\"models\": [\"Models/Feed.xcdatamodeld\"]"
        try folder.write(
            "{\(models), \"currentVersion\": {\"Feed\": \"Feed\"}, \(Self.stages)}", to: "Sources/Old/ashlar.json")
        // There is none beside it.
        #expect(find().configuration?.currentVersion == ["Feed": "Feed"])
        try folder.write("", to: "Sources/Feed/Feed.swift")
        #expect(find().configuration?.currentVersion == nil)
        #expect(find().configuration?.migrationStages == ["Feed": ["Feed 3"]])
        try FileManager.default.removeItem(atPath: folder.path + "/Sources/Feed")
        try folder.write("{\(models), \"oldestVersion\": {\"Feed\": \"Feed 2\"}}", to: "Sources/App/ashlar.json")
        #expect(find().configuration?.currentVersion == nil)
        #expect(find().configuration?.oldestVersion == ["Feed": "Feed 2"])
        #expect(find().configuration?.migrationStages == ["Feed": ["Feed 3"]])
    }

    @Test func targetsThatDisagreeAreAnErrorUnlessTheBundleSaysIt() throws {
        let models = "\"models\": [\"Models/Feed.xcdatamodeld\"]"
        try folder.write("{\(models)}", to: "Sources/One/ashlar.json")
        try folder.write("{\(models), \"oldestVersion\": {\"Feed\": \"Feed 2\"}}", to: "Sources/Two/ashlar.json")
        #expect(find().configuration == nil)
        #expect(find().codes == [.invalidConfiguration])
        try folder.write("{\(models)}", to: "Sources/Two/ashlar.json")
        try folder.write("{\"oldestVersion\": \"Feed 2\"}", to: "\(Self.model)/ashlar.json")
        #expect(find().configuration?.oldestVersion == ["Feed": "Feed 2"])
    }

    /// A build with a configuration of its own applies the bundle's too.
    @Test func whatTheBundleSaysHoldsForEveryBuild() throws {
        let path = "\(folder.path)/\(Self.model)"
        func plan(_ configuration: GeneratorConfiguration = .init()) -> (ModelPlan?, [Diagnostic.Code]) {
            let (plan, found) = ModelPlan.make(modelPath: path, configuration: configuration)
            return (plan, found.all.map(\.code))
        }
        #expect(plan().0?.versions.map(\.needsStage) == [false, false, false])
        let file = "\(Self.model)/ashlar.json"
        try folder.write("{\"migrationStages\": [\"Feed 2\"]}", to: file)
        #expect(plan().0?.versions.map(\.needsStage) == [false, true, false])
        var own = GeneratorConfiguration()
        own.migrationStages = ["Feed": ["Feed 3"]]
        #expect(plan(own).0?.versions.map(\.needsStage) == [false, true, true])
        try folder.write("{\"oldestVersion\": \"Feed 2\", \"versions\": [\"Feed\", \"Feed 2\", \"Feed 3\"]}", to: file)
        #expect(plan().0?.versions.map(\.name) == ["Feed 2", "Feed 3"])
        own = GeneratorConfiguration()
        own.oldestVersion = ["Feed": "Feed 3"]
        #expect(plan(own).0?.versions.map(\.name) == ["Feed 3"])
        for text in [
            "{", "{\"models\": []}", "{\"migrationStages\": {\"Feed\": [\"Feed 2\"]}}", "{\"versions\": [\"Feed\"]}",
            "{\"migrationStages\": [\"Feed\"]}", "{\"oldestVersion\": \"Feed 4\"}",
        ] {
            try folder.write(text, to: file)
            #expect(plan().0 == nil)
            #expect(plan().1.contains(.invalidConfiguration), "\(text)")
        }
    }
}
