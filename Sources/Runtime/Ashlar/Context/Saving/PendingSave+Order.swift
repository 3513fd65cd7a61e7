import AshlarSQLite

/// The order of ordered relationships.
extension PendingSave {
    func writeOrders(_ connection: Connection) throws {
        if pending.reordered.isEmpty, ordersOfReturned.isEmpty { return }
        // Created once for each relationship, not for each of many objects.
        var statements: [ObjectIdentifier: OrderStatements] = [:]
        defer { statements.values.first?.keys.end() }
        func statementsOf(_ relationship: RelationshipDescription) throws -> OrderStatements? {
            if let known = statements[ObjectIdentifier(relationship)] { return known }
            let destination = container.model.entity(named: relationship.destination)
            let made = try destination.flatMap { try OrderStatements(relationship, $0, connection) }
            statements[ObjectIdentifier(relationship)] = made
            return made
        }
        // A row that a new object took over has members of its own, whose order is written first.
        var upserted: [(key: LinkKey, owner: ManagedObject, statements: OrderStatements)] = []
        let upsertedRows = upsertedRows
        for (key, entry) in pending.reordered where entry.owner.liveContext != nil {
            guard let statements = try statementsOf(entry.relationship) else { continue }
            if upsertedRows.contains(entry.owner.record.rowID) {
                upserted.append((key, entry.owner, statements))
            } else {
                let members = graph.members(of: entry.owner, key.relationship)
                try writeOrder(members, entry.owner, statements, key, isRearranged: pending.isRearranged(key))
            }
        }
        // In the order of insertion.
        upserted.sort { $0.owner.record.rowID > $1.owner.record.rowID }
        for (key, owner, statements) in upserted {
            let members = graph.members(of: owner, key.relationship)
            let known = Set(members.map { permanentRowIDs[$0] ?? $0 })
            let stored = try statements.members(of: permanentRowIDs[owner.record.rowID] ?? owner.record.rowID)
            let order = stored.filter { !known.contains($0) } + members
            try writeOrder(order, owner, statements, key, isRearranged: true)
        }
        for (key, order) in ordersOfReturned where pending.reordered[key] == nil {
            let relationship = order.owner.entity.relationships[key.relationship]
            if let statements = try statementsOf(relationship) {
                try writeOrder(order.members, order.owner, statements, key, isRearranged: false)
            }
        }
    }

    /// The temporary rowids of new objects that an existing row represents.
    private var upsertedRows: Set<Int64> {
        if hasGatheredUpdates, replacements.isEmpty { return [] }
        return Set(updates.lazy.filter { $0.adopted != nil }.map(\.object.record.rowID)).union(replacements.keys)
    }

    /// Writes the order keys of an ordered relationship whose members or order changed. The rows of members that stay
    /// in place relative to others are not written.
    ///
    /// - Parameter isRearranged: Whether the order was set here; otherwise members with a position in the store keep
    ///   it.
    private func writeOrder(
        _ members: [Int64], _ owner: ManagedObject, _ statements: OrderStatements, _ key: LinkKey, isRearranged: Bool
    ) throws {
        // The members were loaded before the transaction began.
        var members = permanentRowIDs.isEmpty ? members : members.map { permanentRowIDs[$0] ?? $0 }
        let ownerRowID = permanentRowIDs[owner.record.rowID] ?? owner.record.rowID
        let keys = statements.keys
        keys.begin(members)
        let range = statements.range(of: members)
        try statements.ofAll(.select, ownerRowID, range).run()
        if !isRearranged, let order = keys.storedOrder(of: members, { pending.links[key]?.added ?? [] }) {
            members = order
            reorderedByOthers.insert(key)
            keys.begin(members)
            try statements.ofAll(.select, ownerRowID, range).run()
        }
        keys.newKeys = OrderKeys.keys(replacing: keys.keys)
        let changed = members.indices.filter { keys.keys[$0] != keys.newKeys[$0] }
        // If values are logged, they must be in parameters.
        if statements.areWrittenTogether(changed.count, of: members.count, range), !surroundings.store.showsValues {
            return try run(statements.ofAll(.update, ownerRowID, range), nil)
        }
        let update = try statements.updateOfOne
        for place in changed {
            update.bind(keys.newKeys[place], 1)
            update.bind(members[place], 2)
            update.bind(ownerRowID, 3)
            try run(update, nil)
        }
    }
}

