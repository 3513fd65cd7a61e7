/// The changes of one transaction of a batch operation, for contexts that merge them, live results, and the history.
///
/// A batch does not list its rows individually, so this contains the tables that it wrote. If identifiers were
/// requested, the notification has them too.
struct BatchChanges: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case insert, update, delete
    }

    var kind: Kind
    /// The number of the requested entity.
    var entity: EntityNumber
    /// The number of requested objects that changed.
    var count: Int
    /// The names of the properties that an update, or an insertion over known rows, set.
    var properties: Set<String> = []
    /// The bits of the columns of the entity's table that an update set; nil if unknown.
    var updatedColumns: UInt64?
    /// The root entities whose rows may have been inserted, changed or deleted, including those that deletion rules
    /// lead to. Derived values that the store updates in other tables are not counted.
    var roots: Set<UInt16>
    var identifiers: [PersistentIdentifier]?

    /// The tables that were written, and the bits of their columns.
    var writtenColumns: [UInt16: UInt64] {
        var columns = Dictionary(uniqueKeysWithValues: roots.map { ($0, UInt64.max) })
        if kind == .update, let updatedColumns { columns[entity.root] = updatedColumns }
        return columns
    }

    /// Whether existing rows may have other values or be deleted.
    var changesKnownRows: Bool { kind != .insert || !properties.isEmpty }
}

extension BatchChanges {
    func notification(author: String?) -> ContextNotification {
        let identifiers = identifiers ?? []
        return ContextNotification(
            kind: .didSave, insertedIdentifiers: kind == .insert ? identifiers : [],
            updatedIdentifiers: kind == .update ? identifiers : [],
            deletedIdentifiers: kind == .delete ? identifiers : [], refreshedIdentifiers: [],
            invalidatedAllIdentifiers: false, author: author, batch: self)
    }
}
