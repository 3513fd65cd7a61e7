import AshlarSQLite
import SystemFoundation

/// The writes of a context while ``ModelContext/transaction(_:)`` runs its closure: one SQLite transaction that begins
/// with the first part that writes.
///
/// Until then, others may write too. Afterwards the closure owns the writing connection, and reads through it to see
/// its own writes. A failed part, a save or a batch, is undone by itself; the caller may catch its error and continue.
final class ContextTransaction {
    private let container: ModelContainer
    private var writing: ConnectionPool.Writing?
    /// The locked stores, by their names on the connection.
    private var lockedStores: Set<String> = []
    /// Whether derived changes were recorded before. A rollback restores the temporary triggers of that time.
    private var notedDerivedChanges = false
    /// The tables whose rows may have been changed.
    private(set) var writtenRoots: Set<UInt16> = []
    /// The notifications to send after the commit.
    private var notices: [() -> Void] = []
    /// The error that made SQLite undo everything, if it did.
    private var failure: (any Error)?

    init(_ container: ModelContainer) { self.container = container }

    /// The connection that has written; nil before the first write.
    var connection: Connection? { writing?.connection }

    /// Runs a closure with the connection that writes.
    func write<Result>(
        to url: URL?, _ cancellation: FetchCancellation?, _ body: (Connection) throws -> Result
    ) throws -> Result {
        // SQLite undid the earlier parts, so later ones must not be kept.
        if let failure { throw failure }
        if writing == nil {
            let writing = try container.pool.beginWriting(to: url, cancellation: cancellation)
            notedDerivedChanges = writing.connection.state.notesDerivedChanges
            self.writing = writing
        }
        return try container.pool.sayingWhoWrites(url) {
            let connection = writing.unsafelyUnwrapped.connection
            return try connection.uninterrupted { try body(connection) }
        }
    }

    /// Runs a part of the transaction, which is kept or undone as a whole.
    ///
    /// - Parameters:
    ///   - stores: The stores that it writes. No other process can write them from now on.
    ///   - roots: The tables whose rows it may change.
    func part<Result>(
        writing stores: [PersistentStore], _ roots: some Sequence<UInt16>, _ connection: Connection,
        _ body: () throws -> Result
    ) throws -> Result {
        for store in stores where !lockedStores.contains(store.schemaName) {
            if lockedStores.isEmpty {
                try connection.begin(writing: store.schemaName)
            } else {
                try connection.join(store)
            }
            lockedStores.insert(store.schemaName)
        }
        let marks = connection.externalDataMarks
        let noted = connection.state.notesDerivedChanges
        try connection.execute("SAVEPOINT \"ashlar$part\"")
        do {
            let result = try body()
            try connection.execute("RELEASE \"ashlar$part\"")
            writtenRoots.formUnion(roots)
            return result
        } catch {
            if connection.isInAutocommit {
                // Some errors, such as a full disk, end the entire transaction.
                failure = error
                undone(connection, isCertain: true)
            } else {
                try connection.execute("ROLLBACK TO \"ashlar$part\"")
                try connection.execute("RELEASE \"ashlar$part\"")
                connection.rollBackExternalData(to: marks)
                connection.state.notesDerivedChanges = noted
            }
            throw error
        }
    }

    /// Schedules a notification for after the commit.
    func whenCommitted(_ notice: @escaping () -> Void) { notices.append(notice) }

    // MARK: The end

    /// Commits the writes, if there are any.
    func commit() throws {
        if let failure { throw failure }
        guard let connection, !lockedStores.isEmpty else { return release() }
        var isCommitting = false
        do {
            try connection.forEachExternalData { try $0.synchronize() }
            isCommitting = true
            try connection.execute("COMMIT")
        } catch {
            let isOpen = !connection.isInAutocommit
            defer { undone(connection, isCertain: isOpen || !isCommitting) }
            try connection.rollBack()
            throw error
        }
        connection.forEachExternalData { $0.finish(connection) }
        connection.historyDidCommit()
        release()
        for notice in notices { notice() }
        notices = []
    }

    /// Undoes all writes.
    func rollBack() throws {
        guard let connection else { return }
        defer { undone(connection, isCertain: true) }
        if !lockedStores.isEmpty { try connection.rollBack() }
    }

    private func undone(_ connection: Connection, isCertain: Bool) {
        connection.forEachExternalData { $0.rollBack(isCertain: isCertain) }
        connection.state.notesDerivedChanges = notedDerivedChanges
        notices = []
        release()
    }

