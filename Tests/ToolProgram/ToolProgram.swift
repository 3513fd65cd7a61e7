public import Foundation

/// The program `ashlar`, as a person runs it.
public enum ToolProgram {
    /// The one beside the tests; nil with a build system that puts it elsewhere.
    public static let url: URL? = {
        let products = (Bundle.main.executableURL ?? URL(fileURLWithPath: "/")).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let url = products.appending(path: "ashlar")
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }()

    /// Whether tests can run it.
    public static var isThere: Bool { url != nil }

    /// The result of a run.
    public struct Run: Sendable {
        public var status: Int32
        public var results: String
        public var messages: String

        /// The results as a JSON object.
        public func json() throws -> [String: Any] {
            let value = try JSONSerialization.jsonObject(with: Data(results.utf8))
            guard let object = value as? [String: Any] else { throw NoObject(text: results) }
            return object
        }
    }

    /// The output is not a JSON object.
    public struct NoObject: Error {
        public var text: String
    }

    /// The program is not there.
    public struct Missing: Error {}

    /// Runs the tool in a folder.
    ///
    /// - Parameters:
    ///   - results: where standard output goes, in place of ``Run/results``.
    ///   - messages: where standard error goes, in place of ``Run/messages``.
    public static func run(
        _ arguments: [String], in folder: URL, environment: [String: String] = [:], results: FileHandle? = nil,
        messages: FileHandle? = nil
    ) throws -> Run {
        guard let url else { throw Missing() }
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // Files, because two pipes would have to be read at once.
        let files = (0..<2).map { _ in
            FileManager.default.temporaryDirectory.appending(path: "ashlar-output-\(UUID().uuidString)")
        }
        for file in files { try Data().write(to: file) }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        process.standardOutput = try results ?? FileHandle(forWritingTo: files[0])
        process.standardError = try messages ?? FileHandle(forWritingTo: files[1])
        try process.run()
        process.waitUntilExit()
        return try Run(
            status: process.terminationStatus, results: String(decoding: Data(contentsOf: files[0]), as: UTF8.self),
            messages: String(decoding: Data(contentsOf: files[1]), as: UTF8.self))
    }
}
