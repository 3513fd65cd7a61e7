/// The identifiers of the objects that changed in a context, which can be sent to any task.
///
/// ``ModelContext/notifications(of:)`` and ``ModelContainer/saves()`` deliver notifications. Another context merges
/// them with ``ModelContext/mergeChanges(from:)``.
///
///     for await notification in container.saves() {
///         print(notification.insertedIdentifiers.count, "objects were inserted.")
///     }
public struct ContextNotification: Sendable, Hashable {
    /// The event that a notification reports.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A save is about to begin. Changes that an observer makes now are saved with it.
        case willSave
        /// A save was committed.
        case didSave
        /// Objects changed in memory: by the program, by an undo, or because another context saved them.
        case objectsDidChange
    }

    /// The event that the notification reports.
    public var kind: Kind
    /// The identifiers of inserted objects; after a save, the permanent ones.
    public var insertedIdentifiers: [PersistentIdentifier]
    /// The identifiers of changed objects.
    public var updatedIdentifiers: [PersistentIdentifier]
    /// The identifiers of deleted objects.
    public var deletedIdentifiers: [PersistentIdentifier]
    /// The identifiers of objects whose values were read from the store again.
    public var refreshedIdentifiers: [PersistentIdentifier]
    /// Whether the context discarded all its objects, as ``ModelContext/reset()`` does.
    public var invalidatedAllIdentifiers: Bool
    /// The ``ModelContext/author`` of the context at the time of the event.
    public var author: String?
    /// The changes of a batch operation that lists no individual rows; nil after a save.
    var batch: BatchChanges?
    /// The bits of the changed columns of updated objects, by the numbers of their root entities; all columns if a
    /// table is missing.
    var updatedColumns: [UInt16: UInt64] = [:]
    /// The rows whose derived values changed, by the numbers of their root entities.
    var derivedRows: [UInt16: Set<Int64>] = [:]

    init(
        kind: Kind, insertedIdentifiers: [PersistentIdentifier], updatedIdentifiers: [PersistentIdentifier],
        deletedIdentifiers: [PersistentIdentifier], refreshedIdentifiers: [PersistentIdentifier],
        invalidatedAllIdentifiers: Bool, author: String?, batch: BatchChanges? = nil
    ) {
        self.kind = kind
        self.insertedIdentifiers = insertedIdentifiers
        self.updatedIdentifiers = updatedIdentifiers
        self.deletedIdentifiers = deletedIdentifiers
        self.refreshedIdentifiers = refreshedIdentifiers
        self.invalidatedAllIdentifiers = invalidatedAllIdentifiers
        self.author = author
        self.batch = batch
    }

    /// Creates a notification of changes from elsewhere, to be merged into contexts.
    ///
    /// Use it for identifiers that another process sends, for example. Core Data's counterpart is
    /// `mergeChanges(fromRemoteContextSave:into:)`.
    ///
    ///     try context.mergeChanges(from: ContextNotification(updatedIdentifiers: [identifier]))
    ///
    /// - Parameters:
    ///   - insertedIdentifiers: The objects that were inserted.
    ///   - updatedIdentifiers: The objects that were changed.
    ///   - deletedIdentifiers: The objects that were deleted.
    public init(
        insertedIdentifiers: [PersistentIdentifier] = [], updatedIdentifiers: [PersistentIdentifier] = [],
        deletedIdentifiers: [PersistentIdentifier] = []
    ) {
        self.init(
            kind: .didSave, insertedIdentifiers: insertedIdentifiers, updatedIdentifiers: updatedIdentifiers,
            deletedIdentifiers: deletedIdentifiers, refreshedIdentifiers: [], invalidatedAllIdentifiers: false,
            author: nil)
    }

    /// All identifiers of the notification.
    public var identifiers: [PersistentIdentifier] {
        insertedIdentifiers + updatedIdentifiers + deletedIdentifiers + refreshedIdentifiers
    }

    /// The tables that were written, and the bits of their columns; all columns if rows were inserted or deleted.
    var writtenColumns: [UInt16: UInt64] {
        if let batch { return batch.writtenColumns }
        var columns: [UInt16: UInt64] = [:]
        for identifier in updatedIdentifiers {
            columns[identifier.number.root] = updatedColumns[identifier.number.root] ?? .max
        }
        for identifier in insertedIdentifiers + deletedIdentifiers + refreshedIdentifiers {
            columns[identifier.number.root] = .max
        }
        return columns
    }
}

