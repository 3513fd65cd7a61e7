import DataModel
import Synchronization

/// The versions that were read before, for a caller that reads a model again and again while it is edited.
package final class KnownVersions: Sendable {
    private struct Version {
        var bytes: [UInt8]
        var model: Model?
        var diagnostics: Diagnostics
    }

    private let versions = Mutex<[String: Version]>([:])

    /// Makes an empty collection.
    package init() {}

    /// The version in a file, which is read only if its text is new.
    func version(
        inFile file: String, _ bytes: [UInt8], reading: () -> (model: Model?, diagnostics: Diagnostics)
    ) -> (model: Model?, diagnostics: Diagnostics) {
        if let known = versions.withLock({ $0[file] }), known.bytes == bytes { return (known.model, known.diagnostics) }
        let (model, diagnostics) = reading()
        versions.withLock { $0[file] = Version(bytes: bytes, model: model, diagnostics: diagnostics) }
        return (model, diagnostics)
    }
}
