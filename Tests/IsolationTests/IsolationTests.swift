import Foundation
import Testing

/// Programs that must not compile: the compiler must report errors for the marked lines only.
@Suite struct IsolationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the built modules; nil where another build system puts them elsewhere.
    private static var modules: URL? {
        let products = (Bundle.main.executableURL ?? root).resolvingSymlinksInPath().deletingLastPathComponent()
        let modules = products.appendingPathComponent("Modules")
        let module = modules.appendingPathComponent("Ashlar.swiftmodule")
        return FileManager.default.fileExists(atPath: module.path) ? modules : nil
    }

    @Test(
        "rows 72, 73: only the marked lines are refused",
        .enabled(if: modules != nil, "There are no built modules beside the tests, as with another build system"),
        arguments: ["Isolation", "Types"])
    func onlyTheMarkedLinesAreRefused(_ name: String) throws {
        let modules = try #require(Self.modules)
        let program = Self.root.appendingPathComponent("Tests/IsolationTests/Programs/\(name).swift")
        let source = try String(contentsOf: program, encoding: .utf8)
        let marked = source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { $0.element.hasSuffix("// error") }.map { $0.offset + 1 }
        #expect(!marked.isEmpty)
        let output = try compile(program, modules)
        let pattern = try Regex(
            "\(name)\\.swift:(\\d+):\\d+: (error|warning):", as: (Substring, Substring, Substring).self)
        let found = Set(output.matches(of: pattern).compactMap { Int($0.output.1) })
        #expect(found.sorted() == marked, "\(output)")
    }

    /// Returns the compiler's output for a program, compiled with the generated code of the model Zoo.
    private func compile(_ program: URL, _ modules: URL) throws -> String {
        let generated = Self.root.appendingPathComponent("Tests/GeneratedCodeTests/Generated")
        let files = ["Zoo+Entities1.swift", "Zoo+Model.swift"].map { generated.appendingPathComponent($0).path }
        let types = Self.root.appendingPathComponent("Tests/IsolationTests/Programs/Diet.swift").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "swiftc", "-emit-sil", "-wmo", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library",
                "-module-name",
                "Program", "-I", modules.path, "-Xcc",
                "-fmodule-map-file=\(Self.root.appendingPathComponent("Sources/Shared/CSQLite/module.modulemap").path)",
                "-I", Self.root.appendingPathComponent("Sources/Runtime/CPrefetch/include").path,
                "-I", Self.root.appendingPathComponent("Sources/Shared/CSQLiteSettings/include").path,
            ] + [program.path, types] + files
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}
