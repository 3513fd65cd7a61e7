import ArgumentParser
import DataModel
import Foundation

/// The command line tool: what the build does, for people and scripts.
@main
struct AshlarTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ashlar",
        abstract: "Checks Core Data models and shows the SQL that they stand for.",
        discussion:
            "Ends with status 0 when all is well, 1 when a model has errors, and 64 when it was called wrongly.",
        subcommands: [
            Check.self, Advise.self, SQL.self, Lock.self, Status.self, Migrate.self, Import.self, DiagramCommand.self,
            Generate.self, Init.self, NewVersion.self,
        ])
}

/// Prints findings as compilers do; notes are for who asks for a check.
func printFindings(_ diagnostics: Diagnostics) {
    for finding in diagnostics.sorted where finding.severity != .note {
        FileHandle.standardError.write(Data("\(finding)\n".utf8))
    }
}