    private func release() {
        writing?.end()
        writing = nil
        lockedStores = []
    }
}

extension Connection {
    /// The positions in each store's list of files that the transaction wrote and replaced.
    fileprivate var externalDataMarks: [ExternalDataWriter.Mark] {
        var marks: [ExternalDataWriter.Mark] = []
        forEachExternalData { marks.append($0.place) }
        return marks
    }

    /// Undoes the writing of files after the marks.
    fileprivate func rollBackExternalData(to marks: [ExternalDataWriter.Mark]) {
        var rest = marks[...]
        forEachExternalData { writer in
            if let mark = rest.popFirst() { writer.rollBack(to: mark) }
        }
    }

    /// Whether rows refer to missing rows, so that the commit would fail.
    var hasBrokenReferences: Bool {
        // If the check fails, the commit reports broken references.
        (try? hasUnmetReferences()) ?? false
    }
}

extension ModelContext {
    /// Runs a closure with the connection that writes the stores: that of the present transaction, if there is one.
    func write<Result>(to url: URL? = nil, _ body: (Connection) throws -> Result) throws -> Result {
        guard let transaction = currentTransaction else {
            return try container.pool.write(to: url, cancellation: reading.cancellation, body)
        }
        return try transaction.write(to: url, reading.cancellation, body)
    }

    /// The transaction whose closure is running, in this context or in one above it.
    var currentTransaction: ContextTransaction? { activity.transaction ?? parent?.currentTransaction }

    /// Notifies other contexts of committed changes, now or after the commit.
    func post(_ notification: ContextNotification) {
        let (hub, inbox) = (container.hub, subscription.inbox)
        guard let transaction = currentTransaction else { return hub.post(notification, from: inbox) }
        transaction.whenCommitted { hub.post(notification, from: inbox) }
    }

    /// Runs a closure and saves its changes in one transaction. If either fails, all of its effects are undone.
    ///
    /// Use it to combine several saves and batch operations so that all of them are committed, or none.
    ///
    ///     try context.transaction {
    ///         context.insert(Post(timestamp: .now, title: "first"))
    ///         try context.save()
    ///         try context.batchUpdate(Post.all) { $0.isRead = true }
    ///     }
    ///
    /// Others see the result only after the commit. From the closure's first write on, no one else can write the store,
    /// so the closure should not wait for anything. A failed part is undone by itself; if the closure catches the
    /// error, it may continue. A transaction within another one becomes part of it.
    ///
    /// Earlier unsaved changes are saved, or discarded, with the closure's. After an error, objects have the values of
    /// the store, and objects that the closure saved as new leave the context. Fetch objects again that it deleted and
    /// saved, or deleted by a batch. SwiftData's counterpart is `transaction(block:)`.
    ///
    /// - Parameter body: The changes to make.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, the errors of ``save()``, or ``SaveError/sqlite(_:)`` if the commit fails.
    @discardableResult
    public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        if currentTransaction != nil { return try body() }
        let transaction = ContextTransaction(container)
        // A child reads through its outermost parent.
        var outermost = self
        while let parent = outermost.parent { outermost = parent }
        outermost.activity.transaction = transaction
        do {
            let result = try body()
            if transaction.connection == nil {
                // Nothing was written yet, so the save is a separate transaction.
                outermost.activity.transaction = nil
                try transaction.commit()
                try save()
            } else {
                try save()
                try commit(transaction)
                outermost.activity.transaction = nil
            }
            return result
        } catch {
            outermost.activity.transaction = nil
            undo(transaction)
            throw error
        }
    }

    private func commit(_ transaction: ContextTransaction) throws {
        let connection = transaction.connection
        do {
            try transaction.commit()
        } catch let error as SQLiteError {
            if let suspended = container.pool.suspensionError(error, of: connection) { throw suspended }
            throw SaveError.sqlite(error)
        }
    }

    /// Discards pending changes, and restores the store's values of objects that the transaction wrote.
    private func undo(_ transaction: ContextTransaction) {
        do {
            try transaction.rollBack()
        } catch {
            errors.note(error)
        }
        rollback()
        guard let root = transaction.writtenRoots.first else { return }
        let number = container.model.entity(root).number
        mergeOwn(
            BatchChanges(kind: .update, entity: number, count: 1, roots: transaction.writtenRoots, identifiers: nil))
    }
}
