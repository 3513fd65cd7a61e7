import FileErrors
import Foundation

/// The program git, which gives commands access to a repository.
struct Git {
    /// An error of git.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The folder that git is run in.
    var folder: String

    /// Runs git, and returns its standard output.
    ///
    /// - Throws: ``Failure`` with git's own message if it ends with another status than 0, or is not installed.
    @discardableResult
    func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git", "-C", folder] + arguments
        // Files are used because two pipes would have to be read at the same time.
        let files = (0..<2).map { _ in
            FileManager.default.temporaryDirectory.appending(path: "ashlar-git-\(UUID().uuidString)")
        }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        do {
            for file in files { try Data().write(to: file) }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: files[0])
            process.standardError = try FileHandle(forWritingTo: files[1])
            try process.run()
        } catch {
            throw Failure(description: "git cannot be run: \(FileErrorReason.text(error))")
        }
        process.waitUntilExit()
        let (results, messages) = try (Data(contentsOf: files[0]), Data(contentsOf: files[1]))
        if process.terminationStatus != 0 {
            let message = String(decoding: messages, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            throw Failure(
                description: message.isEmpty
                    ? "git ends with status \(process.terminationStatus)" : "git says: \(message)")
        }
        return results
    }

    /// The first line that git writes.
    func line(_ arguments: [String]) throws -> String {
        let text = String(decoding: try run(arguments), as: UTF8.self)
        return String(text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).first ?? "")
    }
}
