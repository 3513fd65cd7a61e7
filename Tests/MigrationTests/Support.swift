import Foundation

/// How much the tests do that go through many cases: 1 by default, all where `ASHLAR_TEST_EFFORT` says more.
let effort = max(1, ProcessInfo.processInfo.environment["ASHLAR_TEST_EFFORT"].flatMap { Int($0) } ?? 1)

/// A folder of a test's own, which goes with this object.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String = "harbour.store") -> URL { url.appendingPathComponent(name) }

    /// The names of the files.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
}
