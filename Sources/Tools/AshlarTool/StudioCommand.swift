import ArgumentParser
import FileErrors
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Starts Studio, which is a separate package, so that users of the library do not compile a web server.
struct StudioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studio",
        abstract: "Shows a store, or edits a model, in the browser.",
        discussion: """
            Runs ashlar-studio with these arguments: the program beside this tool, or else the package Studio in the \
            checkout of Ashlar. The first call compiles the package, which takes several minutes. Ends with the status of \
            ashlar-studio, 64 if it cannot be found.

            swift run ashlar studio Feed.store --writable
            swift run ashlar studio Models/Feed.xcdatamodeld
            """)

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("A store or a model, and options; --help prints them.", valueName: "argument"))
    var arguments: [String] = []

    func run() throws {
        let tool = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        guard
            let program = StudioProgram.find(
                besides: Bundle.main.executableURL ?? tool, source: URL(fileURLWithPath: #filePath))
        else {
            throw ValidationError(
                "ashlar-studio is neither beside this tool nor in its checkout. Clone Ashlar, and run "
                    + "`swift run ashlar-studio` in its folder Studio.")
        }
        try program.run(arguments)
    }
}

/// The ways to start ashlar-studio.
enum StudioProgram: Equatable {
    /// A compiled program.
    case executable(URL)
    /// A package to build and run.
    case package(URL)

    static let name = "ashlar-studio"

    /// Finds the program beside a tool, or its package in the checkout that has the source file of the tool.
    static func find(besides tool: URL, source: URL) -> StudioProgram? {
        let program = tool.deletingLastPathComponent().appendingPathComponent(name)
        if FileManager.default.isExecutableFile(atPath: program.path) { return .executable(program) }
        // The source is Sources/Tools/AshlarTool/StudioCommand.swift of the checkout.
        let checkout = (0..<4).reduce(source) { folder, _ in folder.deletingLastPathComponent() }
        let package = checkout.appendingPathComponent("Studio")
        let manifest = package.appendingPathComponent("Package.swift")
        return FileManager.default.fileExists(atPath: manifest.path) ? .package(package) : nil
    }

    /// The words of the command line.
    func words(_ arguments: [String]) -> [String] {
        switch self {
        case .executable(let url): [url.path] + arguments
        case .package(let url): ["/usr/bin/env", "swift", "run", "--package-path", url.path, Self.name] + arguments
        }
    }

    /// Replaces this process, so that an interrupt ends Studio itself.
    func run(_ arguments: [String]) throws {
        if case .package = self {
            try printError("Building Studio. The first time takes several minutes.")
        }
        let words = words(arguments)
        #if os(Windows)
            throw ValidationError("Start Studio with `\(words.joined(separator: " "))`.")
        #else
            var pointers = words.map { strdup($0) }
            pointers.append(nil)
            execv(words[0], pointers)
            let reason = String(cString: strerror(errno))
            for pointer in pointers { free(pointer) }
            throw ValidationError("\(words[0]) cannot be started: \(reason).")
        #endif
    }
}
