import ArgumentParser
import DataModel
import Foundation
import GeneratorPipeline
import RelationalSchema
import SchemaMigration

struct SQL: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "Prints the schema of a model's version or a migration, or keeps both as files to review.",
        discussion: """
            --write keeps the schema of the current version and all migrations in a folder of the model's name within \
            DIR, and removes those of versions that are gone. --check writes nothing, and ends with status 2 when the \
            files are not what --write would make. Else it ends with status 0 when all is well, 1 when the model has \
            errors, 64 when it was called wrongly, and 73 when a file cannot be written.
            """)

    @Argument(help: "The path of the model.")
    var model: String

    @Option(help: "The version; the current one when left out.")
    var version: String?

    @OptionGroup var configuration: ConfigurationArguments

    @Flag(help: "Print the migration from the version before in place of the schema.")
    var migration = false

    @Option(help: "Print the migrations from this version on, one after the other, in place of the schema.")
    var from: String?

    @Option(help: ArgumentHelp("Keep the files within a folder.", valueName: "dir"))
    var write: String?

    @Option(help: ArgumentHelp("Look whether the files within a folder are up to date.", valueName: "dir"))
    var check: String?

    func validate() throws {
        let asksForFiles = write != nil || check != nil
        if write != nil && check != nil || asksForFiles && (version != nil || migration || from != nil) {
            throw ValidationError("--write and --check are for all versions, and go with --ashlar-json alone.")
        }
        if migration && from != nil { throw ValidationError("--from says which migrations to print.") }
    }

    func run() throws {
        let options = try configuration.configuration(ofModelAtPath: model)
        let (plan, diagnostics) = ModelPlan.make(modelPath: model, configuration: options)
        printFindings(diagnostics)
        guard let plan else { throw ExitCode(1) }
        if let write { return try writeFiles(SQLFiles(plan), to: URL(fileURLWithPath: write)) }
        if let check { return try checkFiles(SQLFiles(plan), in: URL(fileURLWithPath: check)) }
        let last = try version.map { try position(of: $0, in: plan) } ?? plan.versions.count - 1
        if let from {
            let first = try position(of: from, in: plan)
            if first > last {
                throw ValidationError("\(plan.versions[last].name) is older than \(from): migrations go forwards.")
            }
            for index in first..<last {
                print("-- From version '\(plan.versions[index].name)' to '\(plan.versions[index + 1].name)':\n--")
                print(plan.migrationText(to: index + 1))
            }
        } else if migration {
            if last > 0 { print(plan.migrationText(to: last), terminator: "") }
        } else {
            for statement in plan.schemas[last].statements { print(statement + ";") }
        }
    }

    private func position(of name: String, in plan: ModelPlan) throws -> Int {
        guard let index = plan.versions.firstIndex(where: { $0.name == name }) else {
            throw ValidationError(
                "There is no version \(name); there are \(plan.versions.map(\.name).joined(separator: ", ")).")
        }
        return index
    }

    private func writeFiles(_ files: SQLFiles, to folder: URL) throws {
        do {
            for difference in try files.write(to: folder) { print(difference.description) }
        } catch {
            FileHandle.standardError.write(
                Data("\(folder.path): error: \((error as NSError).localizedDescription)\n".utf8))
            throw ExitCode(73)
        }
    }

    private func checkFiles(_ files: SQLFiles, in folder: URL) throws {
        let differences = try files.differences(from: folder)
        for difference in differences {
            FileHandle.standardError.write(Data("\(difference.description)\n".utf8))
        }
        if !differences.isEmpty { throw ExitCode(2) }
    }
}

extension SQLFiles.Difference {
    fileprivate var description: String {
        switch self {
        case .missing(let url): "\(url.path): new"
        case .stale(let url): "\(url.path): changed"
        case .superfluous(let url): "\(url.path): of a version that is gone"
        }
    }
}