/// The objects that changed in a context, for observers on the context's task or actor.
///
/// ``ModelContext/observe(_:_:)`` delivers it. For other tasks, ``ContextNotification`` has the identifiers.
///
///     let observation = context.observe(.objectsDidChange) { _, changes in
///         show(changes.updatedModels.compactMap { $0 as? Post })
///     }
public struct ContextChanges {
    var inserted: [ManagedObject] = []
    /// The objects that others inserted, if no observer needs them.
    var merged: [PersistentIdentifier] = []
    var updated: [ManagedObject] = []
    var deleted: [ManagedObject] = []
    var refreshed: [ManagedObject] = []
    /// Whether the context discarded all its objects, as ``ModelContext/reset()`` does.
    public internal(set) var invalidatedAll = false
    /// Whether relationships changed that have tables of their own.
    var hasLinkChanges = false
    /// The bits of the columns that changed in objects that were read again; all columns if an object is missing.
    var refreshedColumns: [ObjectIdentifier: UInt64] = [:]

    /// The inserted objects.
    ///
    /// Core Data's counterpart is `NSInsertedObjectsKey`.
    public var insertedModels: [any PersistentModel] { inserted.compactMap { $0 as? any PersistentModel } }
    /// The changed objects.
    ///
    /// Core Data's counterpart is `NSUpdatedObjectsKey`.
    public var updatedModels: [any PersistentModel] { updated.compactMap { $0 as? any PersistentModel } }
    /// The deleted objects, with their last values.
    ///
    /// Core Data's counterpart is `NSDeletedObjectsKey`.
    public var deletedModels: [any PersistentModel] { deleted.compactMap { $0 as? any PersistentModel } }
    /// The objects whose values were read from the store again.
    ///
    /// Core Data's counterpart is `NSRefreshedObjectsKey`.
    public var refreshedModels: [any PersistentModel] { refreshed.compactMap { $0 as? any PersistentModel } }

    var isEmpty: Bool {
        inserted.isEmpty && merged.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && !invalidatedAll
    }

    func notification(_ kind: ContextNotification.Kind, author: String?) -> ContextNotification {
        ContextNotification(
            kind: kind, insertedIdentifiers: inserted.map(\.identifier) + merged,
            updatedIdentifiers: updated.map(\.identifier), deletedIdentifiers: deleted.map(\.identifier),
            refreshedIdentifiers: refreshed.map(\.identifier), invalidatedAllIdentifiers: invalidatedAll,
            author: author)
    }
}

/// An observation of a context, which lasts until ``cancel()`` or until the context is released.
///
/// ``ModelContext/observe(_:_:)`` returns it.
///
///     let observation = context.observe(.didSave) { _, changes in print(changes.insertedModels.count) }
///     observation.cancel()
public final class ContextObservation {
    let kind: ContextNotification.Kind
    let handler: (ModelContext, ContextChanges) -> Void
    /// Valid until the context is released, which clears it. A weak reference would slow down all reference counting of
    /// the context, and a change counts several times. The same holds for ``ModelUndoManager``.
    private unowned(unsafe) var context: ModelContext?

    init(
        _ context: ModelContext, _ kind: ContextNotification.Kind,
        _ handler: @escaping (ModelContext, ContextChanges) -> Void
    ) {
        self.context = context
        self.kind = kind
        self.handler = handler
    }

    /// Ends the observation.
    public func cancel() {
        context?.remove(self)
    }

    /// Clears the reference, because the context is released or the observation ended.
    func forgetContext() { context = nil }
}
