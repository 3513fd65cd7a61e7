import AshlarSQLite

/// The order of ordered relationships.
extension PendingSave {
    /// Writes the order keys of an ordered relationship whose members, or their order, changed; the rows of members that
    /// stay where they are among the others are not written.
    func writeOrder(
        _ key: LinkKey, _ owner: ManagedObject, _ relationship: RelationshipDescription, _ connection: Connection
    ) throws {
        guard owner.liveContext != nil,
            let destination = container.model.entity(named: relationship.destination),
            let table = OrderTable(relationship, destination)
        else { return }
        // The members were loaded before the transaction began.
        let members = graph.members(of: owner, key.relationship).map { permanentRowIDs[$0] ?? $0 }
        let ownerRowID = permanentRowIDs[owner.record.rowID] ?? owner.record.rowID
        let stored = try storedKeys(table, ownerRowID, connection)
        let before = members.map { stored[$0] }
        let after = OrderKeys.keys(replacing: before)
        let statement = try connection.statement(table.update)
        for (index, member) in members.enumerated() where before[index] != after[index] {
            statement.bind(after[index], 1)
            statement.bind(member, 2)
            statement.bind(ownerRowID, 3)
            try run(statement, nil)
        }
    }

    private func storedKeys(
        _ table: OrderTable, _ owner: Int64, _ connection: Connection
    ) throws -> [Int64: Int64] {
        var keys: [Int64: Int64] = [:]
        let statement = try connection.statement(table.select)
        defer { statement.reset() }
        statement.bind(owner, 1)
        while try statement.step() {
            keys[statement.integer(0)] = statement.integer(1)
        }
        return keys
    }
}

/// Where the order keys of a relationship are.
private struct OrderTable {
    /// Reads the members of an owner that have a key, and the keys.
    let select: String
    /// Sets the key of a member of an owner.
    let update: String

    init?(_ relationship: RelationshipDescription, _ destination: EntityDescription) {
        let (table, owner, member, order): (String, String, String, String)
        switch relationship.storage {
        case .inverseColumn(let column, let key?):
            (table, owner, member, order) = (destination.tableName, destination.columns[column].name, "id$", key)
        case .joinTable(let name, let own, let other, let key?):
            (table, owner, member, order) = (name, own, other, key)
        default:
            return nil
        }
        let key = order.quotedIdentifier
        let isOwners = "\(owner.quotedIdentifier) = "
        select =
            "SELECT \(member.quotedIdentifier), \(key) FROM \(table.quotedIdentifier) "
            + "WHERE \(isOwners)?1 AND \(key) IS NOT NULL"
        update =
            "UPDATE \(table.quotedIdentifier) SET \(key) = ?1 "
            + "WHERE \(member.quotedIdentifier) = ?2 AND \(isOwners)?3"
    }
}
