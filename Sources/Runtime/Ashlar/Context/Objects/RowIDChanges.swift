import Containers

/// Changes of rowids of rows that a context has objects of or refers to.
struct RowIDChanges {
    private let later: (UInt16, Int64) -> Int64?

    /// Creates changes from temporary to permanent rowids, which are unique across tables.
    init(_ permanent: PermanentRowIDs) {
        later = { _, rowID in rowID < 0 ? permanent[rowID] : nil }
    }

    /// Creates a change of one rowid.
    init(_ row: RowKey, to rowID: Int64) {
        later = { $0 == row.root && $1 == row.rowID ? rowID : nil }
    }

    /// Creates changes to the present rowids of renumbered rows.
    init(_ rows: RenumberedRows) {
        later = { rows[RowKey(root: $0, rowID: $1)] }
    }

    /// The present rowid of a row; nil if it did not change.
    func changed(_ rowID: Int64, _ root: UInt16) -> Int64? { later(root, rowID) }

    /// The present rowid of a row.
    subscript(rowID: Int64, root: UInt16) -> Int64 { later(root, rowID) ?? rowID }
}

extension ModelContext {
    /// Changes the rowids of objects and of references to them, here and in child contexts.
    func renumber(_ rowIDs: RowIDChanges) {
        registry.visitMaps { root, map in
            var isRenumbered = false
            for case let object? in map.objects {
                renumberReferences(of: object, rowIDs)
                guard let rowID = rowIDs.changed(object.record.rowID, root) else { continue }
                noteLaterRowID(of: object, rowID)
                // The object took over a row that already has an object here.
                if map[rowID] != nil { lose(object) }
                object.record.rowID = rowID
                isRenumbered = true
            }
            if isRenumbered { map.reindex() }
        }
        pending.renumber(rowIDs, container.model) { $0.isLive(in: self) }
        for child in children { child.context?.renumber(rowIDs) }
    }

    private func renumberReferences(of object: ManagedObject, _ rowIDs: RowIDChanges) {
        replaceIdentifiers(of: object, rowIDs)
        if let original = object.original {
            let copy = type(of: object).object(of: original)
            replaceIdentifiers(of: copy, rowIDs)
            object.original = copy.snapshot()
        }
        if object.record.links == nil { return }
        for links in object.allLinks {
            guard let members = links.rowIDs, let root = destination(of: object, links.relationship)?.number.root
            else { continue }
            links.rowIDs = members.map { rowIDs[$0, root] }.withoutRepeats()
        }
    }

    func replaceIdentifiers(of object: ManagedObject, _ rowIDs: RowIDChanges) {
        for column in object.entity.referenceColumns {
            guard let identifier = object.identifier(inColumn: column),
                let rowID = rowIDs.changed(identifier.rowID, identifier.number.root)
            else { continue }
            object.setIdentifier(
                PersistentIdentifier(
                    rowID: rowID, store: container.storeNumber(of: identifier.number.root), entity: identifier.number),
                inColumn: column)
        }
    }
}
