import AshlarSQLite

/// Relationships without a column of their own, and the order of ordered ones.
extension PendingSave {
    func writeLinks(_ connection: Connection) throws {
        // Made only for a relationship that has a table.
        lazy var deletedRows = Set(deletes.map { RowKey($0) })
        for (key, links) in pending.links {
            guard case .joinTable(let table, let own, let other, _) = links.relationship.storage,
                // Each pair is noted at both ends; the end that owns the table writes it.
                own == "source$" || links.relationship.inverse == nil,
                !deletedRows.contains(RowKey(root: key.root, rowID: key.rowID))
            else { continue }
            let owner = permanentRowIDs[key.rowID] ?? key.rowID
            let destination = container.model.entity(named: links.relationship.destination)
            let root = destination?.number.root ?? 0
            let name = table.quotedIdentifier
            let columns = "\(own.quotedIdentifier), \(other.quotedIdentifier)"
            let remove = try connection.statement(
                "DELETE FROM \(name) WHERE \(own.quotedIdentifier) = ?1 AND \(other.quotedIdentifier) = ?2")
            for member in links.removed.sorted() where member > 0 && owner > 0 {
                remove.bind(owner, 1)
                remove.bind(member, 2)
                try run(remove, nil)
            }
            let add = try connection.statement(
                "INSERT INTO \(name) (\(columns)) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
            for member in links.added {
                let rowID = permanentRowIDs[member] ?? member
                // A member or owner that was inserted and deleted since has no row to link.
                guard pending.hasRow(rowID, root), pending.hasRow(owner, key.root),
                    !deletedRows.contains(RowKey(root: root, rowID: rowID)), !isMissing(root, rowID),
                    !isMissing(key.root, owner)
                else { continue }
                add.bind(owner, 1)
                add.bind(rowID, 2)
                try run(add, nil)
            }
        }
        for (key, entry) in pending.reordered {
            try writeOrder(key, entry.owner, entry.relationship, connection)
        }
    }
}
