import AshlarSQLite

/// Relationships without a column of their own, and the order of ordered ones.
extension PendingSave {
    func writeLinks(_ connection: Connection) throws {
        // Created only if a relationship has a join table.
        lazy var deletedRows = Set(deletes.map { RowKey($0) })
        // An object whose deletion was taken back keeps the pairs that its deletion removed.
        let keptRows = Set(restored.map { RowKey($0) })
        // Created once for each relationship, not for each of many objects.
        var pairs: [ObjectIdentifier: PairStatements] = [:]
        for (key, links) in pending.links {
            guard case .joinTable(let table, let own, let other, _) = links.relationship.storage,
                // Each pair is recorded at both ends; the end that owns the table writes it.
                own == "source$" || links.relationship.inverse == nil,
                !deletedRows.contains(RowKey(root: key.root, rowID: key.rowID))
            else { continue }
            let owner = permanentRowIDs[key.rowID] ?? key.rowID
            let relationship = links.relationship
            let statements =
                try pairs[ObjectIdentifier(relationship)]
                ?? PairStatements(
                    table, own, other, container.model.entity(named: relationship.destination)?.number.root ?? 0,
                    connection)
            pairs[ObjectIdentifier(relationship)] = statements
            for member in links.removed.sorted() where member > 0 && owner > 0 {
                if !keptRows.isEmpty,
                    keptRows.contains(RowKey(root: key.root, rowID: owner))
                        || keptRows.contains(RowKey(root: statements.destinationRoot, rowID: member))
                {
                    continue
                }
                statements.remove.bind(owner, 1)
                statements.remove.bind(member, 2)
                try run(statements.remove, nil)
            }
            for member in links.added {
                let rowID = permanentRowIDs[member] ?? member
                let root = statements.destinationRoot
                // A member or owner that was inserted and deleted since has no row to link.
                guard pending.hasRow(rowID, root), pending.hasRow(owner, key.root),
                    !deletedRows.contains(RowKey(root: root, rowID: rowID)), !isMissing(root, rowID),
                    !isMissing(key.root, owner)
                else { continue }
                statements.add.bind(owner, 1)
                statements.add.bind(rowID, 2)
                try run(statements.add, nil)
            }
        }
        try writeOrders(connection)
    }
}

/// The statements that write the pairs of one relationship.
private struct PairStatements {
    let destinationRoot: UInt16
    let remove: Statement
    let add: Statement

    init(
        _ table: String, _ own: String, _ other: String, _ root: UInt16, _ connection: Connection
    ) throws(SQLiteError) {
        destinationRoot = root
        let (table, own, other) = (table.quotedIdentifier, own.quotedIdentifier, other.quotedIdentifier)
        remove = try connection.statement("DELETE FROM \(table) WHERE \(own) = ?1 AND \(other) = ?2")
        add = try connection.statement(
            "INSERT INTO \(table) (\(own), \(other)) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
    }
}
