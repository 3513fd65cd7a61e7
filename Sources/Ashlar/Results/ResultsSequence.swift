/// Results as asynchronous sequences, for those who need no more than the newest ones.
extension ModelContext {
    /// The objects that a descriptor asks for, now and after each change of them:
    /// `for try await posts in context.results(Post.order { $0.timestamp.descending }) { … }`.
    ///
    /// The loop runs where the context does; while it waits, others there may use the context. Unsaved changes count. What
    /// other contexts save counts where ``automaticallyMergesChangesFromParent`` is set, and what other processes commit.
    /// Results that come while the body of the loop runs are given as one. Each is told by the work that a
    /// ``FetchedResultsController`` does. The loop ends with its task.
    public func results<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) -> ResultsSequence<Model> {
        ResultsSequence(context: self, descriptor: descriptor)
    }
}

/// The objects of a fetch, now and after each change of them.
///
/// The loop throws what ``FetchedResultsController/performFetch()`` does.
public struct ResultsSequence<Model: PersistentModel>: AsyncSequence {
    let context: ModelContext
    let descriptor: FetchDescriptor<Model>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(Follower(descriptor, context)) }

    /// Waits for changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let follower: Follower
        private var wakes: AsyncStream<Void>.Iterator

        fileprivate init(_ follower: Follower) {
            self.follower = follower
            wakes = follower.signal.wakes.makeAsyncIterator()
        }

        /// The results as they are, at first; then waits until they changed. Nil once the task is cancelled.
        ///
        /// - Throws: As ``ModelContext/fetch(_:)->[Model]``.
        public mutating func next() async throws -> [Model]? { try await next(isolation: nil) }

        /// The results as they are, at first; then waits, where the context is used, until they changed. Nil once the task is
        /// cancelled.
        ///
        /// - Throws: As ``ModelContext/fetch(_:)->[Model]``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Model]? {
            if let first = try follower.first() { return first }
            while await wakes.next(isolation: actor) != nil {
                if let changed = try follower.changed() { return changed }
            }
            return nil
        }
    }

    /// Follows the results between two steps of a loop.
    fileprivate final class Follower: FetchedResultsControllerDelegate {
        typealias SectionName = Never

        let signal = ChangeSignal()
        private let controller: FetchedResultsController<Model, Never>
        private var hasBegun = false
        private var isChanged = false
        private var failure: (any Error)?

        init(_ descriptor: FetchDescriptor<Model>, _ context: ModelContext) {
            controller = FetchedResultsController(descriptor, in: context)
            controller.delegate = self
            context.container.hub.add(signal)
        }

        deinit { controller.modelContext.container.hub.remove(signal) }

        /// The results at the beginning of the loop, and nil afterwards.
        func first() throws -> [Model]? {
            if hasBegun { return nil }
            hasBegun = true
            try controller.performFetch()
            return controller.fetchedObjects
        }

        func changed() throws -> [Model]? {
            controller.modelContext.processPendingChanges()
            if let failure { throw failure }
            if !isChanged { return nil }
            isChanged = false
            return controller.fetchedObjects
        }

        func controllerDidChangeContent(_ controller: FetchedResultsController<Model, Never>) {
            isChanged = true
            signal.wake()
        }

        func controller(
            _ controller: FetchedResultsController<Model, Never>, didFailWith error: any Error
        ) {
            failure = error
            signal.wake()
        }
    }
}

extension ModelContainer {
    /// The rows that a descriptor asks for as plain values, now and after each commit that changes them, to be read on any
    /// task: `for try await posts in container.results(Post.order { $0.timestamp.descending }.limit(50)) { … }`.
    ///
    /// What is saved counts, by whichever context or process. The fetch is repeated after commits to its own table, and to
    /// columns of others that it looks at, and given where it has other values than before; commits that come while the
    /// body of the loop runs cost one fetch. The loop ends with its task.
    public func results<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) -> ValuesResultsSequence<Model> {
        ValuesResultsSequence(container: self, descriptor: descriptor)
    }
}

/// The rows of a fetch as plain values, now and after each commit that changes them.
///
/// The loop throws `CancellationError` when its task is cancelled during a fetch, ``FetchError``, and
/// ``StoreError`` when the store cannot be read.
public struct ValuesResultsSequence<Model: PersistentModel>: AsyncSequence, Sendable {
    fileprivate let container: ModelContainer
    fileprivate let descriptor: FetchDescriptor<Model>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Waits for commits.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let sequence: ValuesResultsSequence
        private let scope: ResultScope
        private let observation: Observation
        private var wakes: AsyncStream<Void>.Iterator
        private var last: [Model.Values]?

        fileprivate init(_ sequence: ValuesResultsSequence) {
            self.sequence = sequence
            scope = ResultScope(sequence.descriptor, sequence.container.model)
            observation = Observation(sequence.container)
            wakes = observation.signal.wakes.makeAsyncIterator()
        }

        /// The results as they are, at first; then waits until they changed. Nil once the task is cancelled.
        ///
        /// - Throws: As ``ModelContainer/fetchValues(_:)``.
        public mutating func next() async throws -> [Model.Values]? {
            if last == nil { return try await fetch() }
            while await wakes.next() != nil {
                guard observation.signal.take().concerns(scope) else { continue }
                let before = last
                let values: [Model.Values]
                do {
                    values = try await fetch()
                } catch StoreError.suspended {
                    // It is told when the store can be read.
                    continue
                }
                if values != before { return values }
            }
            return nil
        }

        private mutating func fetch() async throws -> [Model.Values] {
            let values = try await sequence.container.fetchValues(sequence.descriptor)
            last = values
            return values
        }
    }

    /// Has a signal told of commits, for as long as it lives.
    private final class Observation: Sendable {
        let signal = ChangeSignal()
        private let container: ModelContainer
        private let remoteChanges: RemoteChangeFlag?

        init(_ container: ModelContainer) {
            self.container = container
            container.hub.add(signal)
            remoteChanges =
                container.configuration.isStoredInMemoryOnly
                ? nil : RemoteChangeFlag(container) { [signal] in signal.noteUnknownChanges() }
        }

        deinit { container.hub.remove(signal) }
    }
}
