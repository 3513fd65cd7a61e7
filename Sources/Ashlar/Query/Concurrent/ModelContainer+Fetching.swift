import AshlarSQLite

/// Fetches off the caller's thread, of what may cross to it: values, identifiers and counts.
///
/// They see what is saved. When the task is cancelled, SQLite stops and `CancellationError` is thrown; the store stays
/// usable. Core Data's `NSAsynchronousFetchRequest`.
extension ModelContainer {
    /// The rows that a descriptor asks for as plain values.
    ///
    /// - Throws: `CancellationError`; ``StoreError`` when the store cannot be read.
    public func fetchValues<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>
    ) async throws -> [Model.Values] {
        try await reading { try $0.fetchValues(descriptor) }
    }

    /// The identifiers of the objects that a descriptor asks for.
    ///
    /// - Throws: `CancellationError`; ``StoreError`` when the store cannot be read.
    public func fetchIdentifiers<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>
    ) async throws -> [PersistentIdentifier] {
        try await reading { try $0.fetchIdentifiers(descriptor) }
    }

    /// The number of objects that a descriptor asks for.
    ///
    /// - Throws: `CancellationError`; ``StoreError`` when the store cannot be read.
    public func fetchCount<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) async throws -> Int {
        try await reading { try $0.fetchCount(descriptor) }
    }

    /// The values that a projection asks for.
    ///
    /// - Throws: `CancellationError`, ``FetchError``; ``StoreError`` when the store cannot be read.
    public func fetch<Model: PersistentModel, Output: Sendable>(
        _ projection: Projection<Model, Output>
    ) async throws -> [Output] {
        try await reading { try $0.fetch(projection) }
    }

    /// Lends a closure each row that a descriptor asks for, for one call; see ``ModelContext/forEachRow(_:_:)``.
    ///
    /// - Throws: What the closure throws; `CancellationError`, ``FetchError``; ``StoreError`` when the store cannot be read, or the
    ///   closure read a value that its type does not allow.
    public func forEachRow<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ body: @Sendable (borrowing LentRow<Model.Values>) throws -> Void
    ) async throws {
        try await reading { try $0.forEachRow(descriptor, body) }
    }

    /// The rows that a descriptor asks for as plain values, read a batch at a time as they are reached:
    /// `for try await post in container.values(Post.all)`.
    ///
    /// One batch is in memory at a time; see ``ModelContext/enumerateValues(_:batchSize:block:)``.
    public func values<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int = 1000
    ) -> ValuesSequence<Model> {
        ValuesSequence(container: self, descriptor: descriptor, batchSize: batchSize)
    }

    /// Runs a closure with a context of its own, whose reads end when the task is cancelled.
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

/// The rows of a fetch as plain values, read a batch at a time.
///
/// The loop throws `CancellationError` when its task is cancelled, ``FetchError/invalidBatchSize(_:)``, and ``StoreError``
/// when the store cannot be read.
public struct ValuesSequence<Model: PersistentModel>: AsyncSequence, Sendable {
    fileprivate let container: ModelContainer
    fileprivate let descriptor: FetchDescriptor<Model>
    fileprivate let batchSize: Int

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Reads batch after batch.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let sequence: ValuesSequence
        private var batches: RowBatches<Model>?
        /// The values that are left of the batch, the next one last.
        private var values: [Model.Values] = []
        private var isAtEnd = false

        fileprivate init(_ sequence: ValuesSequence) { self.sequence = sequence }

        /// The values of the next row; nil after the last one.
        ///
        /// - Throws: As ``ModelContainer/fetchValues(_:)``; `CancellationError`.
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
