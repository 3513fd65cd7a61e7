import ArgumentParser
import Ashlar
import FileErrors
import Foundation

/// The file that a command was asked to write. It appears when it is complete. A pipe or a device is written directly.
struct OutputFile {
    private let path: String
    private let handle: FileHandle
    /// The path of the part that becomes the file; nil if the file is written directly.
    private let part: String?
    /// The file itself, if the path is a symbolic link.
    private let target: String

    /// Begins to write.
    ///
    /// - Parameter source: A store that is read meanwhile. The output may be neither the store nor one of its files.
    init(_ path: String, apartFrom source: URL? = nil) throws {
        self.path = path
        target = Self.target(of: path)
        if let source, Self.isPart(target, of: source.resolvingSymlinksInPath()) {
            throw ValidationError("--output is the store itself, or a file of it: choose another one.")
        }
        let type = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        let isWrittenThrough = type != nil && type != .typeRegular && type != .typeDirectory
        let part = isWrittenThrough ? nil : target + ".part-\(UUID().uuidString)"
        self.part = part
        let written = URL(fileURLWithPath: part ?? target)
        handle = try FileFailure.catching("write", path) {
            if part != nil { try Data().write(to: written) }
            return try FileHandle(forWritingTo: written)
        }
    }

    /// Writes the next bytes.
    func write(_ bytes: some Sequence<UInt8>) throws {
        try FileFailure.catching("write", path) { try handle.write(contentsOf: Data(bytes)) }
    }

    /// Gives the written data the name of the file.
    func finish() throws {
        try FileFailure.catching("write", path) {
            try handle.close()
            guard let part else { return }
            if rename(part, target) != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
    }

    /// Discards the written data, and leaves an existing file as it was.
    func discard() {
        try? handle.close()
        if let part { try? FileManager.default.removeItem(atPath: part) }
    }

    /// Writes a text at once.
    static func write(_ text: String, to path: String) throws {
        let file = try OutputFile(path)
        do {
            try file.write(text.utf8)
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
    }

    /// The destination of a symbolic link, even if it does not exist yet.
    private static func target(of path: String) -> String {
        var url = URL(fileURLWithPath: path)
        // As many as systems follow.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: url.path) else { break }
            url = URL(fileURLWithPath: next, relativeTo: url.deletingLastPathComponent()).absoluteURL
        }
        return url.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(url.lastPathComponent)
            .path
    }

    private static func isPart(_ path: String, of store: URL) -> Bool {
        let files = ["", "-wal", "-shm", "-journal"].map { store.path + $0 }
        if files.contains(path) { return true }
        // Another name may be the same file.
        if let own = FileSystem.identity(ofFile: path),
            files.contains(where: { FileSystem.identity(ofFile: $0) == own })
        {
            return true
        }
        // Core Data leaves the extension out.
        let names = [store, store.deletingPathExtension()].map(\.lastPathComponent)
        return names.contains { name in
            path.hasPrefix(store.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT").path + "/")
        }
    }
}
