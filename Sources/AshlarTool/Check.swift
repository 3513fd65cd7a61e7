import ArgumentParser
import DataModel
import Foundation
import GeneratorPipeline

struct Check: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    static let configuration = CommandConfiguration(
        abstract: "Reads, checks and plans models, and prints all that is wrong with them.",
        discussion: "Ends with status 1 when a model has errors. Documentation/Diagnostics.md explains each code.")

    @Argument(help: "The paths of .xcdatamodeld bundles or .xcdatamodel folders.")
    var models: [String]

    @Option(help: "How to print: text as compilers do, or json as an array of objects, on standard output.")
    var format = Format.text

    func run() throws {
        var findings: [Diagnostic] = []
        for path in models {
            let (plan, diagnostics) = ModelPlan.make(modelPath: path)
            findings += diagnostics.sorted
            if format == .text {
                printFindings(diagnostics)
                if let plan {
                    print(
                        "\(path): \(plan.schema.graph.model.entities.count) entities, \(plan.versions.count) versions")
                }
            }
        }
        if format == .json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            FileHandle.standardOutput.write(try encoder.encode(findings) + Data("\n".utf8))
        }
        if findings.contains(where: { $0.severity == .error }) { throw ExitCode(1) }
    }
}
