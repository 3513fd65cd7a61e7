import ArgumentParser
import DataModel
import GeneratorPipeline
import RelationalSchema
import SchemaMigration

struct SQL: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "Prints the schema of a model's version, or the migration to it from the one before.")

    @Argument(help: "The path of the model.")
    var model: String

    @Option(help: "The version; the current one when left out.")
    var version: String?

    @Option(help: "The path of an ashlar.json.")
    var configuration: String?

    @Flag(help: "Print the migration from the version before in place of the schema.")
    var migration = false

    func run() throws {
        var diagnostics = Diagnostics()
        var options = GeneratorConfiguration()
        if let configuration {
            guard let read = GeneratorConfiguration.read(atPath: configuration, reportingTo: &diagnostics) else {
                printFindings(diagnostics)
                throw ExitCode(1)
            }
            options = read
        }
        let (plan, found) = ModelPlan.make(modelPath: model, configuration: options)
        diagnostics.report(contentsOf: found)
        printFindings(diagnostics)
        guard let plan else { throw ExitCode(1) }
        let name = version ?? plan.versions.last?.name ?? ""
        guard let index = plan.versions.firstIndex(where: { $0.name == name }) else {
            throw ValidationError(
                "There is no version \(name); there are \(plan.versions.map(\.name).joined(separator: ", ")).")
        }
        if migration {
            for statement in plan.versions[index].migration {
                if case .check(let reason, _) = statement.purpose { print("-- must give no row: \(reason)") }
                print(statement.sql + ";")
            }
        } else {
            for statement in plan.schemas[index].statements { print(statement + ";") }
        }
    }
}
