import AshlarSQLite
public import SystemFoundation

/// Changes of a store to be applied to another one: the present rows of the objects that a part of its history changed.
///
///     let changes = try container.changeset(.fetchHistory(after: token))
///     try other.apply(changes, author: "sync")
///     token = changes.token
///
/// The data is a *patchset* in the format of SQLite's session extension, which any program with the extension can
/// apply. An inserted row has all its values, an updated row the changed columns, and a deleted row its key.
/// ``ModelContainer/changeset(_:)`` creates one, and
/// ``ModelContainer/apply(_:author:conflictsWith:resolvingConflicts:)`` applies it.
///
/// Rows are identified by their `id$`. Copies of a store agree on these as long as only one of them inserts objects. If
/// both insert, give each a range with ``ModelContainer/setIdentifierRange(_:)``. Otherwise inserting a used number is
/// a ``ChangesetConflict/Kind/conflict``. Stores that exchange changes in both directions work as a primary and its
/// replicas; see ``ModelContainer/reconcile(_:author:resolvingConflicts:)``.
public struct Changeset: Sendable, Hashable, Codable {
    /// The changes in SQLite's format.
    public var data: Data
    /// The names of each table's columns, in the order of ``data``. The order of columns may differ between stores of
    /// one model. If names are missing, the store's own order applies.
    var columns: [String: [String]] = [:]
    /// The place in the store's history at which the changes end, and the next changeset begins.
    public internal(set) var token: PersistentHistoryToken?
    /// The place in the primary's history that the replica has reached; in an answer, had reached before it.
    var base: PersistentHistoryToken?
    /// In an answer: the place in the replica's history up to which the primary has received the changes.
    var answered: PersistentHistoryToken?

    /// Creates a changeset from data of another program.
    ///
    /// The tables must have their columns in the same order as those of the store that it is applied to.
    ///
    ///     let changeset = Changeset(data: Data())
    ///
    /// - Parameter data: A changeset or a patchset of SQLite's session extension.
    public init(data: Data) {
        self.data = data
    }

    /// Whether there are no changes.
    ///
    ///     if !changes.isEmpty { try await send(changes) }
    public var isEmpty: Bool { data.isEmpty }
}

/// An error of making or applying a changeset. The store is as it was.
///
///     do {
///         try container.apply(changes)
///     } catch ChangesetError.aborted(let conflict) {
///         print(conflict.table, conflict.kind)
///     }
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ChangesetError: Error, Sendable, Hashable {
    /// The data is not a changeset, from the given byte on.
    case malformed(offset: Int)
    /// The store has no such table, or one with other columns, because it has another model or another version.
    case otherTable(String)
    /// A conflict was resolved with ``ChangesetConflict/Resolution/abort``, the default.
    case aborted(ChangesetConflict)
    /// The conflict cannot be resolved with ``ChangesetConflict/Resolution/replace``.
    case cannotReplace(ChangesetConflict)
    /// The conflict cannot be resolved with ``ChangesetConflict/Resolution/merge(preferring:)``.
    ///
    /// It is not about unique values, or the other row belongs to another entity.
    case cannotMerge(ChangesetConflict)
    /// A row has an invalid identifier or entity, or refers to an invalid identifier.
    ///
    /// Identifiers are numbers from 1 to 2⁶².
    case invalidValue(table: String, column: String)
    /// A file with a large value cannot be read, for the given reason.
    case unreadableFile(URL, reason: String)
    /// Two objects cannot be merged, because one is missing or their entities differ.
    case notMergeable(PersistentIdentifier, PersistentIdentifier)
    /// The store is not a replica.
    ///
    /// Call ``ModelContainer/becomeReplica(identifiers:at:)``, or get the changes with
    /// ``ModelContainer/changeset(_:)``.
    case notReplica
    /// Another program changed the replica's records about its primary. Create the replica again from a copy.
    case damagedReplica
    /// The changeset does not come from ``ModelContainer/pendingChanges()`` of a replica or from its primary.
    case notOfReplica
    /// The replica changed since its pending changes were sent, or adopted another answer. Exchange the changes again.
    case changedMeanwhile
    /// The rows of an answer do not fit the replica, so it differed from its primary. Create the replica again from a
    /// copy.
    case diverged(table: String)
}

extension ChangesetError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let offset):
            "The changeset cannot be read from byte \(offset) on: it was cut off, or does not have SQLite's format."
        case .otherTable(let table):
            "The changeset has rows of \(table), which the store has not, or with other columns. Bring both stores to "
                + "the same version of the model."
        case .aborted(let conflict):
            "The changeset was not applied. \(conflict.description) Resolve such conflicts with a closure."
        case .cannotReplace(let conflict):
            "\(conflict.description) This cannot be resolved by replacing: omit the change, or abort."
        case .cannotMerge(let conflict):
            "\(conflict.description) This cannot be resolved by merging, which is for two objects of one entity that have "
                + "the same unique values: omit the change, or abort."
        case .invalidValue(let table, let column):
            "The changeset was not applied: it has a value in \(table).\(column) that no row may have. Identifiers are "
                + "numbers from 1 to \(IdentifierRange.limit), and entities those of the model."
        case .unreadableFile(let file, let reason):
            "The changeset was not made: a large value is in the file \(file.path), which cannot be read: \(reason). Put the "
                + "file back from a backup, or delete the object."
        case .notMergeable(let first, let second):
            "\(first) and \(second) cannot become one object: both must exist, and belong to one entity."
        case .notReplica:
            "The store is not a replica. Make it one with `becomeReplica(identifiers:)`, or use `changeset(_:)`."
        case .damagedReplica:
            "The store's record of its primary cannot be read. Make the replica again from a copy of the primary."
        case .notOfReplica:
            "The changeset was not made by a replica's `pendingChanges()` or a primary's `reconcile(_:)`."
        case .changedMeanwhile:
            "The replica was changed since its pending changes were taken. Nothing was adopted: exchange once more."
        case .diverged(let table):
            "The rows of \(table) in the answer do not fit the replica, which was not the same as its primary when it "
                + "began. Nothing was adopted: make the replica anew from a copy."
        }
    }
}

