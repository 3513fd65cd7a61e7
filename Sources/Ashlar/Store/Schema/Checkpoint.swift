/// How a write-ahead log is copied into the file. SQLite's words.
public enum CheckpointMode: Int32, Sendable, Hashable, CaseIterable {
    /// As much as can be without waiting for anybody.
    case passive = 0
    /// All of it, waiting for those that write.
    case full = 1
    /// As ``full``, waiting for those that read too, so that the next save begins the log anew.
    case restart = 2
    /// As ``restart``, and the log's file becomes empty.
    case truncate = 3
}

/// What a checkpoint did.
public struct CheckpointResult: Sendable, Hashable {
    /// The number of pages in the write-ahead log.
    public var loggedPages: Int
    /// How many of them are in the file now.
    public var checkpointedPages: Int

    /// Whether the file has everything.
    public var isComplete: Bool { loggedPages == checkpointedPages }
}
