/// The kind of result of a batch operation.
///
/// Core Data's counterparts are `NSBatchDeleteRequestResultType` and its siblings.
public enum BatchResultType: Sendable, Hashable, CaseIterable {
    /// The number of objects.
    case count
    /// The number and the identifiers of the objects. Each identifier takes memory.
    case identifiers
}

/// The result of a batch operation.
///
///     let result = try context.execute(BatchDeleteRequest(Post.where { $0.isDraft }))
///     print(result.count)
public struct BatchResult: Sendable, Hashable {
    /// The number of objects that were inserted, changed or deleted.
    ///
    /// Objects that deletion rules deleted or changed are not counted, nor are rows that a conflict policy skipped. If
    /// several rows to insert share unique values, they count as one.
    public var count: Int
    /// The identifiers of the objects, if ``BatchResultType/identifiers`` was requested.
    public var identifiers: [PersistentIdentifier]?
}

/// The progress of a batch operation.
///
/// ``BatchOptions/progress`` receives it.
public struct BatchProgress: Sendable, Hashable {
    /// The number of processed rows. In an operation without chunks, they can still be rolled back.
    public var completedRowCount: Int
    /// The number of all rows, or nil for rows to insert that are not in a random-access collection such as an array.
    public var totalRowCount: Int?
}

/// The options of a batch operation: its result, its chunks, and its progress handler.
///
///     let options = BatchOptions(resultType: .identifiers, chunkSize: 1000) { progress in
///         print(progress.completedRowCount)
///     }
///     let result = try context.batchInsert(contentsOf: authors, options: options)
public struct BatchOptions: Sendable {
    /// A closure that receives the progress. If it throws, the operation ends with its error.
    public typealias ProgressHandler = @Sendable (BatchProgress) throws -> Void

    /// The kind of the result. It defaults to ``BatchResultType/count``.
    public var resultType = BatchResultType.count
    /// The maximum number of rows in a transaction; nil, the default, performs everything in one transaction.
    ///
    /// The write-ahead log of one transaction grows with the changed pages, up to the size of the tables and indexes.
    /// Chunks limit the log and the time that other writers wait. But chunks are committed one by one: later chunks see
    /// the changes that others commit in between, and if one fails, those before it stay. Rows of an asynchronous
    /// sequence are kept in memory until a chunk is complete.
    public var chunkSize: Int?
    /// The closure that receives the progress; nil by default.
    public var progress: ProgressHandler?

    /// Creates options.
    ///
    ///     let options = BatchOptions(chunkSize: 1000)
    ///
    /// - Parameters:
    ///   - resultType: The kind of the result.
    ///   - chunkSize: The maximum number of rows in a transaction; nil for one transaction.
    ///   - progress: The closure that receives the progress.
    public init(
        resultType: BatchResultType = .count, chunkSize: Int? = nil, progress: ProgressHandler? = nil
    ) {
        self.resultType = resultType
        self.chunkSize = chunkSize
        self.progress = progress
    }
}
