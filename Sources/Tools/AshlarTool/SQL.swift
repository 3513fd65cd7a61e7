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
            files differ from those that --write would make. Else it ends with status 0 when all is well, 1 when the \
            model has errors, 64 when it was called wrongly, and 73 when a file cannot be written.
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

    @OptionGroup var report: ReportArguments

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
        try printFindings(diagnostics)
        guard let plan else { throw ExitCode(1) }
        if let write { return try writeFiles(SQLFiles(plan), to: URL(fileURLWithPath: write)) }
        if let check { return try checkFiles(SQLFiles(plan), in: URL(fileURLWithPath: check)) }
        let last = try version.map { try position(of: $0, in: plan) } ?? plan.versions.count - 1
        if let from {
            let first = try position(of: from, in: plan)
            if first > last {
                throw ValidationError("\(plan.versions[last].name) is older than \(from): migrations go forwards.")
            }
            try printMigrations(first..<last, of: plan)
        } else if migration {
            try printMigrations(max(last - 1, 0)..<last, of: plan)
        } else if report.format == .json {
            try CommandOutput.results.write(
                json: SchemaReport(
                    model: plan.name, modelVersion: plan.versions[last].name, statements: plan.schemas[last].statements)
            )
        } else {
            try CommandOutput.results.write(data: plan.schemas[last].statements.map { $0 + ";\n" }.joined())
        }
    }

    /// Prints the migrations from some versions to the ones after them.
    private func printMigrations(_ sources: Range<Int>, of plan: ModelPlan) throws {
        if report.format == .json {
            let migrations = sources.map { index in
                MigrationsReport.Migration(
                    source: plan.versions[index].name, destination: plan.versions[index + 1].name,
                    sql: plan.migrationText(to: index + 1))
            }
            return try CommandOutput.results.write(json: MigrationsReport(model: plan.name, migrations: migrations))
        }
        if migration {
            let text = sources.map { plan.migrationText(to: $0 + 1) }.joined()
            return try CommandOutput.results.write(data: text)
        }
        for index in sources {
            let names = (plan.versions[index].name, plan.versions[index + 1].name)
            try CommandOutput.results.write(
                data: "-- From version '\(names.0)' to '\(names.1)':\n--\n\(plan.migrationText(to: index + 1))\n")
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
        let differences = try FileFailure.catching("write the SQL to", folder.path) { try files.write(to: folder) }
        try print(differences)
    }

    private func checkFiles(_ files: SQLFiles, in folder: URL) throws {
        let differences = try FileFailure.catching("read the SQL in", folder.path) {
            try files.differences(from: folder)
        }
        try print(differences)
        if !differences.isEmpty { throw ExitCode(2) }
    }

    private func print(_ differences: [SQLFiles.Difference]) throws {
        if report.format == .json {
            let files = differences.map { FilesReport.File(file: $0.url.path, state: $0.state) }
            return try CommandOutput.results.write(json: FilesReport(files: files))
        }
        for difference in differences { try CommandOutput.results.write(line: difference.description) }
    }
}

/// The JSON report of a version's schema.
private struct SchemaReport: Encodable {
    var version = 1
    var model: String
    var modelVersion: String
    var statements: [String]
}

/// Migrations as JSON.
private struct MigrationsReport: Encodable {
    struct Migration: Encodable {
        var source: String
        var destination: String
        /// A script for the `sqlite3` shell.
        var sql: String
    }

    var version = 1
    var model: String
    var migrations: [Migration]
}

/// The JSON report of the files that `--write` wrote or `--check` compared.
private struct FilesReport: Encodable {
    struct File: Encodable {
        var file: String
        var state: String
    }

    var version = 1
    var files: [File]
}

extension SQLFiles.Difference {
    fileprivate var description: String {
        switch self {
        case .missing(let url): "\(url.path): new"
        case .stale(let url): "\(url.path): changed"
        case .superfluous(let url): "\(url.path): of a version that is gone"
        }
    }

    fileprivate var state: String {
        switch self {
        case .missing: "new"
        case .stale: "changed"
        case .superfluous: "superfluous"
        }
    }
}
