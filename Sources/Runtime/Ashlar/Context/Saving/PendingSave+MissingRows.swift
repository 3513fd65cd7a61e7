import AshlarSQLite

/// References to rows that others deleted, whether this context still had their objects or had already lost them.
extension PendingSave {
    /// Checks that all references that were written lead to existing rows, before the commit does.
    ///
    /// A row that was deleted elsewhere is a conflict, which the context's policy resolves like any other: its object
    /// is lost or inserted again, and references to lost objects are not written.
    func checkReferences(_ connection: Connection) throws {
        guard connection.hasBrokenReferences else { return }
        let known = missingRows
        try noteMissingRows(connection)
        let new = missingRows.subtracting(known)
        for row in new {
            guard let object = registry[row.rowID, row.root], object.record.state == .persisted else {
                continue
            }
            conflicting.append(object)
        }
        if !new.isEmpty { throw VersionConflict() }
        // The reference belongs to a row without an object here, and leads to a row that this save deletes.
        for store in container.stores {
            guard let broken = try container.brokenReference(connection, in: store), broken.denying == nil else {
                continue
            }
            throw SaveError.validation([
                ValidationFailure(broken.object, broken.entity, broken.relationship.name, .missingRequiredValue)
            ])
        }
        throw SaveError.constraint(nil, SQLiteError(unmet: "FOREIGN KEY constraint failed"))
    }

    func isMissing(_ root: UInt16, _ rowID: Int64) -> Bool {
        !missingRows.isEmpty && missingRows.contains(RowKey(root: root, rowID: rowID))
    }

    private func noteMissingRows(_ connection: Connection) throws {
        var rows: Set<RowKey> = []
        for (key, links) in pending.links where !links.added.isEmpty {
            guard case .joinTable = links.relationship.storage,
                let destination = container.model.entity(named: links.relationship.destination)
            else { continue }
            rows.insert(RowKey(root: key.root, rowID: key.rowID))
            for member in links.added { rows.insert(RowKey(root: destination.number.root, rowID: member)) }
        }
        for object in inserts + updates.map(\.object) {
            for column in object.entity.referenceColumns {
                guard let identifier = object.identifier(inColumn: column) else { continue }
                rows.insert(RowKey(root: identifier.number.root, rowID: identifier.rowID))
            }
        }
        // Temporary rowids belong to rows that this save inserts.
        for row in rows where row.rowID > 0 {
            let entity = container.model.entity(row.root)
            if try version(of: entity, row.rowID, connection) == nil { missingRows.insert(row) }
        }
    }

    /// Clears references to lost rows in the objects that the save writes.
    func clearReferencesToMissingRows() throws {
        if missingRows.isEmpty { return }
        for object in inserts where returned[ObjectIdentifier(object)] != nil {
            missingRows.remove(RowKey(object))
        }
        for object in inserts + updates.map(\.object) {
            let columns = object.entity.referenceColumns.filter { column in
                object.identifier(inColumn: column).map { isMissing($0.number.root, $0.rowID) } ?? false
            }
            if columns.isEmpty { continue }
            beforeMerging.append(ObjectState(object))
            for column in columns { object.setIdentifier(nil, inColumn: column) }
            if object.record.state == .persisted, returned[ObjectIdentifier(object)] == nil { update(object) }
        }
        // A required reference cannot be cleared.
        try validate()
    }

    /// Records the orders of relationships that regain objects whose rows are inserted again. The transaction must not
    /// read them.
    func noteOrdersOfReturned() throws {
        for object in inserts where returned[ObjectIdentifier(object)] != nil {
            for (number, relationship) in object.entity.relationships.numbered {
                guard case .column(let column) = relationship.storage, let inverse = relationship.inverse,
                    let destination = container.model.destination(of: object.entity, number),
                    destination.relationships[inverse].isOrdered,
                    let owner = try object.identifier(inColumn: column).flatMap({ try graph.existingObject($0) })
                else { continue }
                var members = graph.members(of: owner, inverse)
                // Its position is only in memory. If it is unknown there, it comes last.
                if !members.contains(object.record.rowID) { members.append(object.record.rowID) }
                ordersOfReturned[LinkKey(owner, inverse)] = (owner, members)
            }
        }
    }
}