/// A change of a changeset that does not fit the store.
///
/// A closure resolves it when a changeset is applied.
///
///     try container.apply(changes, author: "sync") { conflict in
///         conflict.kind == .notFound ? .omit : .replace
///     }
public struct ChangesetConflict: Sendable, Hashable {
    /// The kind of a conflict. SQLite has constants such as `SQLITE_CHANGESET_DATA`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The row was changed in this store too, or another row has the reference of a one-to-one relationship.
        ///
        /// In the second case, ``ChangesetConflict/otherIdentifier`` is the other object.
        case data
        /// The row to update or delete does not exist.
        case notFound
        /// A row with the number of the inserted one exists.
        case conflict
        /// A constraint of the table refuses the values, usually because they must be unique.
        ///
        /// For a deletion, a relationship of a newer object denies it or requires the row.
        case constraint
        /// After all other changes, a row would refer to one that does not exist.
        case foreignKey
    }

    /// The operation of the changeset on the row.
    public enum Operation: Sendable, Hashable {
        /// The row is inserted, changed or deleted.
        case insert, update, delete
    }

    /// The resolution of a conflict.
    public enum Resolution: Sendable, Hashable {
        /// Keeps the store's row.
        ///
        /// An update is omitted in the columns that this store changed too, or whose values are taken. For a
        /// ``Kind/foreignKey`` and for a second reference of a one-to-one relationship, the reference becomes nil. If
        /// it is required, the row is deleted.
        case omit
        /// Applies the change to the existing row.
        ///
        /// It is possible for ``Kind/data``, ``Kind/conflict``, and a denied deletion.
        case replace
        /// Merges the row and the row that has its unique values into one object.
        ///
        /// The smaller number stays, references to the other follow, and the preferred values are kept. Missing values
        /// are taken from the other row. It is possible for a ``Kind/constraint`` with an
        /// ``ChangesetConflict/otherIdentifier`` of the same entity.
        case merge(preferring: Preference)
        /// Applies nothing, and throws ``ChangesetError/aborted(_:)``.
        case abort
    }

    /// The row whose values are kept when two rows are merged.
    public enum Preference: Sendable, Hashable {
        /// The row in the store.
        case stored
        /// The row in the changeset.
        case arriving
    }

    /// The kind of the conflict.
    public var kind: Kind
    /// The operation of the changeset on the row.
    public var operation: Operation
    /// The name of the row's table.
    public var table: String
    /// The object; nil for a pair of objects, and if the model has no such entity.
    public var identifier: PersistentIdentifier?
    /// The object that has the unique values or the reference of a one-to-one relationship; nil if there is none.
    public var otherIdentifier: PersistentIdentifier?
    /// The row's values in the changeset, by columns.
    public var values: [String: SQLiteValue]
    /// The row's values in the store, by columns; empty if the row does not exist.
    public var storedValues: [String: SQLiteValue]
}

extension ChangesetConflict {
    /// The resolution by which a primary applies changes in the order of their arrival.
    ///
    /// A later change of a property wins, and a deletion wins over a change. A new object with unique values of another
    /// one is merged with it, and the stored values are kept. A change to a value that another object has is omitted,
    /// and so is a denied deletion. None of these fails.
    ///
    ///     try container.apply(changes, author: "sync") { conflict in conflict.defaultResolution }
    public var defaultResolution: Resolution {
        switch kind {
        case .data, .conflict: .replace
        case .notFound, .foreignKey: .omit
        case .constraint:
            operation == .insert && otherIdentifier != nil && otherIdentifier?.entityName == identifier?.entityName
                ? .merge(preferring: .stored) : .omit
        }
    }
}

extension ChangesetConflict: CustomStringConvertible {
    public var description: String {
        let row = identifier.map { "row \($0.rowID)" } ?? "a row"
        return switch kind {
        case .data: "To \(operation) \(row) of \(table) conflicts with a change that this store made of it."
        case .notFound: "To \(operation) \(row) of \(table) is not possible, as it is not there."
        case .conflict: "To insert \(row) of \(table) is not possible, as there is one of this number."
        case .constraint where operation == .delete:
            "To delete \(row) of \(table) is not possible, as another object needs it."
        case .constraint: "To \(operation) \(row) of \(table) breaks a constraint, such as that values are unique."
        case .foreignKey: "\(row) of \(table) refers to a row that is not there."
        }
    }
}
