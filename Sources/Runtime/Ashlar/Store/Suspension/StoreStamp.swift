import SystemFoundation

/// The attributes of a store's files, with which a program without a connection later detects commits by others.
///
/// A commit writes the log, which changes its length or the time of its last change. Two changes within one tick of the
/// system's clock leave the same time, so a file that was just written is inconclusive.
struct StoreStamp: Equatable, Sendable {
    let files: [FileSystem.Stamp?]
    /// Whether an equal stamp proves that nothing was written since.
    let isConclusive: Bool

    init(_ url: URL) {
        files = [url.path, url.path + "-wal"].map(FileSystem.stamp(ofFile:))
        isConclusive = files.allSatisfy { $0?.isOld ?? true }
    }

    static func == (left: StoreStamp, right: StoreStamp) -> Bool { left.files == right.files }
}

extension FileSystem {
    /// The attributes of a file that change when it is written.
    struct Stamp: Equatable, Sendable {
        var identity: Identity?
        var length: Int64
        /// The time of the last change of the file, in seconds since 1970.
        var changed: Double
        /// Whether that was so long before this stamp was made that a further change has another time.
        var isOld: Bool

        static func == (left: Stamp, right: Stamp) -> Bool {
            (left.identity, left.length, left.changed) == (right.identity, right.length, right.changed)
        }
    }

    /// The least age in seconds of a change for which the next change has another time. On all systems that keep more
    /// than seconds, clocks of files tick at least every ten milliseconds.
    private static let tick = 0.02

    /// Returns the attributes of a file; nil if there is none.
    static func stamp(ofFile path: String) -> Stamp? {
        guard let length = length(ofFile: path) else { return nil }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let date = attributes?[.modificationDate] as? Date else { return nil }
        let changed = date.timeIntervalSince1970
        return Stamp(
            identity: identity(ofFile: path), length: length, changed: changed,
            isOld: abs(Date().timeIntervalSince1970 - changed) > tick)
    }
}
