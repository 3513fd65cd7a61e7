import ArgumentParser
import DataModel
import FileErrors
import Foundation
import ModelMerge

struct MergeDriver: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Merges two edits of a model by their meaning, for git.",
        discussion: """
            `ashlar merge-driver --install` in a repository has git call it for models. Git gives it the file that both \
            sides were made of, this side's, which it overwrites with the merged one, and the other side's. Where both \
            changed one thing in two ways, this side's stays, with a comment before it that names the conflict. Ends with \
            status 0 when all was merged, 1 when there are conflicts, 64 when it was called wrongly, 66 when a file \
            cannot be read, and 73 when one cannot be written.
            """)

    @Argument(
        help: ArgumentHelp("The three files, and the path that the model has in the repository.", valueName: "file"))
    var files: [String] = []

    @Flag(help: "Have git call this tool for the models of the repository that it is called in.")
    var install = false

    func validate() throws {
        if install ? !files.isEmpty : !(3...4).contains(files.count) {
            throw ValidationError(
                "Give the base, this side's file and the other's, and perhaps the path; or --install.")
        }
    }

    func run() throws {
        if install { return try GitConfiguration.installMergeDriver() }
        let path = files.count > 3 ? files[3] : files[1]
        let merge: FileMerge
        do {
            merge = try FileMerge(base: bytes(0), ours: bytes(1), theirs: bytes(2), file: path)
        } catch let failure as FileMerge.Failure {
            try printError("\(failure). This side's file stays as it is.")
            throw ExitCode(1)
        }
        try FileFailure.catching("write the merged model to", files[1]) {
            try Data(merge.bytes).write(to: URL(fileURLWithPath: files[1]))
        }
        for conflict in merge.conflicts { try printError("\(path): \(conflict)") }
        for error in merge.errors {
            try printError("\(path), merged, line \(error.location.line): \(error.message) [\(error.code.rawValue)]")
        }
        if !merge.conflicts.isEmpty || !merge.errors.isEmpty { throw ExitCode(1) }
    }

    private func bytes(_ position: Int) throws -> [UInt8] {
        do {
            return try [UInt8](RegularFile.bytes(atPath: files[position]))
        } catch {
            try printError("\(FileFailure(action: "read", path: files[position], reason: FileErrorReason.text(error)))")
            throw ExitCode(66)
        }
    }
}
