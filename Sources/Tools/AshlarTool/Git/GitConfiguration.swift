import Foundation

/// The git settings for models.
enum GitConfiguration {
    /// The files that the driver merges, as `.gitattributes` names them.
    private static let patterns = ["**/*.xcdatamodel/contents merge=ashlar", ".xccurrentversion merge=ashlar"]

    /// Configures git to call this tool for the models of the repository in the working folder: the repository's own
    /// configuration names the tool, and its `.gitattributes` the files.
    static func installMergeDriver() throws {
        let git = Git(folder: FileManager.default.currentDirectoryPath)
        let root: String
        do {
            root = try git.line(["rev-parse", "--show-toplevel"])
            let tool = shellQuoted(toolPath)
            try git.run(["config", "merge.ashlar.name", "models, by their meaning"])
            try git.run(["config", "merge.ashlar.driver", "\(tool) merge-driver %O %A %B %P"])
        } catch let failure as Git.Failure {
            throw FileFailure(action: "configure git for models in", path: git.folder, reason: failure.description)
        }
        let file = URL(fileURLWithPath: root).appendingPathComponent(".gitattributes")
        let added = try FileFailure.catching("write", file.path) { () throws -> [String] in
            let isThere = FileManager.default.fileExists(atPath: file.path)
            var text = isThere ? try String(contentsOf: file, encoding: .utf8) : ""
            let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let added = patterns.filter { !lines.contains($0) }
            if added.isEmpty { return [] }
            if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
            text += added.map { $0 + "\n" }.joined()
            try Data(text.utf8).write(to: file, options: .atomic)
            return added
        }
        try CommandOutput.results.write(line: "git config merge.ashlar.driver")
        for line in added { try CommandOutput.results.write(line: "\(file.path): \(line)") }
    }

    /// The path of this program.
    private static var toolPath: String {
        let path = Bundle.main.executableURL?.resolvingSymlinksInPath().path
        return path ?? "ashlar"
    }

    /// A text as one word for the shell, to which git passes the driver's command. Git would interpret a single percent
    /// sign.
    private static func shellQuoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''").replacing("%", with: "%%") + "'"
    }
}
