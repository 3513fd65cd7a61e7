import Foundation

/// A model as git has it at a revision, written into a folder for the while.
final class GitModel {
    /// The path of the model in the folder.
    let path: String
    private let folder: URL

    /// Takes a model out of a repository.
    ///
    /// - Parameters:
    ///   - path: The path of a bundle or of a version, which need not be there any more.
    ///   - revision: As git spells it: `main`, `HEAD~3`, a hash.
    /// - Throws: ``Git/Failure``, or an error of the file system.
    init(_ path: String, at revision: String) throws {
        let full = URL(fileURLWithPath: path).standardizedFileURL
        var parent = full.deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: parent.path), parent.path != "/" {
            parent.deleteLastPathComponent()
        }
        let git = Git(folder: parent.path)
        let commit = try git.line(["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"])
        let place = String(full.path.dropFirst(parent.path == "/" ? 1 : parent.path.count + 1))
        let list = try git.run(["ls-tree", "-r", "-z", "--full-tree", "--name-only", commit])
        let prefix = String(decoding: try git.run(["rev-parse", "--show-prefix"]), as: UTF8.self).dropLast()
        let wanted = prefix + place + "/"
        folder = FileManager.default.temporaryDirectory.appending(path: "ashlar-model-\(UUID().uuidString)")
        self.path = folder.appending(path: full.lastPathComponent).path
        var isThere = false
        for bytes in list.split(separator: 0) {
            let name = String(decoding: bytes, as: UTF8.self)
            guard name.utf8.starts(with: wanted.utf8) else { continue }
            let rest = name.utf8.dropFirst(wanted.utf8.count)
            let file = URL(fileURLWithPath: self.path).appending(path: String(Substring(rest)))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try git.run(["cat-file", "blob", "\(commit):\(name)"]).write(to: file)
            isThere = true
        }
        if !isThere { throw Git.Failure(description: "\(revision) has no model \(path)") }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
