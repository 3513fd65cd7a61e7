import Foundation
import Testing
import ToolProgram

@testable import AshlarTool

/// `ashlar init`, `new-version`, `lock` and `sql` as JSON, as programs read it.
@Suite(.enabled(if: ToolProgram.isThere)) struct InitTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func run(_ arguments: String...) throws -> ToolProgram.Run {
        try ToolProgram.run(arguments, in: folder.url)
    }

    private let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "Feed",
            dependencies: [.package(url: "https://example.org/ashlar.git", branch: "main")],
            targets: [
                .executableTarget(name: "Feed"),
                .testTarget(name: "FeedTests", dependencies: ["Feed"]),
            ]
        )

        """

    @Test func inAFolderWithoutAPackage() throws {
        let run = try run("init", "Feed")
        #expect(run.status == 0)
        #expect(run.results.hasPrefix("Models/Feed.xcdatamodeld\nAdd to Package.swift:\n"))
        #expect(run.results.contains(".plugin(name: \"AshlarPlugin\", package: \"ashlar\")"))
        #expect(try self.run("check", "Models/Feed.xcdatamodeld").status == 0)
    }

    /// The build reports nothing, and the compiler reports only that the type of the model is not in scope.
    @Test func aModelThatNoTargetBuildsIsAWarning() throws {
        let model = try folder.writeModel("Feed", "<entity name=\"Post\"/>")
        let other = try folder.writeModel("Other", "<entity name=\"Post\"/>")
        #expect(try !run("check", model).messages.contains("unbuilt-model"))
        try folder.write(manifest, to: "Package.swift")
        let found = try run("check", model)
        #expect(found.status == 0)
        #expect(
            found.messages.contains(
                "warning: The target 'Feed' does not use AshlarPlugin, so that no target builds this model [unbuilt-model]"
            ))
        #expect(
            try run("check", other).messages.contains(
                "warning: Package.swift has no target 'Other', so that no target builds this model [unbuilt-model]"))
        try folder.write(#"{ "models": ["Models/Other.xcdatamodeld"] }"#, to: "Sources/Feed/ashlar.json")
        #expect(try !run("check", other).messages.contains("unbuilt-model"))
        let plugin =
            ".executableTarget(name: \"Feed\", plugins: [.plugin(name: \"AshlarPlugin\", package: \"ashlar\")]),"
        try folder.write(
            manifest.replacing(".executableTarget(name: \"Feed\"),", with: plugin), to: "Package.swift")
        #expect(try !run("check", model).messages.contains("unbuilt-model"))
    }

    /// `init` does not change a manifest unless `--add-to-package` is given.
    @Test func inAPackage() throws {
        try folder.write(manifest, to: "Package.swift")
        let run = try run("init", "--format", "json")
        #expect(run.status == 0)
        let json = try run.json()
        #expect(json["version"] as? Int == 1)
        #expect(json["model"] as? String == "Models/Feed.xcdatamodeld")
        #expect(json["manifest"] as? String == "Package.swift")
        #expect(json["state"] as? String == "incomplete")
        #expect((json["toAdd"] as? [String])?.count == 3)
        #expect(try folder.text("Package.swift") == manifest)
    }

    @Test func addedToThePackage() throws {
        try folder.write(manifest, to: "Package.swift")
        try folder.write("", to: "Sources/Feed/Feed.swift")
        // From a folder within, as `swift run ashlar` is called from there.
        let run = try ToolProgram.run(
            ["init", "--add-to-package", "--format", "json"], in: folder.file("Sources/Feed"))
        #expect(run.status == 0, "\(run.messages)")
        #expect(try run.json()["state"] as? String == "added")
        let text = try folder.text("Package.swift")
        #expect(
            text.contains(
                ".executableTarget(name: \"Feed\", dependencies: [.product(name: \"Ashlar\", package: \"ashlar\")], "
                    + "plugins: [.plugin(name: \"AshlarPlugin\", package: \"ashlar\")]),"))
        #expect(FileManager.default.fileExists(atPath: folder.file("Models/Feed.xcdatamodeld").path))
        let again = try self.run("init", "Feed 2", "--format", "json", "--folder", "Others")
        #expect(try again.json()["state"] as? String == "incomplete")
        try FileManager.default.removeItem(at: folder.file("Models"))
        #expect(try self.run("init", "--format", "json").json()["state"] as? String == "complete")
    }

    /// As `swift package init --type empty` makes it.
    @Test(arguments: ["", ",\n    targets: []", ",\n    targets: [\n    ]"])
    func addedToAnEmptyPackage(_ targets: String) throws {
        let start = """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "Feed",
                dependencies: [.package(url: "https://example.org/ashlar.git", branch: "main")]
            """
        try folder.write("\(start)\(targets)\n)\n", to: "Package.swift")
        let run = try run("init", "Feed", "--add-to-package", "--format", "json")
        #expect(run.status == 0, "\(run.messages)")
        #expect(try run.json()["state"] as? String == "added")
        #expect(try run.json()["source"] as? String == "Sources/Feed/Feed.swift")
        #expect(try folder.text("Sources/Feed/Feed.swift") == "import Ashlar\n")
        let text = try folder.text("Package.swift")
        #expect(
            text.contains(
                ".target(name: \"Feed\", dependencies: [.product(name: \"Ashlar\", package: \"ashlar\")], "
                    + "plugins: [.plugin(name: \"AshlarPlugin\", package: \"ashlar\")])"))
        #expect(
            ManifestChanges(toBuildModelsOf: "Feed", in: PackageManifest(text), ashlar: "ashlar").outcome
                == .nothingToDo)
    }

    /// A manifest that adds targets in other ways could undo the edit, and is not changed.
    @Test func targetsThatAreMadeElsewhere() throws {
        let text = """
            let package = Package(name: "Feed", dependencies: [.package(url: "https://example.org/ashlar", branch: "main")])
            package.targets = makeTargets()

            """
        try folder.write(text, to: "Package.swift")
        let run = try run("init", "Feed", "--add-to-package")
        #expect(run.results.contains("Package.swift is left as it is: it has no target Feed."))
        #expect(try folder.text("Package.swift") == text)
    }

    @Test func aManifestThatIsNotUnderstoodIsLeftAsItIs() throws {
        let text = manifest.replacing(".executableTarget(name: \"Feed\")", with: "makeTarget(\"Feed\")")
        try folder.write(text, to: "Package.swift")
        let run = try run("init", "Feed", "--add-to-package")
        #expect(run.status == 0)
        #expect(run.results.contains("Package.swift is left as it is: it has no target Feed, only FeedTests."))
        #expect(run.results.contains("plugins: "))
        #expect(try folder.text("Package.swift") == text)
    }

    @Test func aNameIsNeededWhereThePackageDoesNotTell() throws {
        try folder.write(
            manifest.replacing(".testTarget(", with: ".target(name: \"Core\"), .testTarget("), to: "Package.swift")
        let run = try run("init")
        #expect(run.status == 64)
        #expect(run.messages.contains("The package's are Feed, Core."))
        #expect(!FileManager.default.fileExists(atPath: folder.file("Models").path))
    }

    @Test func versionsAndLocks() throws {
        let model = try folder.writeModelWithWarning()
        let version = try run("new-version", model, "--format", "json")
        #expect(try version.json()["modelVersion"] as? String == "Feed 2")
        let lock = try run("lock", model, "--format", "json")
        #expect(try lock.json()["versions"] as? [String] == ["Feed"])
        #expect(try lock.json()["lockFile"] as? String == "\(model).lock")
        let schema = try run("sql", model, "--format", "json").json()
        #expect(schema["model"] as? String == "Feed" && schema["modelVersion"] as? String == "Feed 2")
        let statements = try #require(schema["statements"] as? [String])
        #expect(statements.contains { $0.hasPrefix("CREATE TABLE \"Post\"") })
        let migrations = try run("sql", model, "--from", "Feed", "--format", "json").json()
        let found = try #require(migrations["migrations"] as? [[String: Any]])
        #expect(found.map { $0["source"] as? String } == ["Feed"])
        #expect((found[0]["sql"] as? String)?.contains("Nothing in the store changes") == true)
        let files = try run("sql", model, "--check", "SQL", "--format", "json")
        #expect(files.status == 2)
        let states = try #require(files.json()["files"] as? [[String: Any]]).map { $0["state"] as? String }
        #expect(states == ["new", "new"])
    }
}
