import AshlarSQLite
import SystemFoundation

/// The free space on volumes, to compare with the need of a migration.
package struct FreeSpace: Sendable {
    /// The number of bytes that can be written in a folder, and the number of its volume; nil if the system does not
    /// report them.
    var look: @Sendable (URL) -> (bytes: Int64, volume: Int)?

    /// The free space that the system reports.
    package static let system = FreeSpace { folder in
        guard let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.path),
            let bytes = wholeNumber(ofAttribute: attributes[.systemFreeSize])
        else { return nil }
        return (bytes, wholeNumber(ofAttribute: attributes[.systemNumber]).map(Int.init) ?? 0)
    }

    /// Throws ``StoreError/insufficientSpace(_:needed:available:)`` for the first volume that has less space than all
    /// folders on it need together.
    package func require(_ needs: [(folder: URL, bytes: Int64)]) throws(StoreError) {
        var needed: [Int: (folder: URL, bytes: Int64, available: Int64)] = [:]
        var volumes: [Int] = []
        for need in needs where need.bytes > 0 {
            guard let found = look(need.folder) else { continue }
            if needed[found.volume] == nil { volumes.append(found.volume) }
            needed[found.volume, default: (need.folder, 0, found.bytes)].bytes += need.bytes
        }
        for need in volumes.compactMap({ needed[$0] }) where need.bytes > need.available {
            throw .insufficientSpace(need.folder, needed: need.bytes, available: need.available)
        }
    }

    /// The folder in which SQLite puts temporary files of large sorts.
    static var temporaryFolder: URL {
        let environment = ProcessInfo.processInfo.environment
        let candidates = [environment["SQLITE_TMPDIR"], environment["TMPDIR"], "/var/tmp", "/usr/tmp", "/tmp"]
        let path = candidates.compactMap(\.self).first { FileManager.default.isWritableFile(atPath: $0) }
        return URL(fileURLWithPath: path ?? ".")
    }
}
