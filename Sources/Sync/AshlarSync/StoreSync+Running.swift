import Ashlar
import AshlarSQLite
import Foundation

extension StoreSync {
    /// Exchanges changes with the log until the task is cancelled or ``pause()`` is called.
    ///
    ///     let sync = try StoreSync(container, with: log)
    ///     Task { try await sync.run() }
    ///
    /// Saves are sent immediately, and changes of others are read as soon as the log reports them. If the log cannot be
    /// reached, the call retries after increasing delays; ``status`` gives the reason. It does the same if the log has
    /// a newer version of the model than the program.
    ///
    /// - Throws: Errors that a retry cannot resolve: ``SyncError``, `StoreError`, and a ``SyncLogError`` that is not
    ///   ``SyncLogError/isTransient``.
    public func run() async throws {
        isPaused = false
        let signal = Signal()
        let number = UUID()
        container.addCommitListener(number) { signal.set() }
        wake = { signal.set() }
        defer {
            container.removeCommitListener(number)
            wake = nil
            status.state = .idle
        }
        var delay = options.retryDelay.lowerBound
        // The head that the log announced last. It may announce entries that it does not have.
        var announced: Int64?
        while !isPaused, !Task.isCancelled {
            do {
                try await synchronize()
                if let told = announced {
                    if told > status.head ?? 0 {
                        throw SyncLogError.malformed(reason: "it announced the entry \(told), and does not have it")
                    }
                    delay = options.retryDelay.lowerBound
                }
                let start = ContinuousClock.now
                announced = try await waitForNews(signal)
                if ContinuousClock.now - start >= min(.seconds(1), options.longestWait / 2) {
                    delay = options.retryDelay.lowerBound
                } else if let told = announced, told <= status.head ?? 0 {
                    throw SyncLogError.malformed(reason: "it did not wait, and has nothing new")
                }
            } catch is CancellationError {
                if Task.isCancelled { return }
            } catch let error where Self.mayPass(error) {
                status.state = .waiting(reason: "\(error)")
                announced = nil
                try? await Task.sleep(for: delay)
                delay = min(delay * 2, options.retryDelay.upperBound)
            }
        }
    }

    /// Ends ``run()`` after the current exchange. Later saves are kept, and sent when it runs again.
    ///
    ///     await sync.pause()
    public func pause() {
        isPaused = true
        wake?()
    }

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as SyncLogError: error.isTransient
        case SyncError.newerModelVersion, SyncError.olderModelVersion, SyncError.overtaken, SyncError.unwritableFile:
            true
        case is SyncError, is StoreError, is HistoryError, is ChangesetError: false
        default: true
        }
    }

    /// Waits until something was saved here, or the log has something new.
    ///
    /// - Returns: The head that the log announced; nil if it announced none.
    private func waitForNews(_ signal: Signal) async throws -> Int64? {
        guard !isPaused, let head = status.head else { return nil }
        let (log, longest) = (log, options.longestWait)
        return try await withThrowingTaskGroup(of: Int64?.self) { group in
            group.addTask {
                await signal.wait()
                return nil
            }
            group.addTask { try await log.waitForEntries(after: head, atMost: longest) }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    // MARK: Events

    /// Returns the changes that could not be kept as they were saved: first those in the store, and then new ones.
    ///
    ///     for await event in try await sync.events() { print(event) }
    ///
    /// An event is returned again after the next start, until ``removeEvents(through:)`` removes it.
    ///
    /// - Throws: `StoreError` if the store cannot be read.
    public func events() throws -> AsyncStream<SyncEvent> {
        let (stream, continuation) = AsyncStream<SyncEvent>.makeStream()
        for event in try keptEvents() { continuation.yield(event) }
        let number = UUID()
        listeners[number] = continuation
        continuation.onTermination = { _ in Task { await self.removeListener(number) } }
        return stream
    }

    /// Returns the events in the store, the oldest first.
    ///
    ///     for event in try await sync.keptEvents() { print(event) }
    ///
    /// - Throws: `StoreError` if the store cannot be read.
    public func keptEvents() throws -> [SyncEvent] {
        try container.readRows("reading events") { try SyncEvent.all($0) }
    }

    /// Removes the events up to a number from the store.
    ///
    ///     if let last = try await sync.keptEvents().last { try await sync.removeEvents(through: last.number) }
    ///
    /// - Parameter number: The number of the last event to remove.
    /// - Throws: `StoreError` if the store cannot be written.
    public func removeEvents(through number: Int64) throws {
        try container.writeTables("removing events") {
            try $0.run("DELETE FROM \"ashlar$syncEvent\" WHERE \"number\" <= ?1", [.integer(number)])
        }
    }

    private func removeListener(_ number: UUID) { listeners[number] = nil }

    func tell(_ events: [SyncEvent]) {
        for listener in listeners.values { for event in events { listener.yield(event) } }
    }
}

extension SyncEvent {
    /// Keeps events in the store, and gives them their numbers.
    static func keep(_ events: [SyncEvent], _ connection: Connection) throws -> [SyncEvent] {
        var kept: [SyncEvent] = []
        for var event in events {
            try connection.run(
                "INSERT INTO \"ashlar$syncEvent\" (\"event\") VALUES (?1)", [.blob(try JSONEncoder().encode(event))])
            event.number = try connection.integer("SELECT last_insert_rowid()") ?? 0
            kept.append(event)
        }
        return kept
    }

    static func all(_ connection: Connection) throws -> [SyncEvent] {
        let rows = try connection.rows("SELECT \"number\", \"event\" FROM \"ashlar$syncEvent\" ORDER BY \"number\"")
        return try rows.map { row in
            guard case .blob(let bytes) = row[1], var event = try? JSONDecoder().decode(SyncEvent.self, from: bytes)
            else {
                throw SyncError.damaged
            }
            event.number = row[0].storedInteger
            return event
        }
    }
}
