import AshlarSQLite
public import SystemFoundation

/// Changes of a store that can be carried to another one: the rows that a part of a store's history concerns, as they are
/// now.
///
/// The bytes are a *patchset* in the format of SQLite's session extension, which any program that has the extension can
/// apply. A row that was inserted is there with all its values, one that was updated with those of the changed columns,
/// one that was deleted with its key. Make one with ``ModelContainer/changeset(_:)``, apply it with
/// ``ModelContainer/apply(_:author:conflictsWith:resolvingConflicts:)``.
///
/// Rows are known by their `id$`. Two stores that were copies of each other, and of which one inserts objects only, agree
/// on these for good. Where both insert, each gives the same numbers to other objects: an insertion of a number that
/// is taken is a ``ChangesetConflict/Kind/conflict``. Give each store a range of its own with
/// ``ModelContainer/setIdentifierRange(_:)`` then. Stores that exchange changes in both directions do it as a primary and
/// its replicas, see ``ModelContainer/reconcile(_:author:resolvingConflicts:)``.
public struct Changeset: Sendable, Hashable, Codable {
    /// The bytes, in SQLite's format.
    public var data: Data
    /// The names of the columns of each table, in the order that the bytes have them. The order of columns may differ
    /// between stores of one model. Where names are missing, it is taken to be the store's own.
    var columns: [String: [String]] = [:]
    /// The place in the history of the store that the changes reach to: the next changeset begins there.
    public internal(set) var token: PersistentHistoryToken?
    /// The place in the history of the primary that a replica has; in an answer, had before it.
    var base: PersistentHistoryToken?
    /// In an answer: the place in the history of the replica up to which the primary has its changes.
    var answered: PersistentHistoryToken?

    /// Makes a changeset of bytes that another program made, of a store whose tables have their columns in the same
    /// order as those of the store that it will be applied to.
    ///
    /// - Parameter data: A changeset or a patchset of SQLite's session extension.
    public init(data: Data) {
        self.data = data
    }

    /// Whether nothing was changed.
    public var isEmpty: Bool { data.isEmpty }
}

/// Why a changeset could not be applied; the store is as it was then.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ChangesetError: Error, Sendable, Hashable {
    /// The bytes are no changeset, from some byte on.
    case malformed(offset: Int)
    /// The store has no such table, or one with other columns: it is of another model, or another version of it.
    case otherTable(String)
    /// A conflict was resolved with ``ChangesetConflict/Resolution/abort``, which is also what happens where nobody
    /// resolves it.
    case aborted(ChangesetConflict)
    /// A conflict of a kind that cannot be resolved with ``ChangesetConflict/Resolution/replace``.
    case cannotReplace(ChangesetConflict)
    /// A conflict that cannot be resolved with ``ChangesetConflict/Resolution/merge(preferring:)``: it is not about values
    /// that must be unique, or the row that has them is of another entity.
    case cannotMerge(ChangesetConflict)
    /// A row has an identifier that no row may have, or refers to one, or is of an entity that the model lacks.
    /// Identifiers are numbers from 1 to 2⁶².
    case invalidValue(table: String, column: String)
    /// A file beside the store that a value is kept in cannot be read, for the reason that is given.
    case unreadableFile(URL, reason: String)
    /// Two objects cannot be one: one is missing, or they are of different entities.
    case notMergeable(PersistentIdentifier, PersistentIdentifier)
    /// The store is no replica: call ``ModelContainer/becomeReplica(identifiers:at:)``, or take a changeset of its changes
    /// with ``ModelContainer/changeset(_:)``.
    case notReplica
    /// What the store knows of its primary was altered by something else than Ashlar: make the replica anew from a copy.
    case damagedReplica
    /// A changeset is not what ``ModelContainer/pendingChanges()`` of a replica, or its primary's answer to it, gave.
    case notOfReplica
    /// Something was saved in a replica since it asked for its pending changes, or another answer was adopted. Nothing was
    /// adopted: exchange once more.
    case changedMeanwhile
    /// The rows of an answer do not fit the replica, which therefore was not the same as the primary where it began: make
    /// it anew from a copy.
    case diverged(table: String)
}

