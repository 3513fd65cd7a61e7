import ArgumentParser
import Ashlar
import AshlarImport
import DataModel
import FileErrors
import Foundation
import GeneratorPipeline
import ModelFormat
import StoreExchange

/// The command line tool: the checks and results of a build, for people and scripts.
@main
struct AshlarTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ashlar",
        abstract: "Checks Core Data models and shows the SQL that they stand for.",
        discussion: """
            Results are written to standard output, and messages to standard error. Ends with \
            status 0 when all is well, 1 when a model has errors, 64 when it was called wrongly, 73 when a file cannot \
            be written, and 74 when standard output cannot. Documentation/CommandLine.md has the rest.
            """,
        version: "ashlar \(releaseVersion)",
        subcommands: [
            Check.self, Advise.self, SQL.self, Lock.self, Status.self, Inspect.self, Migrate.self, Import.self,
            DiagramCommand.self,
            Dump.self, Load.self, Reverse.self, Diff.self, MergeDriver.self, Generate.self, Init.self, NewVersion.self,
            Add.self, Change.self, Rename.self, Move.self, Remove.self, Format.self,
            LanguageServerCommand.self,
            StudioCommand.self,
        ])

    /// The output of `--version`.
    static let releaseVersion = "0.1.0"

    static func main() {
        Foundation.exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Executes the arguments, and returns the exit status. All errors arrive here.
    static func run(_ arguments: [String]) -> Int32 {
        // The prebuilt tool is the generator of the build tool plugin too.
        if arguments.first == GeneratorCommand.name { return GeneratorCommand.run(Array(arguments.dropFirst())) }
        do {
            do {
                var command = try parseAsRoot(arguments)
                try command.run()
            } catch let error where exitCode(for: error) == .success {
                // Help, the version and completion scripts are requested output, and therefore results.
                try CommandOutput.results.write(text: fullMessage(for: error))
            }
            try CommandOutput.results.close()
            return 0
        } catch {
            do {
                if let message = message(for: error) { try printError(message) }
            } catch {
                // Standard error cannot be written, so only the status can report the failure.
                return OutputError.status
            }
            return status(for: error)
        }
    }

    /// The status that an error ends the tool with.
    static func status(for error: any Error) -> Int32 {
        switch error {
        case is OutputError: OutputError.status
        case is FileFailure: FileFailure.status
        case let error as ModelEditingError: error.status
        case let error as ModelEditError: error.status
        case let error as StoreError: StoreStatus(error).rawValue
        case let error as ImportError: StoreStatus(error).rawValue
        case is ExchangeError: StoreStatus.isRefused.rawValue
        default: exitCode(for: error).rawValue
        }
    }

    /// Returns the message for an error; nil if everything was already printed.
    static func message(for error: any Error) -> String? {
        if error is ExitCode { return nil }
        // The runtime's own message is about a program's configuration, which the tool does not have.
        if case .missingFile(let url)? = error as? StoreError { return "There is no store at \(url.path)." }
        if exitCode(for: error) != .validationFailure { return FileErrorReason.text(error) }
        // For wrong usage, the parser composes the message, which begins with a word of its own.
        let message = fullMessage(for: error)
        return message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message
    }
}

extension OutputError {
    /// `EX_IOERR` of sysexits.h.
    static let status: Int32 = 74
}

extension FileFailure {
    /// `EX_CANTCREAT` of sysexits.h.
    static let status: Int32 = 73
}

extension ModelEditError {
    /// The status that the tool ends with.
    var status: Int32 {
        switch self {
        case .unreadable: 66
        case .notExact: FileFailure.status
        default: 1
        }
    }
}

extension ModelEditingError {
    /// The status that the tool ends with.
    var status: Int32 {
        switch self {
        case .illegalName, .notLast: 64
        case .noBundle, .noCurrentVersion: 66
        case .exists, .changed, .notExact, .notWritable: FileFailure.status
        }
    }
}
