import ArgumentParser
import DataModel
import Foundation
import GeneratorPipeline

/// The command line tool: what the build does, for people and scripts.
@main
struct AshlarTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ashlar",
        abstract: "Checks Core Data models and shows the SQL that they stand for.",
        subcommands: [Check.self, SQL.self, Generate.self])
}

/// Prints findings as compilers do.
func printFindings(_ diagnostics: Diagnostics) {
    for finding in diagnostics.sorted {
        FileHandle.standardError.write(Data("\(finding)\n".utf8))
    }
}

extension AshlarTool {
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads, checks and plans models, and prints all that is wrong with them.",
            discussion: "Ends with status 1 when a model has errors.")

        @Argument(help: "The paths of .xcdatamodeld bundles or .xcdatamodel folders.")
        var models: [String]

        func run() throws {
            var hasErrors = false
            for path in models {
                let (_, diagnostics) = ModelPlan.make(modelPath: path)
                printFindings(diagnostics)
                hasErrors = hasErrors || diagnostics.hasErrors
            }
            if hasErrors { throw ExitCode(1) }
        }
    }

    struct SQL: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sql",
            abstract: "Prints the schema of a model's version, or the migration to it from the one before.")

        @Argument(help: "The path of the model.")
        var model: String

        @Option(help: "The version; the current one when left out.")
        var version: String?

        @Flag(help: "Print the migration from the version before in place of the schema.")
        var migration = false

        func run() throws {
            let (plan, diagnostics) = ModelPlan.make(modelPath: model)
            printFindings(diagnostics)
            guard let plan else { throw ExitCode(1) }
            let name = version ?? plan.versions.last?.name ?? ""
            guard let index = plan.versions.firstIndex(where: { $0.name == name }) else {
                throw ValidationError(
                    "There is no version \(name); there are \(plan.versions.map(\.name).joined(separator: ", ")).")
            }
            let statements =
                migration ? plan.versions[index].migration.map(\.sql) : plan.schemas[index].statements
            for statement in statements { print(statement + ";") }
        }
    }

    struct Generate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the Swift code of a model into a folder, as the build tool plugin does.")

        @Argument(help: "The path of the model.")
        var model: String

        @Option(help: "The folder to write to.")
        var output: String

        @Option(help: "The path of an ashlar.json.")
        var configuration: String?

        @Option(help: "Over how many files the entities are spread.")
        var shards = 1

        func run() throws {
            let request = GenerationRequest(
                modelPath: model, outputFolder: output, configurationPath: configuration, shards: shards)
            let diagnostics = try request.run()
            printFindings(diagnostics)
            if diagnostics.hasErrors { throw ExitCode(1) }
        }
    }
}
