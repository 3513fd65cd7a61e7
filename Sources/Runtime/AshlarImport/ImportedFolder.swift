import Ashlar
import SystemFoundation

/// The folder of an import's large values. Until the store has its name, a marker in the folder shows that some files
/// may not be needed.
struct ImportedFolder {
    private let folder: ExternalDataFolder
    private let marker: URL

    init(of target: StoreFile) {
        folder = ExternalDataFolder(storePath: target.path)
        marker = folder.support.appendingPathComponent(ExternalDataWriter.markerPrefix + "import", isDirectory: false)
    }

    /// Removes the files that a killed process left.
    func begin() throws {
        if FileSystem.exists(marker.path) { try remove() }
    }

    /// Marks the folder before the first file is added.
    func mark() throws {
        if FileSystem.exists(marker.path) { return }
        try FileSystem.createFolder(folder.url)
        try FileSystem.create(marker)
    }

    /// The store has its name: its files stay.
    func finish() throws {
        guard FileSystem.exists(marker.path) else { return }
        for folder in [folder.url, folder.support] { try FileSystem.synchronize(folder) }
        try FileSystem.remove(marker)
    }

    /// Removes the files after a failed import.
    func remove() throws {
        guard FileSystem.exists(marker.path) else { return }
        try FileSystem.remove(folder.url)
        try FileSystem.remove(folder.support)
    }
}
