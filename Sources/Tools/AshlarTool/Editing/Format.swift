import ArgumentParser
import DataModel
import FileErrors
import Foundation
import ModelFormat

struct Format: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the files of models as Xcode does.",
        discussion: """
            One element a line, with Xcode's order of elements and attributes. A file that Xcode 4 to 16 saved stays as it is. The \
            meaning of a file never changes, and a file that cannot be read is left as it is. Ends with status 0, 1 when \
            --dry-run finds something to change, 64 when the tool was called wrongly, 66 when a file cannot be read, and 73 \
            when one cannot be written. On macOS, call it with swift package --allow-writing-to-package-directory ashlar, or \
            with swift run ashlar.
            """)

    @Argument(
        help: "The paths of .xcdatamodeld bundles or .xcdatamodel folders; the package's only model when left out.")
    var paths: [String] = []

    @Flag(help: "Show the changes as a patch, and write nothing.")
    var dryRun = false

    func run() throws {
        var isChanged = false
        for path in paths.isEmpty ? [try EditArguments.path(nil)] : paths {
            let files = ModelFiles.inputs(ofModelAtPath: path).filter { $0.hasSuffix("/contents") || $0 == path }
            if files.isEmpty { throw ModelEditingError.noCurrentVersion(path) }
            for file in files {
                let before = try FileFailure.catching("read", file) {
                    try [UInt8](RegularFile.bytes(atPath: file))
                }
                let after = try ModelFormatter.formatted(before, file: file)
                if after == before { continue }
                isChanged = true
                if dryRun {
                    try CommandOutput.results.write(data: LineDifference(from: before, to: after).patch(ofFile: file))
                } else {
                    try ModelFixer.write(ModelFixer.FixedFile(path: file, before: before, after: after))
                    try CommandOutput.results.write(line: file)
                }
            }
        }
        if dryRun, isChanged { throw ExitCode(1) }
    }
}
