/// The objects of a fetch, of which a batch is loaded when one of its objects is asked for.
///
/// Which objects there are, and in which order, is decided by the fetch. An element is nil when its row was deleted since,
/// or could not be read; the context's next throwing call throws the error then. The few batches that were used last stay
/// in memory, so that a walk through a million objects does not. SwiftData's `FetchResultsCollection`, what Core Data
/// gives for `fetchBatchSize`.
public struct FetchResultsCollection<Model: PersistentModel>: RandomAccessCollection {
    private let batches: LoadedBatches<Model>

    init(_ context: ModelContext, _ rowIDs: [Int64], batchSize: Int, _ prefetched: [PrefetchedRelationship]) {
        batches = LoadedBatches(context, rowIDs, batchSize, prefetched)
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { batches.rowIDs.count }

    /// The object at a position. The first of a batch that is asked for costs one statement for all of it.
    public subscript(position: Int) -> Model? { batches.object(at: position) }
}

/// The batches of a result that are in memory.
private final class LoadedBatches<Model: PersistentModel> {
    /// How many batches are kept.
    private static var maximumCount: Int { 4 }

    let rowIDs: [Int64]
    private let context: ModelContext
    private let batchSize: Int
    private let prefetched: [PrefetchedRelationship]
    /// The objects that have no row yet, by their positions: their rowids change when they are saved.
    private let inserted: [Int: Model]
    /// The batches, by their numbers, the one that was used last at the end.
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
    /// The objects that a descriptor asks for, loaded in batches as they are reached. Their identifiers are fetched at
    /// once.
    ///
    /// Where the context has unsaved changes that matter, all objects are fetched once to find out which these are.
    ///
    /// - Throws: ``FetchError/invalidBatchSize(_:)``; ``StoreError`` when the store cannot be read.
    public func fetch<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int
    ) throws -> FetchResultsCollection<Model> {
        if batchSize < 1 { throw FetchError.invalidBatchSize(batchSize) }
        let rowIDs = try fetchIdentifiers(descriptor).map(\.rowID)
        return FetchResultsCollection(self, rowIDs, batchSize: batchSize, descriptor.prefetchedRelationships)
    }
}
