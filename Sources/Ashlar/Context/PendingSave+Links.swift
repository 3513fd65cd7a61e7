/// Relationships without a column of their own, and the order of ordered ones.
extension PendingSave {
    func writeLinks(_ connection: Connection) throws {
        let deletedRows = Set(deletes.map { RowKey(root: $0.entity.number.root, rowID: $0.record.rowID) })
        for (key, links) in context.pendingLinks
        where !deletedRows.contains(RowKey(root: key.root, rowID: key.rowID)) {
            guard case .joinTable(let table, let own, let other, _) = links.relationship.storage,
                // Each pair is noted at both ends; the end that owns the table writes it.
                own == "source$" || links.relationship.inverse == nil
            else { continue }
            let owner = permanentRowIDs[key.rowID] ?? key.rowID
            let destination = context.container.model.entity(named: links.relationship.destination)
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
                guard rowID > 0, owner > 0, !deletedRows.contains(RowKey(root: root, rowID: rowID)) else { continue }
                add.bind(owner, 1)
                add.bind(rowID, 2)
                try run(add, nil)
            }
        }
        for (key, entry) in context.reordered {
            try writeOrder(key, entry.owner, entry.relationship, connection)
        }
    }

    /// Writes sparse order keys; those that stand already are not written again.
    private func writeOrder(
        _ key: LinkKey, _ owner: ManagedObject, _ relationship: RelationshipDescription, _ connection: Connection
    ) throws {
        guard owner.liveContext != nil,
            let destination = context.container.model.entity(named: relationship.destination)
        else { return }
        // The members were loaded before the transaction began.
        let members = context.members(of: owner, key.relationship)
        let ownerRowID = permanentRowIDs[owner.record.rowID] ?? owner.record.rowID
        let sql: String
        switch relationship.storage {
        case .inverseColumn(_, let order?):
            let column = order.quotedIdentifier
            sql =
                "UPDATE \(destination.tableName.quotedIdentifier) SET \(column) = ?1 "
                + "WHERE \"id$\" = ?2 AND \(column) IS NOT ?1"
        case .joinTable(let table, let own, let other, let order?):
            let column = order.quotedIdentifier
            sql =
                "UPDATE \(table.quotedIdentifier) SET \(column) = ?1 WHERE \(other.quotedIdentifier) = ?2 "
                + "AND \(own.quotedIdentifier) = ?3 AND \(column) IS NOT ?1"
        default:
            return
        }
        let statement = try connection.statement(sql)
        for (index, member) in members.enumerated() {
            statement.bind(Int64(index + 1) << 20, 1)
            statement.bind(permanentRowIDs[member] ?? member, 2)
            if case .joinTable = relationship.storage { statement.bind(ownerRowID, 3) }
            try run(statement, nil)
        }
    }
}
