import Foundation
import Testing

/// The generator as the plugin runs it.
@Suite struct GeneratorProgramTests {
    /// The program beside the tests; nil with a build system that puts it elsewhere.
    private static let generator: URL? = {
        let products = (Bundle.main.executableURL ?? URL(fileURLWithPath: "/")).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let url = products.appending(path: "AshlarGenerator")
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }()

    private func run(_ arguments: String...) throws -> (status: Int32, errors: String)? {
        guard let generator = Self.generator else {
            print("AshlarGenerator is not beside the tests, as with another build system: not run")
            return nil
        }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = generator
        process.arguments = arguments
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// The plugin must not fail while a build is planned, so that it has the generator fail for it.
    @Test func aModelThatIsNotFoundIsAnErrorOfItsTargetsBuild() throws {
        let message = "/p/Sources/T/ashlar.json: error: There is no data model at Models/T.xcdatamodeld"
        guard let result = try run("--error", message) else { return }
        #expect(result.status == 1)
        #expect(result.errors == message + "\n")
    }

    @Test func wrongArguments() throws {
        guard let result = try run("--error") else { return }
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("usage: "))
    }
}