extension ChangesetError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let offset):
            "The changeset cannot be read from byte \(offset) on: it was cut off, or is none of SQLite's format."
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
            "\(first) and \(second) cannot become one object: both must be there, and of one entity."
        case .notReplica:
            "The store is no replica. Make it one with `becomeReplica(identifiers:)`, or use `changeset(_:)`."
        case .damagedReplica:
            "What the store knows of its primary cannot be read. Make the replica anew from a copy of the primary."
        case .notOfReplica:
            "The changeset is none that a replica's `pendingChanges()` or a primary's `reconcile(_:)` gave."
        case .changedMeanwhile:
            "The replica was changed since its pending changes were taken. Nothing was adopted: exchange once more."
        case .diverged(let table):
            "The rows of \(table) in the answer do not fit the replica, which was not the same as its primary when it "
                + "began. Nothing was adopted: make the replica anew from a copy."
        }
    }
}

/// A change of a changeset that does not fit the store that it is applied to.
public struct ChangesetConflict: Sendable, Hashable {
    /// What does not fit. SQLite's `SQLITE_CHANGESET_DATA` and so on.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The row was changed in this store too; or an object that can be referred to once only is referred to by
        /// another row, which is the ``ChangesetConflict/otherIdentifier`` then.
        case data
        /// The row that was updated or deleted is not there.
        case notFound
        /// A row with the number of the one that was inserted is there.
        case conflict
        /// A constraint of the table refuses the values: they must be unique, and are not. Of a deletion: a relationship
        /// of an object that came meanwhile denies it, or must lead to the row.
        case constraint
        /// A row would refer to one that is not there, when all the rest is applied.
        case foreignKey
    }

    /// What the changeset wants to do with the row.
    public enum Operation: Sendable, Hashable {
        /// The row is to be inserted, changed or deleted.
        case insert, update, delete
    }

    /// What to do about it.
    public enum Resolution: Sendable, Hashable {
        /// Leave the store's row as it is: of an update, in the columns that this store changed too, or whose values
        /// are not free. Of a ``Kind/foreignKey``, or of a reference that two rows have to what can be referred to once:
        /// empty the reference, or where it must not be empty, delete the row.
        case omit
        /// Apply the change all the same, to the row that is there; possible for ``Kind/data`` and ``Kind/conflict``, and
        /// for a deletion that is denied.
        case replace
        /// The row and the one that has its unique values are one object: the smaller number stays, references to the
        /// other follow, and the values that are preferred are kept. What they lack is taken from the other row. Possible
        /// for a ``Kind/constraint`` with an ``ChangesetConflict/otherIdentifier`` of the same entity.
        case merge(preferring: Preference)
        /// Apply nothing at all, and throw.
        case abort
    }

    /// Whose values are kept when two rows become one.
    public enum Preference: Sendable, Hashable {
        /// Those of the row that the store has.
        case stored
        /// Those of the row in the changeset.
        case arriving
    }

    /// What does not fit.
    public var kind: Kind
    /// What was to be done with the row.
    public var operation: Operation
    /// The name of the table that the row is in.
    public var table: String
    /// The object; nil for a pair of objects, and where the model has no such entity.
    public var identifier: PersistentIdentifier?
    /// The object that has the values which must be unique, or refers to what can be referred to once; nil for none.
    public var otherIdentifier: PersistentIdentifier?
    /// What the changeset says of the row, by columns.
    public var values: [String: SQLiteValue]
    /// What the store has in the row, by columns; empty where there is none.
    public var storedValues: [String: SQLiteValue]
}

extension ChangesetConflict {
    /// What a primary does by itself: changes count in the order in which they arrive.
    ///
    /// A later change of a property wins; a deletion wins over a change; a new object whose unique values another has is
    /// one with it, and keeps what was there; a change to a value that another object has is left out, and so is a
    /// deletion that is denied. None of them fails.
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
