/// The results of a fetch as a collection that loads its objects in batches.
///
/// Use it to show long lists without loading all objects. The fetch decides which objects there are and their order. An
/// element is nil if its row was deleted since, or cannot be read; the context's next throwing call throws the error.
/// Only the most recently used batches stay in memory.
///
///     let posts = try context.fetch(Post.order { $0.timestamp.descending }, batchSize: 50)
///     for post in posts { print(post?.title ?? "deleted") }
///
/// The counterparts are SwiftData's `FetchResultsCollection` and Core Data's `fetchBatchSize`.
public struct FetchResultsCollection<Model: PersistentModel>: RandomAccessCollection {
    private let batches: LoadedBatches<Model>

    init(_ context: ModelContext, _ rowIDs: [Int64], batchSize: Int, _ prefetched: [PrefetchedRelationship]) {
        batches = LoadedBatches(context, rowIDs, batchSize, prefetched)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { batches.rowIDs.count }

    /// The object at a position, or nil if its row was deleted or cannot be read.
    ///
    /// - Complexity: The first access to a batch takes one statement for all of its objects.
    public subscript(position: Int) -> Model? { batches.object(at: position) }
}

/// The loaded batches of a result.
private final class LoadedBatches<Model: PersistentModel> {
    /// The maximum number of batches to keep.
    private static var maximumCount: Int { 4 }

    let rowIDs: [Int64]
    private let context: ModelContext
    private let batchSize: Int
    private let prefetched: [PrefetchedRelationship]
    /// The objects without a row, by their positions. Their rowids change when they are saved.
    private let inserted: [Int: Model]
    /// The batches with their numbers, the most recently used one last.
    private var loaded: [(number: Int, objects: [Model?])] = []

    init(_ context: ModelContext, _ rowIDs: [Int64], _ batchSize: Int, _ prefetched: [PrefetchedRelationship]) {
        self.context = context
        self.rowIDs = rowIDs
        self.batchSize = batchSize
        self.prefetched = prefetched
        let map = context.registry.map(for: Model._ashlarEntity.number.root)
        var inserted: [Int: Model] = [:]
        for (position, rowID) in rowIDs.enumerated() where rowID < 0 { inserted[position] = map[rowID] as? Model }
        self.inserted = inserted
    }

    func object(at position: Int) -> Model? {
        precondition(rowIDs.indices.contains(position), "The result has no object at \(position).")
        let number = position / batchSize
        if inserted[position] == nil, loaded.last?.number != number { use(number) }
        guard let object = inserted[position] ?? loaded.last?.objects[position % batchSize] else { return nil }
        return object.record.state == .deleted || object.record.state == .gone ? nil : object
    }

    private func use(_ number: Int) {
        if let index = loaded.firstIndex(where: { $0.number == number }) {
            loaded.append(loaded.remove(at: index))
            return
        }
        let range = number * batchSize..<Swift.min((number + 1) * batchSize, rowIDs.count)
        do {
            let objects = try context.objects(of: Array(rowIDs[range]), as: Model.self)
            try context.prefetch(prefetched, of: objects.compactMap(\.self))
            loaded.append((number, objects))
        } catch {
            context.errors.note(error)
            loaded.append((number, range.map { _ in nil }))
        }
        if loaded.count > Self.maximumCount { loaded.removeFirst() }
    }
}

extension ModelContext {
    /// Fetches objects in batches, which are loaded as they are reached.
    ///
    /// The identifiers of all objects are fetched at once. If the context has relevant unsaved changes, all objects are
    /// fetched once.
    ///
    ///     let posts = try context.fetch(Post.order { $0.timestamp.descending }, batchSize: 50)
    ///
    /// - Parameters:
    ///   - descriptor: The objects to fetch.
    ///   - batchSize: The number of objects to load at a time.
    /// - Throws: ``FetchError/invalidBatchSize(_:)`` if the size is not positive, or ``StoreError`` if the store cannot
    ///   be read.
    public func fetch<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int
    ) throws -> FetchResultsCollection<Model> {
        if batchSize < 1 { throw FetchError.invalidBatchSize(batchSize) }
        let rowIDs = try fetchIdentifiers(descriptor).map(\.rowID)
        return FetchResultsCollection(self, rowIDs, batchSize: batchSize, descriptor.prefetchedRelationships)
    }
}
