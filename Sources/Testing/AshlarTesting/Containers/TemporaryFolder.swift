import Foundation

/// Folders for the stores of tests, which are gone when the process ends: a container may be open until then.
enum TemporaryFolder {
    private static let ofProcess: URL = {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-testing-\(UUID().uuidString)")
        atexit { try? FileManager.default.removeItem(at: TemporaryFolder.ofProcess) }
        return url
    }()

    /// Makes a folder.
    static func make() throws -> URL {
        let url = ofProcess.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    /// Removes a folder with its content when the last reference to this object ends.
    final class Removal: Sendable {
        let url: URL

        init(_ url: URL) { self.url = url }

        deinit { try? FileManager.default.removeItem(at: url) }
    }
}
