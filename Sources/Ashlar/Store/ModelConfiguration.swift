public import Foundation

/// Where a container keeps its store, and how. SwiftData's `ModelConfiguration`.
public struct ModelConfiguration: Sendable, Hashable {
    /// The store's file; nil for a store in memory.
    public var url: URL?
    /// Whether the store is made when it does not exist, migrated when it is old, and written.
    public var allowsSave: Bool
    /// Whether each commit waits for the disk (`synchronous=FULL`), so that a power failure loses none; otherwise it
    /// may lose the newest ones, never a part of one. A killed process loses nothing either way.
    public var isFullySynchronous: Bool

    /// A store in a file. Its folder must exist.
    public init(url: URL, allowsSave: Bool = true, isFullySynchronous: Bool = false) {
        self.url = url
        self.allowsSave = allowsSave
        self.isFullySynchronous = isFullySynchronous
    }

    /// A store in memory, which goes when its container goes; or the file `name` with the extension `store` in
    /// ``defaultDirectory``.
    public init(_ name: String = "default", isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true) {
        url = isStoredInMemoryOnly ? nil : Self.defaultDirectory.appendingPathComponent(name + ".store")
        self.allowsSave = allowsSave
        isFullySynchronous = false
    }

    /// Whether the store is in memory.
    public var isStoredInMemoryOnly: Bool { url == nil }

    /// The user's folder for application data, such as `~/.local/share` or `Application Support`.
    public static var defaultDirectory: URL {
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSHomeDirectory())
    }
}
