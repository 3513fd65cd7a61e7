/// Results as asynchronous sequences, for code that needs only the newest results.
extension ModelContext {
    /// Returns the objects that match a descriptor, now and after each change, as an asynchronous sequence.
    ///
    ///     for try await posts in context.results(Post.order { $0.timestamp.descending }) { show(posts) }
    ///
    /// The loop runs on the context's task or actor, and others there may use the context while it waits. The results
    /// include unsaved changes, commits of other processes, and saves of other contexts if
    /// ``automaticallyMergesChangesFromParent`` is set. Changes during the loop's body are combined. An update takes
    /// the same work as in a ``FetchedResultsController``. The sequence ends when its task is cancelled.
    ///
    /// - Parameter descriptor: The objects and their order.
    public func results<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) -> ResultsSequence<Model> {
        ResultsSequence(context: self, descriptor: descriptor)
    }
}

/// The objects of a fetch, now and after each change, as an asynchronous sequence.
///
/// ``ModelContext/results(_:)`` returns it. Iteration throws the errors of ``FetchedResultsController/performFetch()``.
///
///     for try await posts in context.results(Post.where { $0.isDraft }) { print(posts.count) }
public struct ResultsSequence<Model: PersistentModel>: AsyncSequence {
    let context: ModelContext
    let descriptor: FetchDescriptor<Model>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(Follower(descriptor, context)) }

    /// The iterator that waits for changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let follower: Follower
        private var wakes: AsyncStream<Void>.Iterator

        fileprivate init(_ follower: Follower) {
            self.follower = follower
            wakes = follower.signal.wakes.makeAsyncIterator()
        }

        /// Returns the current results at first, and then the next ones after a change. Returns nil once the task is
        /// cancelled.
        ///
        /// - Throws: The errors of ``ModelContext/fetch(_:)->[Model]``.
        public mutating func next() async throws -> [Model]? { try await next(isolation: nil) }

        /// Returns the current results at first, and then, on the given actor, the next ones after a change.
        ///
        /// Returns nil once the task is cancelled.
        ///
        /// - Parameter actor: The actor of the context.
        /// - Throws: The errors of ``ModelContext/fetch(_:)->[Model]``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Model]? {
            if let first = try follower.first() { return first }
            while await wakes.next(isolation: actor) != nil {
                if let changed = try follower.changed() { return changed }
            }
            return nil
        }
    }

    /// Follows the results between two iterations of a loop.
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

        /// Returns the results at the beginning of the loop, and nil afterwards.
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
    /// Returns the rows that match a descriptor, now and after each commit that changes them, as plain values.
    ///
    /// Any task may read the sequence.
    ///
    ///     for try await posts in container.results(Post.order { $0.timestamp.descending }.limit(50)) {
    ///         print(posts.map(\.title))
    ///     }
    ///
    /// The results are the saved values, whichever context or process saved them. The fetch is repeated after commits
    /// to its table, and to columns of other tables that it uses. A result is delivered if it differs from the last
    /// one. Commits during the loop's body are combined. The sequence ends when its task is cancelled.
    ///
    /// - Parameter descriptor: The rows and their order.
    public func results<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) -> ValuesResultsSequence<Model> {
        ValuesResultsSequence(container: self, descriptor: descriptor)
    }
}

/// The rows of a fetch as plain values, now and after each commit that changes them.
///
/// ``ModelContainer/results(_:)`` returns it. Iteration throws `CancellationError` if its task is cancelled during a
/// fetch, ``FetchError``, or ``StoreError`` if the store cannot be read.
///
///     for try await authors in container.results(Author.all) { print(authors.count) }
public struct ValuesResultsSequence<Model: PersistentModel>: AsyncSequence, Sendable {
    fileprivate let container: ModelContainer
    fileprivate let descriptor: FetchDescriptor<Model>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// The iterator that waits for commits.
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

        /// Returns the current results at first, and then the next ones after a change. Returns nil once the task is
        /// cancelled.
        ///
        /// - Throws: The errors of ``ModelContainer/fetchValues(_:)``.
        public mutating func next() async throws -> [Model.Values]? {
            if last == nil { return try await fetch() }
            while await wakes.next() != nil {
                guard observation.signal.take().concerns(scope) else { continue }
                let before = last
                let values: [Model.Values]
                do {
                    values = try await fetch()
                } catch StoreError.suspended {
                    // The signal comes again when the store can be read.
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

    /// An observation that makes a signal report commits for as long as it exists.
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
