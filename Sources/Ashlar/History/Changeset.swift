public import Foundation

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
/// is taken is a ``ChangesetConflict/Kind/conflict``. Give each store a range of its own then, by raising its mark in
/// `sqlite_sequence`.
public struct Changeset: Sendable, Hashable, Codable {
    /// The bytes, in SQLite's format.
    public var data: Data
    /// The names of the columns of each table, in the order that the bytes have them. The order of columns may differ
    /// between stores of one model. Where names are missing, it is taken to be the store's own.
    var columns: [String: [String]] = [:]
    /// The place in the history of the store that the changes reach to: the next changeset begins there.
    public internal(set) var token: PersistentHistoryToken?

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
public enum ChangesetError: Error, Sendable, Hashable {
    /// The bytes are no changeset, from some byte on.
    case malformed(offset: Int)
    /// The store has no such table, or one with other columns: it is of another model, or another version of it.
    case otherTable(String)
    /// A change is of a row under a number that no row may have: one below 1, which is that of an object that was never
    /// saved, or one so great that hardly a row could come after it.
    case invalidRow(table: String, row: SQLiteValue)
    /// A conflict was resolved with ``ChangesetConflict/Resolution/abort``, which is also what happens where nobody
    /// resolves it.
    case aborted(ChangesetConflict)
    /// A conflict of a kind that cannot be resolved with ``ChangesetConflict/Resolution/replace``.
    case cannotReplace(ChangesetConflict)
}

extension ChangesetError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .malformed(let offset):
            "The changeset cannot be read from byte \(offset) on: it was cut off, or is none of SQLite's format."
        case .otherTable(let table):
            "The changeset has rows of \(table), which the store has not, or with other columns. Bring both stores to "
                + "the same version of the model."
        case .invalidRow(let table, let row):
            "The changeset was not applied: it has a row of \(table) under \(row), which is the number of no row."
        case .aborted(let conflict):
            "The changeset was not applied. \(conflict.description) Resolve such conflicts with a closure."
        case .cannotReplace(let conflict):
            "\(conflict.description) This cannot be resolved by replacing: omit the change, or abort."
        }
    }
}

/// A change of a changeset that does not fit the store that it is applied to.
public struct ChangesetConflict: Sendable, Hashable {
    /// What does not fit. SQLite's `SQLITE_CHANGESET_DATA` and so on.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The row was changed in this store too.
        case data
        /// The row that was updated or deleted is not there.
        case notFound
        /// A row with the number of the one that was inserted is there.
        case conflict
        /// A constraint of the table refuses the values: they must be unique, and are not.
        case constraint
        /// A row would refer to one that is not there, when all the rest is applied.
        case foreignKey
    }

    public enum Operation: Sendable, Hashable {
        case insert, update, delete
    }

    /// What to do about it.
    public enum Resolution: Sendable, Hashable {
        /// Leave the store's row as it is. Of a ``Kind/foreignKey``: empty the reference, or where it must not be
        /// empty, delete the row.
        case omit
        /// Apply the change all the same, to the row that is there; possible for ``Kind/data`` and ``Kind/conflict``.
        case replace
        /// Apply nothing at all, and throw.
        case abort
    }

    public var kind: Kind
    public var operation: Operation
    public var table: String
    /// The object; nil for a pair of objects, and where the model has no such entity.
    public var identifier: PersistentIdentifier?
    /// What the changeset says of the row, by columns.
    public var values: [String: SQLiteValue]
    /// What the store has in the row, by columns; empty where there is none.
    public var storedValues: [String: SQLiteValue]
}

extension ChangesetConflict: CustomStringConvertible {
    public var description: String {
        let row = identifier.map { "row \($0.rowID)" } ?? "a row"
        return switch kind {
        case .data: "To \(operation) \(row) of \(table) conflicts with a change that this store made of it."
        case .notFound: "To \(operation) \(row) of \(table) is not possible, as it is not there."
        case .conflict: "To insert \(row) of \(table) is not possible, as there is one of this number."
        case .constraint: "To \(operation) \(row) of \(table) breaks a constraint, such as that values are unique."
        case .foreignKey: "\(row) of \(table) refers to a row that is not there."
        }
    }
}
