import Foundation
import Testing

/// The program that the plugin runs.
enum GeneratorProgram {
    /// The one beside the tests; nil with a build system that puts it elsewhere.
    static let url: URL? = {
        let products = (Bundle.main.executableURL ?? URL(fileURLWithPath: "/")).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let url = products.appending(path: "AshlarGenerator")
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }()

    /// Enables the tests that run the generator.
    static let condition: ConditionTrait = .enabled(
        if: url != nil, "AshlarGenerator is not beside the tests, as with another build system")
}

/// The generator as the plugin runs it.
@Suite(GeneratorProgram.condition) struct GeneratorProgramTests {
    private func run(_ arguments: [String]) throws -> (status: Int32, errors: String) {
        let process = Process()
        let pipe = Pipe()
        let program: URL = try #require(GeneratorProgram.url)
        process.executableURL = program
        process.arguments = arguments
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// The plugin must not fail while a build is planned, so the generator reports the error.
    @Test func aModelThatIsNotFoundIsAnErrorOfItsTargetsBuild() throws {
        let folder = try RuleFolder()
        try folder.write(#"{"models": ["Models/T.xcdatamodeld"]}"#, to: "Sources/T/ashlar.json")
        let file = "\(folder.path)/Sources/T/ashlar.json"
        let outputs = ["T.state", "T+Model.swift", "T+Entities1.swift"].map { "\(folder.path)/\($0)" }
        let result = try run(["T", "\(folder.path)/Sources/T", folder.path] + outputs)
        #expect(result.status == 1)
        #expect(
            result.errors.hasPrefix(
                "\(file): error: There is no data model at \(folder.path)/Models/T.xcdatamodeld [model-not-found]\n"))
        #expect(!FileManager.default.fileExists(atPath: outputs[1]))
    }

    @Test func wrongArguments() throws {
        let result = try run(["T"])
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("usage: "))
    }
}
