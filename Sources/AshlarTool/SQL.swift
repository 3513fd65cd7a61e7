import ArgumentParser
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