/// The statements that read and write the order keys of a relationship, each prepared on first use.
final class OrderStatements {
    /// The action of a statement on all members of an owner.
    enum Action {
        /// Reads the keys of members that have one.
        case select
        /// Sets the keys of members that get another one.
        case update
    }

    /// The exchange of keys with the statements.
    let keys: StoredOrderKeys
    private let connection: Connection
    // The names are quoted.
    private let (table, owner, member, key): (String, String, String, String)
    /// Whether the keys are in the members' own rows.
    private let areInRows: Bool
    /// The statements by action, and by whether they visit each row of a range.
    private var ofAll: [Statement?] = [nil, nil, nil, nil]
    private var ofOne: Statement?

    /// Returns nil if the relationship has no keys.
    init?(
        _ relationship: RelationshipDescription, _ destination: EntityDescription, _ connection: Connection
    ) throws(SQLiteError) {
        switch relationship.storage {
        case .inverseColumn(let column, let order?):
            (table, owner) = (destination.tableName.quotedIdentifier, destination.columns[column].name.quotedIdentifier)
            (member, key) = ("id$".quotedIdentifier, order.quotedIdentifier)
            areInRows = true
        case .joinTable(let name, let own, let other, let order?):
            (table, owner) = (name.quotedIdentifier, own.quotedIdentifier)
            (member, key) = (other.quotedIdentifier, order.quotedIdentifier)
            areInRows = false
        default:
            return nil
        }
        self.connection = connection
        keys = try connection.storedOrderKeys()
    }

    /// Returns the stored members of an owner, in their order; members without a key come first.
    func members(of owner: Int64) throws(SQLiteError) -> [Int64] {
        let rows = try connection.rows(
            "SELECT \(member) FROM \(table) WHERE \(self.owner) = ?1 ORDER BY \(key), \(member)", [.integer(owner)])
        return rows.map { $0[0].integer }
    }

    /// The statement that sets the key to the first value, for the member and owner in the second and third.
    var updateOfOne: Statement {
        get throws(SQLiteError) {
            if let ofOne { return ofOne }
            let statement = try connection.statement(
                "UPDATE \(table) SET \(key) = ?1 WHERE \(member) = ?2 AND \(owner) = ?3")
            ofOne = statement
            return statement
        }
    }

    /// Returns a statement for the members of an owner, which visits each row of a range or uses an index.
    func ofAll(_ action: Action, _ owner: Int64, _ range: ClosedRange<Int64>?) throws(SQLiteError) -> Statement {
        let position = (action == .select ? 0 : 2) + (range == nil ? 0 : 1)
        let known = ofAll[position]
        let statement = if let known { known } else { try connection.statement(sql(action, isOfRange: range != nil)) }
        ofAll[position] = statement
        statement.bind(owner, 1)
        if let range {
            statement.bind(range.lowerBound, 2)
            statement.bind(range.upperBound, 3)
        }
        return statement
    }

    private func sql(_ action: Action, isOfRange: Bool) -> String {
        // With the sign, SQLite does not use the owner's index.
        let condition = isOfRange ? "\(member) BETWEEN ?2 AND ?3 AND +\(owner) = ?1" : "\(owner) = ?1"
        switch action {
        case .select:
            return "SELECT 1 FROM \(table) WHERE \(condition) AND ashlar_note_key(\(member), \(key))"
        case .update:
            return """
                UPDATE \(table) SET \(key) = ashlar_new_key(\(member))
                WHERE \(condition) AND ashlar_has_new_key(\(member))
                """
        }
    }

    /// Returns whether one statement should visit all members, instead of one for each member with another key.
    ///
    /// Visiting an adjacent row takes a tenth of the time of a statement for one member, and finding a row by an index
    /// a third.
    func areWrittenTogether(_ changed: Int, of count: Int, _ range: ClosedRange<Int64>?) -> Bool {
        changed >= connection.state.leastPendingRows && changed > count / (areInRows && range == nil ? 2 : 16)
    }

    /// Returns the range from the least rowid of members to the greatest, if most rows in it are members. Visiting a
    /// range takes a fifth of the time of finding each row by an index.
    func range(of members: [Int64]) -> ClosedRange<Int64>? {
        guard areInRows, let first = members.first else { return nil }
        var (least, greatest) = (first, first)
        for member in members {
            if member < least { least = member } else if member > greatest { greatest = member }
        }
        // Rowids of rows begin at 1.
        return least > 0 && (greatest - least) / 2 < Int64(members.count) ? least...greatest : nil
    }
}
