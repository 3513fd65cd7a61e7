import Ashlar
import SystemFoundation

/// The files of an old store that a new one replaces. They stay in the folder `NAME.coredata` beside it, under their
/// former names, until the program removes them.
struct KeptStore {
    /// Where the old store was, and the new one is.
    let target: StoreFile
    /// The folder.
    let folder: URL

    init(besideStoreAt url: URL) {
        target = StoreFile(url: url).resolved
        folder = URL(fileURLWithPath: target.path + ".coredata", isDirectory: true)
    }

    /// The old store's file in the folder.
    var url: URL { folder.appendingPathComponent(target.url.lastPathComponent) }

    /// Whether it is there.
    var exists: Bool { FileSystem.exists(url.path) }

    /// The old store's files with their places in the folder, the store itself first. If a killed process leaves other
    /// files behind, no store can be opened without them.
    private var moves: [(from: URL, to: URL)] {
        let support = CoreDataSource.supportFolder(of: target.url)
        return ([target.url] + target.companions + [support]).map {
            ($0, folder.appendingPathComponent($0.lastPathComponent))
        }
    }

    /// Moves the old store's files away. Only the connection that locks it may have it open, and that connection
    /// creates a log if there was none.
    func keep(hasLog: Bool) throws {
        try FileSystem.createFolder(folder)
        let log = URL(fileURLWithPath: target.path + "-wal")
        if !hasLog, FileSystem.length(ofFile: log.path) == 0 { try FileSystem.remove(log) }
        try move()
    }

    /// Continues the move of a killed process that moved the store, but not yet its other files.
    func finishKeeping() throws {
        if exists, !FileSystem.exists(target.path) { try move() }
    }

    private func move() throws {
        for (from, to) in moves where FileSystem.exists(from.path) && !FileSystem.exists(to.path) {
            try FileSystem.rename(from, to: to)
        }
        for folder in [folder, folder.deletingLastPathComponent()] { try FileSystem.synchronize(folder) }
    }

    /// Removes the folder with its content.
    func remove() throws {
        // The store's file is removed first, so that a killed process does not leave a store.
        try FileSystem.remove(url)
        try FileSystem.remove(folder)
        try FileSystem.synchronize(folder.deletingLastPathComponent())
    }
}
