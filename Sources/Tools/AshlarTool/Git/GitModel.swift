import Foundation
import ModelFormat

/// A model as git has it at a revision, written into a folder for the while.
final class GitModel {
    /// The path of the model in the folder.
    let path: String
    private let folder: URL

    /// Reads a model from a repository.
    ///
    /// - Parameters:
    ///   - path: The path of a bundle or of a version, which may no longer exist: relative to the present folder or, as
    ///     in git's own `REVISION:PATH`, to the repository's.
    ///   - revision: A revision in git's notation: `main`, `HEAD~3`, a hash.
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
        let prefix = String(decoding: try git.run(["rev-parse", "--show-prefix"]), as: UTF8.self).dropLast()
        let files = try git.run(["ls-tree", "-r", "-z", "--full-tree", "--name-only", commit]).split(separator: 0)
            .map { String(decoding: $0, as: UTF8.self) }
        folder = FileManager.default.temporaryDirectory.appending(path: "ashlar-model-\(UUID().uuidString)")
        func isThere(_ bundle: String) -> Bool { files.contains { $0.utf8.starts(with: (bundle + "/").utf8) } }
        var found = String(prefix + place)
        if !isThere(found), !path.hasPrefix("/"), isThere(path) { found = path }
        self.path = folder.appending(path: found).path
        var (waiting, taken): ([String], Set<String>) = ([found], [])
        while let bundle = waiting.popLast() {
            guard taken.insert(bundle).inserted else { continue }
            let found = files.filter { $0.utf8.starts(with: (bundle + "/").utf8) }
            if found.isEmpty {
                // If a bundle that another one names is missing, reading that one reports it.
                if taken.count > 1 { continue }
                throw Git.Failure(description: "\(revision) has no model \(path)")
            }
            for name in found {
                let file = folder.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try git.run(["cat-file", "blob", "\(commit):\(name)"]).write(to: file)
            }
            // The bundles that are merged into it have the same revision, and the same places relative to it.
            waiting += MergedBundles.paths(ofBundle: folder.appending(path: bundle).path).compactMap { path in
                let full = URL(fileURLWithPath: path).standardizedFileURL.path
                let root = folder.standardizedFileURL.path + "/"
                return full.hasPrefix(root) ? String(full.dropFirst(root.count)) : nil
            }
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
