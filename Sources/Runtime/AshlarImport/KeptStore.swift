import Ashlar
import SystemFoundation

/// The files of an old store whose place the new one takes: they are kept in the folder `NAME.coredata` beside it, with the
/// names that they had, until the program says that they may go.
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

    /// The old store's files with the places where they are kept, the store itself first: while a process that was killed left
    /// others behind, there is no store that could be opened without them.
    private var moves: [(from: URL, to: URL)] {
        let support = CoreDataSource.supportFolder(of: target.url)
        return ([target.url] + target.companions + [support]).map {
            ($0, folder.appendingPathComponent($0.lastPathComponent))
        }
    }

    /// Moves the old store's files away. It must not be open anywhere but in the connection that has it locked, which made a
    /// log if there was none.
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
