import Ashlar
import SystemFoundation

/// The folder of the large values that an import brings: a marker in it says that there may be files too many, until the store
/// has its name.
struct ImportedFolder {
    private let folder: ExternalDataFolder
    private let marker: URL

    init(of target: StoreFile) {
        folder = ExternalDataFolder(storePath: target.path)
        marker = folder.support.appendingPathComponent(ExternalDataWriter.markerPrefix + "import", isDirectory: false)
    }

    /// Removes what a process left that was killed.
    func begin() throws {
        if FileSystem.exists(marker.path) { try remove() }
    }

    /// Marks the folder before the first file comes.
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

    /// The import came to nothing: its files go.
    func remove() throws {
        guard FileSystem.exists(marker.path) else { return }
        try FileSystem.remove(folder.url)
        try FileSystem.remove(folder.support)
    }
}
