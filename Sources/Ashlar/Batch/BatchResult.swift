/// What a batch operation tells of the rows that it changed. Core Data's `NSBatchDeleteRequestResultType` and its
/// siblings.
public enum BatchResultType: Sendable, Hashable, CaseIterable {
    /// How many they are.
    case count
    /// Their identifiers too, which takes memory for each of them.
    case identifiers
}

/// What a batch operation did.
public struct BatchResult: Sendable, Hashable {
    /// How many objects were inserted, changed or deleted: those that were asked for, without what deletion rules took
    /// along, and without rows to insert that a conflict left out. Of several rows to insert that share unique values all
    /// but the first change an object that counts already.
    public var count: Int
    /// The identifiers of those objects, where they were asked for with ``BatchResultType/identifiers``.
    public var identifiers: [PersistentIdentifier]?
}

/// How far a batch operation has come.
public struct BatchProgress: Sendable, Hashable {
    /// The rows that are done; of an operation in one transaction they can still be undone.
    public var completedRowCount: Int
    /// The number of all rows; nil for rows to insert unless they are in an array or another random-access collection.
    public var totalRowCount: Int?
}

/// What a batch operation tells while it goes on, and how it is divided.
public struct BatchOptions: Sendable {
    /// Is told of each step. An error that it throws ends the operation, and is thrown by it.
    public typealias ProgressHandler = @Sendable (BatchProgress) throws -> Void

    /// What the result tells of the rows.
    public var resultType = BatchResultType.count
    /// The most rows of a transaction; nil, the default, carries out everything in one.
    ///
    /// The log of one transaction grows with what it changes: by the size of the pages, so up to that of the tables and
    /// indexes. Chunks keep it, and the time that others wait for writing, small. But they are committed one by one: what
    /// others write meanwhile is seen by the later ones, and where one fails, those before it stay. Rows of an asynchronous
    /// sequence are kept in memory until a chunk of them came, or all.
    public var chunkSize: Int?
    /// Is told how far the operation has come.
    public var progress: ProgressHandler?

    /// Makes options.
    public init(
        resultType: BatchResultType = .count, chunkSize: Int? = nil, progress: ProgressHandler? = nil
    ) {
        self.resultType = resultType
        self.chunkSize = chunkSize
        self.progress = progress
    }
}
