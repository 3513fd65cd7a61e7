import AshlarSQLite
import Containers

/// The order of ordered relationships.
extension PendingSave {
    /// Writes the order keys of an ordered relationship whose members, or their order, changed; the rows of members that
    /// stay where they are among the others are not written.
    func writeOrder(_ key: LinkKey, _ owner: ManagedObject, _ statements: OrderStatements) throws {
        // The members were loaded before the transaction began.
        var members = graph.members(of: owner, key.relationship)
        if !permanentRowIDs.isEmpty { members = members.map { permanentRowIDs[$0] ?? $0 } }
        let ownerRowID = permanentRowIDs[owner.record.rowID] ?? owner.record.rowID
        let before = try statements.keys(of: members, ownerRowID)
        let after = OrderKeys.keys(replacing: before)
        let update = statements.update
        for (index, member) in members.enumerated() where before[index] != after[index] {
            update.bind(after[index], 1)
            update.bind(member, 2)
            update.bind(ownerRowID, 3)
            try run(update, nil)
        }
    }
}

/// What reads and writes the order keys of a relationship.
struct OrderStatements {
    /// Reads the members of an owner that have a key, and the keys.
    private let select: Statement
    /// Sets the key of a member of an owner.
    let update: Statement

    /// Nil where the relationship has no keys.
    init?(
        _ relationship: RelationshipDescription, _ destination: EntityDescription, _ connection: Connection
    ) throws(SQLiteError) {
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
        select = try connection.statement(
            "SELECT \(member.quotedIdentifier), \(key) FROM \(table.quotedIdentifier) "
                + "WHERE \(isOwners)?1 AND \(key) IS NOT NULL")
        update = try connection.statement(
            "UPDATE \(table.quotedIdentifier) SET \(key) = ?1 "
                + "WHERE \(member.quotedIdentifier) = ?2 AND \(isOwners)?3")
    }

    /// The keys that members have in the store; nil for those that have none.
    func keys(of members: [Int64], _ owner: Int64) throws(SQLiteError) -> [Int64?] {
        var places = RowIDTable(minimumCapacity: members.count * 2)
        for (index, member) in members.enumerated() { places.insert(member, at: index) }
        var keys = [Int64?](repeating: nil, count: members.count)
        defer { select.reset() }
        select.bind(owner, 1)
        while try select.step() {
            let place = places.position(of: select.integer(0))
            if place >= 0 { keys[place] = select.integer(1) }
        }
        return keys
    }
}
