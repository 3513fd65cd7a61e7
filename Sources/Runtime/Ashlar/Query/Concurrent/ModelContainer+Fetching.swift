import AshlarSQLite

/// Fetches off the caller's thread. They return values, identifiers and counts, which can be sent to the caller.
///
/// They see the saved state. When the task is cancelled, SQLite stops and `CancellationError` is thrown; the store
/// stays usable. Core Data's counterpart is `NSAsynchronousFetchRequest`.
extension ModelContainer {
    /// Fetches the rows that match a descriptor as plain values, off the caller's thread.
    ///
    ///     let values = try await container.fetchValues(Post.order { $0.timestamp.descending }.limit(50))
    ///
    /// The values are the saved ones; no context is involved.
    ///
    /// - Parameter descriptor: The rows to fetch.
    /// - Throws: `CancellationError` if the task was cancelled, ``FetchError`` if the descriptor is invalid, or
    ///   ``StoreError`` if the store cannot be read.
    public func fetchValues<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>
    ) async throws -> [Model.Values] {
        try await reading { try $0.fetchValues(descriptor) }
    }

    /// Fetches the identifiers of the objects that match a descriptor, off the caller's thread.
    ///
    ///     let identifiers = try await container.fetchIdentifiers(Post.where { $0.isDraft })
    ///
    /// - Parameter descriptor: The objects to fetch.
    /// - Throws: `CancellationError` if the task was cancelled, ``FetchError`` if the descriptor is invalid, or
    ///   ``StoreError`` if the store cannot be read.
    public func fetchIdentifiers<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>
    ) async throws -> [PersistentIdentifier] {
        try await reading { try $0.fetchIdentifiers(descriptor) }
    }

    /// Returns the number of saved objects that match a descriptor, counted off the caller's thread.
    ///
    ///     let count = try await container.fetchCount(Post.where { $0.isDraft })
    ///
    /// - Parameter descriptor: The objects to count.
    /// - Throws: `CancellationError` if the task was cancelled, ``FetchError`` if the descriptor is invalid, or
    ///   ``StoreError`` if the store cannot be read.
    public func fetchCount<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) async throws -> Int {
        try await reading { try $0.fetchCount(descriptor) }
    }

    /// Fetches the values that a projection selects, off the caller's thread.
    ///
    ///     let rows: [(String, Int64)] = try await container.fetch(Post.all.select { ($0.title, $0.likes) })
    ///
    /// - Parameter projection: The values to fetch.
    /// - Throws: `CancellationError` if the task was cancelled, ``FetchError`` if the projection is invalid, or
    ///   ``StoreError`` if the store cannot be read.
    public func fetch<Model: PersistentModel, Output: Sendable>(
        _ projection: Projection<Model, Output>
    ) async throws -> [Output] {
        try await reading { try $0.fetch(projection) }
    }

    /// Calls a closure for each row that matches a descriptor, without copying texts and blobs, off the caller's
    /// thread.
    ///
    /// See ``ModelContext/forEachRow(_:_:)``.
    ///
    ///     try await container.forEachRow(Post.all) { row in
    ///         if try row.likes > 10 { print("popular") }
    ///     }
    ///
    /// - Parameters:
    ///   - descriptor: The rows and their order.
    ///   - body: The closure to call with each row, which is valid only during the call.
    /// - Throws: The closure's error, `CancellationError`, ``FetchError`` if the descriptor is invalid, or
    ///   ``StoreError`` if the store cannot be read or the closure reads an invalid value.
    public func forEachRow<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ body: @Sendable (borrowing RowView<Model.Values>) throws -> Void
    ) async throws {
        try await reading { try $0.forEachRow(descriptor, body) }
    }

    /// Returns the rows that match a descriptor as an asynchronous sequence of plain values.
    ///
    /// One batch is in memory at a time; see ``ModelContext/enumerateValues(_:batchSize:block:)``.
    ///
    ///     for try await post in container.values(Post.all) { print(post.title) }
    ///
    /// - Parameters:
    ///   - descriptor: The rows and their order.
    ///   - batchSize: The number of rows to read at a time.
    public func values<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int = 1000
    ) -> ValuesSequence<Model> {
        ValuesSequence(container: self, descriptor: descriptor, batchSize: batchSize)
    }

    /// Runs a closure with a new context, whose reads end when the task is cancelled.
    func reading<Result: Sendable>(
        _ body: @Sendable (ModelContext) throws -> Result
    ) async throws -> Result {
        let cancellation = FetchCancellation()
        return try await withTaskCancellationHandler {
            try await ContextQueue().run {
                let context = ModelContext(self)
                context.reading.cancellation = cancellation
                return try body(context)
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}

/// The rows of a fetch as an asynchronous sequence of plain values, read in batches.
///
/// ``ModelContainer/values(_:batchSize:)`` returns it. Iteration throws `CancellationError` if its task is cancelled,
/// ``FetchError/invalidBatchSize(_:)``, or ``StoreError`` if the store cannot be read.
///
///     for try await post in container.values(Post.all, batchSize: 500) { print(post.title) }
public struct ValuesSequence<Model: PersistentModel>: AsyncSequence, Sendable {
    fileprivate let container: ModelContainer
    fileprivate let descriptor: FetchDescriptor<Model>
    fileprivate let batchSize: Int

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// The iterator that reads the batches.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let sequence: ValuesSequence
        private var batches: RowBatches<Model>?
        /// The remaining values of the batch, the next one last.
        private var values: [Model.Values] = []
        private var isAtEnd = false

        fileprivate init(_ sequence: ValuesSequence) { self.sequence = sequence }

        /// Returns the values of the next row, or nil after the last one.
        ///
        /// - Throws: `CancellationError`, and the errors of ``ModelContainer/fetchValues(_:)``.
        public mutating func next() async throws -> Model.Values? {
            while values.isEmpty, !isAtEnd {
                let rows = try batches ?? RowBatches(sequence.descriptor, batchSize: sequence.batchSize)
                let read = try await sequence.container.reading { context in
                    var rows = rows
                    let rowIDs = try rows.next(context)
                    let values = try context.values(of: rowIDs, Model._ashlarEntity, as: Model.Values.self)
                    return (rows: rows, isAtEnd: rowIDs.isEmpty, values: values)
                }
                batches = read.rows
                isAtEnd = read.isAtEnd
                values = read.values.reversed()
            }
            return values.popLast()
        }
    }
}
