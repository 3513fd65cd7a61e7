import DataModel
import Foundation

/// The texts of a model's files: those that an editor has open and may not have saved, and all others on disk.
public struct ModelTexts: Sendable {
    /// The bytes that replace those of a file on disk, by the file's path.
    public var open: [String: [UInt8]]

    /// The versions that were read before; nil if each is read once.
    package var known: KnownVersions?

    /// Makes the texts on disk, with others in place of some of them.
    public init(open: [String: [UInt8]] = [:]) {
        self.open = open
    }

    /// The bytes of a file; if there are none, the reason is reported.
    package func bytes(ofFile file: String, reportingTo diagnostics: inout Diagnostics) -> [UInt8]? {
        open[file] ?? ModelFiles.bytes(ofFile: file, reportingTo: &diagnostics)
    }

    /// The names of the files in a folder, in order.
    package func fileNames(inFolder folder: String) -> [String] {
        let saved = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let others = open.keys.filter { ModelFiles.folder(ofPath: $0) == folder }
            .map { String($0.dropFirst(folder.count + 1)) }
        return Set(saved).union(others).sorted()
    }

    /// Returns whether there is a file.
    func hasFile(_ file: String) -> Bool { open[file] != nil || FileManager.default.fileExists(atPath: file) }
}
