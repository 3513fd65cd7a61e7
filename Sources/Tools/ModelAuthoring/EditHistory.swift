import FileErrors
import Foundation
import ModelFormat
import ModelMerge

/// A file before and after an edit; nil where it does not exist.
struct FileChange: Sendable, Hashable {
    var path: String
    var before: [UInt8]?
    var after: [UInt8]?

    /// The bytes of a file.
    static func bytes(_ path: String) throws(ModelDeskError) -> [UInt8] {
        do {
            return try [UInt8](RegularFile.bytes(atPath: path))
        } catch {
            throw ModelDeskError(.unavailable, "\(path) cannot be read: \(FileErrorReason.text(error)).")
        }
    }

    /// The bytes of a file that may be missing.
    static func bytesIfThere(_ path: String) throws(ModelDeskError) -> [UInt8]? {
        FileManager.default.fileExists(atPath: path) ? try bytes(path) : nil
    }

    /// Writes the file, if it still is as before.
    func write() throws(ModelDeskError) {
        do {
            switch (before, after) {
            case (let before?, let after?):
                try ModelFixer.write(ModelFixer.FixedFile(path: path, before: before, after: after))
            case (nil, let after?):
                let url = URL(fileURLWithPath: path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(after).write(to: url, options: .withoutOverwriting)
            case (let before?, nil):
                guard try Self.bytes(path) == before else { throw ModelEditingError.changed(path) }
                try FileManager.default.removeItem(atPath: path)
                // The folders of a version or a bundle that the edit had made go with their last file.
                var folder = ModelFiles.folder(ofPath: path)
                while folder.contains(".xcdatamodel"),
                    try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty
                {
                    try FileManager.default.removeItem(atPath: folder)
                    folder = ModelFiles.folder(ofPath: folder)
                }
            case (nil, nil): break
            }
        } catch let error as ModelDeskError {
            throw error
        } catch let error as ModelEditingError {
            throw ModelDeskError(.refused, error.description)
        } catch {
            throw ModelDeskError(.unavailable, "\(path) cannot be written: \(FileErrorReason.text(error)).")
        }
    }

    /// The change that takes this one back, in the file as it is now.
    func reversed() throws(ModelDeskError) -> FileChange {
        let current = try Self.bytesIfThere(path)
        if current == after { return FileChange(path: path, before: current, after: before) }
        guard let current, let before, let after else {
            throw ModelDeskError(.refused, "\(path) changed meanwhile. It is left as it is.")
        }
        if path.hasSuffix(DiagramPlaces.suffix) {
            let merged = DiagramPlaces(current).reversing(DiagramPlaces(before), DiagramPlaces(after))
            return FileChange(path: path, before: current, after: merged.bytes)
        }
        let merge: FileMerge
        do throws(FileMerge.Failure) {
            merge = try FileMerge(base: after, ours: current, theirs: before, file: path)
        } catch {
            throw ModelDeskError(.refused, error.description)
        }
        let problems = merge.conflicts.map(\.description) + merge.errors.map(\.message)
        if let first = problems.first {
            throw ModelDeskError(.refused, "\(path) changed meanwhile in the same place: \(first).")
        }
        return FileChange(path: path, before: current, after: merge.bytes)
    }
}

/// An edit that can be undone.
struct EditStep: Sendable, Hashable {
    var title: String
    var changes: [FileChange]

    /// Writes the files.
    func write() throws(ModelDeskError) {
        for change in changes { try change.write() }
    }

    /// The step that takes this one back.
    func reversed() throws(ModelDeskError) -> EditStep {
        var changes: [FileChange] = []
        for change in self.changes.reversed() { changes.append(try change.reversed()) }
        return EditStep(title: title, changes: changes)
    }
}

/// The edits since the program was started.
struct EditHistory: Sendable {
    private(set) var undone: [EditStep] = []
    private(set) var redone: [EditStep] = []
    private static let limit = 500

    mutating func make(_ step: EditStep) throws(ModelDeskError) {
        try step.write()
        undone.append(step)
        if undone.count > Self.limit { undone.removeFirst() }
        redone = []
    }

    mutating func undo() throws(ModelDeskError) -> String {
        guard let last = undone.last else { throw ModelDeskError(.refused, "There is nothing to undo.") }
        let step = try last.reversed()
        try step.write()
        undone.removeLast()
        redone.append(step)
        return step.title
    }

    mutating func redo() throws(ModelDeskError) -> String {
        guard let last = redone.last else { throw ModelDeskError(.refused, "There is nothing to redo.") }
        let step = try last.reversed()
        try step.write()
        redone.removeLast()
        undone.append(step)
        return step.title
    }
}
