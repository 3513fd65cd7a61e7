/// What a context tells those who observe it, by identifiers, so that it may cross to any task.
public struct ContextNotification: Sendable, Hashable {
    /// The occasions at which a context tells of its changes.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A save is about to begin; what an observer changes now is saved with it.
        case willSave
        /// A save is committed.
        case didSave
        /// Objects changed in memory: by the program, by an undo, or because another context saved them.
        case objectsDidChange
    }

    /// What it tells of.
    public var kind: Kind
    /// Objects that were inserted; after a save, by their new identifiers.
    public var insertedIdentifiers: [PersistentIdentifier]
    /// Objects that were changed.
    public var updatedIdentifiers: [PersistentIdentifier]
    /// Objects that were deleted.
    public var deletedIdentifiers: [PersistentIdentifier]
    /// Objects that have other values than before, because they were read anew.
    public var refreshedIdentifiers: [PersistentIdentifier]
    /// Whether the context forgot all its objects.
    public var invalidatedAllIdentifiers: Bool
    /// The context's ``ModelContext/author`` at that time.
    public var author: String?
    /// What a batch operation did whose rows are not known one by one; nil after a save.
    var batch: BatchChanges?
    /// The bits of the columns that updated objects of a table have other values in, by the numbers of their root
    /// entities; all columns where a table is not mentioned.
    var updatedColumns: [UInt16: UInt64] = [:]
    /// Rows in which the store derived values anew, by the numbers of their root entities.
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

    /// Makes a notification of what somebody else saved, for ``ModelContext/mergeChanges(from:)``: of the identifiers
    /// that another process sends, say. Core Data's `mergeChanges(fromRemoteContextSave:into:)`.
    public init(
        insertedIdentifiers: [PersistentIdentifier] = [], updatedIdentifiers: [PersistentIdentifier] = [],
        deletedIdentifiers: [PersistentIdentifier] = []
    ) {
        self.init(
            kind: .didSave, insertedIdentifiers: insertedIdentifiers, updatedIdentifiers: updatedIdentifiers,
            deletedIdentifiers: deletedIdentifiers, refreshedIdentifiers: [], invalidatedAllIdentifiers: false,
            author: nil)
    }

    /// All identifiers.
    public var identifiers: [PersistentIdentifier] {
        insertedIdentifiers + updatedIdentifiers + deletedIdentifiers + refreshedIdentifiers
    }

    /// The tables that were written, and the bits of their columns; all where rows came or went.
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

/// What changed in a context, as the objects themselves, for observers that run where the context does.
public struct ContextChanges {
    var inserted: [ManagedObject] = []
    /// What others inserted, where nobody asks for the objects.
    var merged: [PersistentIdentifier] = []
    var updated: [ManagedObject] = []
    var deleted: [ManagedObject] = []
    var refreshed: [ManagedObject] = []
    /// Whether the context forgot all its objects.
    public internal(set) var invalidatedAll = false
    /// Whether relationships changed that have tables of their own.
    var hasLinkChanges = false
    /// The bits of the columns in which objects that were read anew have other values; all where one is not mentioned.
    var refreshedColumns: [ObjectIdentifier: UInt64] = [:]

    /// Objects that were inserted. Core Data's `NSInsertedObjectsKey`.
    public var insertedModels: [any PersistentModel] { inserted.compactMap { $0 as? any PersistentModel } }
    /// Objects that were changed. Core Data's `NSUpdatedObjectsKey`.
    public var updatedModels: [any PersistentModel] { updated.compactMap { $0 as? any PersistentModel } }
    /// Objects that were deleted, with their last values. Core Data's `NSDeletedObjectsKey`.
    public var deletedModels: [any PersistentModel] { deleted.compactMap { $0 as? any PersistentModel } }
    /// Objects that have other values than before, because they were read anew.
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

/// An observer of a context, which it observes until ``cancel()`` is called or the context goes.
public final class ContextObservation {
    let kind: ContextNotification.Kind
    let handler: (ModelContext, ContextChanges) -> Void
    /// Until the context goes. A weak reference would have each count of the context's references take a longer way, and a change
    /// counts several; the like holds for ``ModelUndoManager``.
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

    /// The context goes, or the observation ended.
    func forgetContext() { context = nil }
}
