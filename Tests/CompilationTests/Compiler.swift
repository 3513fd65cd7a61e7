import Foundation
import Testing

/// The compiler, called with the modules that the tests were built with.
enum Compiler {
    struct Failure: Error {
        var command: [String]
        var status: Int32
    }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the built modules; nil where another build system puts them elsewhere.
    static var modules: URL? {
        let products = (Bundle.main.executableURL ?? root).resolvingSymlinksInPath().deletingLastPathComponent()
        let modules = products.appendingPathComponent("Modules")
        let module = modules.appendingPathComponent("Ashlar.swiftmodule")
        return FileManager.default.fileExists(atPath: module.path) ? modules : nil
    }

    /// Enables tests that compile. Without the built modules, such tests would pass without a check.
    static let condition: ConditionTrait = .enabled(
        if: modules != nil, "There are no built modules beside the tests, as with another build system")

    /// Compiles files as one module and returns the compiler's messages; empty if there are none.
    ///
    /// - Parameters:
    ///   - name: The module's name.
    ///   - output: A folder to write the module to, for others to import.
    ///   - checksTypesOnly: Whether the compiler stops after it checked types and access levels, which halves the time.
    static func complaints(
        about files: [URL], options: [String] = [], module name: String = "Program", output: URL? = nil,
        checksTypesOnly: Bool = false
    ) throws -> String {
        let modules = try #require(modules)
        var arguments = [
            "swiftc", "-wmo", "-swift-version", "6", "-parse-as-library", "-module-name", name, "-I", modules.path,
            "-Xcc", "-fmodule-map-file=\(root.appendingPathComponent("Sources/Shared/CSQLite/module.modulemap").path)",
            "-Xcc", "-fmodule-map-file=\(root.appendingPathComponent("Sources/Model/CLibXML2/module.modulemap").path)",
            "-I", root.appendingPathComponent("Sources/Runtime/CPrefetch/include").path,
            "-I", root.appendingPathComponent("Sources/Shared/CSQLiteSettings/include").path,
        ]
        if let output {
            let path = output.appendingPathComponent("\(name).swiftmodule").path
            arguments += ["-emit-module", "-emit-module-path", path, "-I", output.path]
        } else if checksTypesOnly {
            arguments.append("-typecheck")
        } else {
            arguments += ["-emit-sil", "-o", "/dev/null"]
        }
        return String(decoding: try run(arguments + options + files.map(\.path), readingErrors: true), as: UTF8.self)
    }

    /// The options for files that import `AshlarTesting` and Swift Testing.
    static func optionsForTests() throws -> [String] {
        let products = try #require(modules).deletingLastPathComponent()
        let map = products.appendingPathComponent("CXMLReader.build/module.modulemap")
        let faults = products.appendingPathComponent("CStoreFaults.build/module.modulemap")
        let plugins = try resources().appendingPathComponent("host/plugins/testing")
        return [
            "-Xcc", "-fmodule-map-file=\(map.path)", "-Xcc", "-fmodule-map-file=\(faults.path)", "-plugin-path",
            plugins.path,
        ]
    }

    /// The options for a package's manifest.
    static func optionsForManifests() throws -> [String] {
        ["-I", try resources().appendingPathComponent("pm/ManifestAPI").path]
    }

    /// The folder of the compiler's resources.
    private static func resources() throws -> URL {
        struct Information: Decodable {
            struct Paths: Decodable { var runtimeResourcePath: String }
            var paths: Paths
        }
        let bytes = try run(["swiftc", "-print-target-info"], readingErrors: false)
        return URL(fileURLWithPath: try JSONDecoder().decode(Information.self, from: bytes).paths.runtimeResourcePath)
    }

    /// The output of a program of one file that does not import Ashlar.
    static func output(of file: URL) throws -> Data {
        let program = file.deletingPathExtension()
        let complaints = try run(["swiftc", "-swift-version", "6", "-o", program.path, file.path], readingErrors: true)
        #expect(complaints.isEmpty, "\(String(decoding: complaints, as: UTF8.self).prefix(3000))")
        return try run([program.path], readingErrors: false)
    }

    private static func run(_ arguments: [String], readingErrors: Bool) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = readingErrors ? FileHandle.nullDevice : pipe
        process.standardError = readingErrors ? pipe : FileHandle.nullDevice
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // A failure without messages, or whose messages are not read, must not look like success.
        if process.terminationStatus != 0, bytes.isEmpty || !readingErrors {
            throw Failure(command: arguments, status: process.terminationStatus)
        }
        return bytes
    }
}
