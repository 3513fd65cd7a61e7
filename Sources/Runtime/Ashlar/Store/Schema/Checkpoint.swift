/// The extent to which a checkpoint copies the write-ahead log into the file. The names are SQLite's.
///
///     let result = try container.checkpoint(.full)
public enum CheckpointMode: Int32, Sendable, Hashable, CaseIterable {
    /// As much as possible without waiting for others.
    case passive = 0
    /// All of the log, waiting for writers.
    case full = 1
    /// As ``full``, and waits for readers, so that the next save begins the log again.
    case restart = 2
    /// As ``restart``, and makes the log's file empty.
    case truncate = 3
}

/// The result of a checkpoint.
///
///     let result = try container.checkpoint()
///     if !result.isComplete { print(result.loggedPages - result.checkpointedPages, "pages are left") }
public struct CheckpointResult: Sendable, Hashable {
    /// The number of pages in the write-ahead log.
    public var loggedPages: Int
    /// The number of these pages that are now in the file.
    public var checkpointedPages: Int

    /// Whether the file contains all pages of the log.
    public var isComplete: Bool { loggedPages == checkpointedPages }
}
