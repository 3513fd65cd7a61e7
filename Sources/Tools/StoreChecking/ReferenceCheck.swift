import AshlarSQLite
import DataModel
import RelationalSchema

/// Whether references and pairs lead to objects, to such as the relationship allows, and from both sides.
struct ReferenceCheck: StoreCheckStep {
    let subject = "references"

    func run(_ store: CheckedStore) throws {
        for entity in store.entities {
            for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) {
                guard let destination = store.graph.entity(named: relationship.destinationName),
                    let own = store.schema.storage(of: entity), let other = store.schema.storage(of: destination),
                    store.usableTables.isSuperset(of: [own.tableName, other.tableName])
                else { continue }
                let link = Link(
                    store: store, entity: entity, relationship: relationship, destination: destination,
                    table: own.tableName, other: other.tableName)
                switch store.schema.storage(of: relationship, in: entity) {
                case .column(let column): try link.checkColumn(column)
                case .inverseColumn(let table, let column, let order):
                    try link.checkInverseColumn(table, column, order)
                case .joinTable(let table, let ownColumn, let otherColumn, let order):
                    guard store.usableTables.contains(table) else { continue }
                    try link.checkPairs(table, ownColumn, otherColumn, order)
                case nil: continue
                }
            }
        }
        if store.scope == nil { try checkOtherTables(store) }
    }

    /// References between tables that someone added by hand.
    private func checkOtherTables(_ store: CheckedStore) throws(SQLiteError) {
        let known = Set(store.schema.tables.map(\.name))
        for table in try store.connection.schema().tables()
        where table.kind == .table && !known.contains(table.name) && !table.name.hasPrefix("ashlar$") {
            store.find(
                StoreFinding(
                    kind: .danglingReference, text: "A row refers to one that is not there.",
                    remedy: "The table is not in the model: repair it by hand.", table: table.name),
                rows: try store.connection.foreignKeyViolations(of: table.name).map(\.rowID))
        }
    }
}

/// A relationship of an entity, for the check of its rows.
private struct Link {
    let store: CheckedStore
    let entity: Entity
    let relationship: Relationship
    let destination: Entity
    /// The tables of both.
    let table: String
    let other: String

    private var identifier: String { SQLText.identifier(ColumnName.identifier) }
    private var inverse: Relationship? { store.schema.inverse(of: relationship, in: entity)?.relationship }

    private func finding(
        _ kind: StoreFinding.Kind, _ text: String, _ remedy: String, _ mending: Mending? = nil, in table: String? = nil
    ) -> StoreFinding {
        StoreFinding(
            kind: kind, text: text, remedy: remedy, entity: entity.name, property: relationship.name,
            table: table ?? self.table, mending: mending)
    }

    // MARK: To one

    func checkColumn(_ name: String) throws(SQLiteError) {
        let column = "t.\(SQLText.identifier(name))"
        let isOwn = store.isKind(of: entity, "t")
        let from = "FROM \(SQLText.identifier(table)) AS t WHERE \(isOwn) AND \(column) IS NOT NULL"
        let inScope = store.isInScope("t.\(identifier)", of: table)
        let target = "SELECT 1 FROM \(SQLText.identifier(other)) AS d WHERE d.\(identifier) = \(column)"
        let reference = store.schema.tables.first { $0.name == table }?.column(named: name)?.reference
        // The rule No Action leaves the numbers of deleted objects. For rows in a transaction, SQLite itself checks
        // references.
        if let reference, store.scope == nil {
            let clears = reference.action == .setNull && relationship.isOptional
            try store.find(
                finding(
                    .danglingReference, "A reference leads to no object of \(destination.name).",
                    clears
                        ? "It becomes nil, as the deletion of the object would have made it."
                        : "Give it another object, or delete this one.",
                    clears ? .clearReferences(table: table, column: name, destination: other) : nil),
                "SELECT t.\(identifier) \(from) AND NOT EXISTS (\(target))")
        }
        if !store.hasWholeTable(destination) {
            try store.find(
                finding(
                    .wrongDestination, "A reference leads to an object that does not belong to \(destination.name).",
                    "Give it another object, or nil."), isFiltered: true,
                "SELECT t.\(identifier) \(from) AND \(inScope) AND EXISTS (\(target) AND (\(store.isKind(of: destination, "d"))) IS NOT true)"
            )
        }
        if let inverse, !inverse.isToMany {
            let isInvolved =
                store.scope == nil
                ? "true"
                : "\(column) IN (SELECT \(SQLText.identifier(name)) FROM \(SQLText.identifier(table)) "
                    + "WHERE \(store.isInScope(identifier, of: table)))"
            try store.find(
                finding(
                    .doubledInverse, "Several objects refer to one by a relationship to one.",
                    relationship.isOptional
                        ? "\(isOwnInverse ? "The one that it refers to itself" : "The newest of them") keeps the reference; the others' become nil."
                        : "Give all but one of them another object.",
                    relationship.isOptional
                        ? .clearSharedReferences(table: table, column: name, isOwnInverse: isOwnInverse) : nil),
                """
                SELECT min(t.\(identifier)) \(from) AND \(isInvolved) GROUP BY \(column) HAVING count(*) > 1
                """)
        }
    }

    // MARK: In the other's column

    func checkInverseColumn(_ otherTable: String, _ name: String, _ order: String?) throws(SQLiteError) {
        let column = "m.\(SQLText.identifier(name))"
        let members = "FROM \(SQLText.identifier(otherTable)) AS m WHERE"
        try checkCount(
            "SELECT count(*) \(members) \(column) = t.\(identifier)",
            memberOf: "SELECT \(column) \(members) \(store.isInScope("m.\(identifier)", of: otherTable))")
        guard let order, store.scope == nil else { return }
        let position = "m.\(SQLText.identifier(order))"
        let from = "FROM \(SQLText.identifier(otherTable)) AS m WHERE \(column) IS NOT NULL"
        let mending = Mending.renumber(table: otherTable, owner: name, order: order, key: [ColumnName.identifier])
        try store.find(
            finding(
                .missingOrder, "A member has no position.", "It gets one before all others.", mending, in: otherTable),
            "SELECT m.\(identifier) \(from) AND \(position) IS NULL")
        try store.find(
            finding(
                .doubledOrder, "Members have the same position.", "They get positions of their own.", mending,
                in: otherTable),
            "SELECT min(m.\(identifier)) \(from) AND \(position) IS NOT NULL GROUP BY \(column), \(position) HAVING count(*) > 1"
        )
    }

    // MARK: Pairs

    func checkPairs(_ pairs: String, _ own: String, _ target: String, _ order: String?) throws(SQLiteError) {
        let (ownColumn, targetColumn) = ("p.\(SQLText.identifier(own))", "p.\(SQLText.identifier(target))")
        let from = "FROM \(SQLText.identifier(pairs)) AS p"
        // Of rows in a transaction SQLite looks itself whether pairs lead somewhere.
        let isWhole = store.scope == nil ? "true" : "false"
        let inScope = store.isInScope(ownColumn, of: table)
        try checkCount(
            "SELECT count(*) \(from) WHERE \(ownColumn) = t.\(identifier)",
            memberOf: "SELECT \(ownColumn) \(from) WHERE \(store.isInScope(targetColumn, of: other))")
        let row = "SELECT 1 FROM \(SQLText.identifier(table)) AS t WHERE t.\(identifier) = \(ownColumn)"
        try store.find(
            finding(
                .danglingReference, "A pair has an object that is not there.", "The pair is removed.",
                .removePairs(table: pairs, column: own, destination: table), in: pairs),
            "SELECT \(ownColumn) \(from) WHERE \(isWhole) AND NOT EXISTS (\(row))")
        if !store.hasWholeTable(entity) {
            try store.find(
                finding(
                    .wrongDestination, "A pair has an object that does not belong to \(entity.name).",
                    "Remove the pair by hand.", in: pairs),
                "SELECT \(ownColumn) \(from) WHERE \(inScope) AND EXISTS (\(row) AND (\(store.isKind(of: entity, "t"))) IS NOT true)"
            )
        }
        // If there is another side, its own check covers this.
        if inverse == nil || isOwnInverse {
            let row = "SELECT 1 FROM \(SQLText.identifier(other)) AS d WHERE d.\(identifier) = \(targetColumn)"
            try store.find(
                finding(
                    .danglingReference, "A pair leads to an object that is not there.", "The pair is removed.",
                    .removePairs(table: pairs, column: target, destination: other), in: pairs),
                "SELECT \(ownColumn) \(from) WHERE \(isWhole) AND NOT EXISTS (\(row))")
            if !store.hasWholeTable(destination) {
                try store.find(
                    finding(
                        .wrongDestination, "A pair leads to an object that does not belong to \(destination.name).",
                        "Remove the pair by hand.", in: pairs),
                    "SELECT \(ownColumn) \(from) WHERE \(inScope) AND EXISTS (\(row) AND (\(store.isKind(of: destination, "d"))) IS NOT true)"
                )
            }
        }
        if store.scope != nil { return }
        if isOwnInverse {
            try store.find(
                finding(
                    .missingInverse, "Of two objects only one leads to the other.", "The other direction is added.",
                    .addPairs(table: pairs, order: order), in: pairs),
                """
                SELECT \(ownColumn) \(from) WHERE NOT EXISTS (
                    SELECT 1 FROM \(SQLText.identifier(pairs)) AS q
                    WHERE q.\(SQLText.identifier(own)) = \(targetColumn) AND q.\(SQLText.identifier(target)) = \(ownColumn))
                """)
        }
        guard let order else { return }
        let position = "p.\(SQLText.identifier(order))"
        let mending = Mending.renumber(table: pairs, owner: own, order: order, key: [own, target])
        try store.find(
            finding(.missingOrder, "A member has no position.", "It gets one before all others.", mending, in: pairs),
            "SELECT \(ownColumn) \(from) WHERE \(position) IS NULL")
        try store.find(
            finding(
                .doubledOrder, "Members have the same position.", "They get positions of their own.", mending, in: pairs
            ),
            "SELECT \(ownColumn) \(from) WHERE \(position) IS NOT NULL GROUP BY \(ownColumn), \(position) HAVING count(*) > 1"
        )
    }

    private var isOwnInverse: Bool {
        guard let found = store.schema.inverse(of: relationship, in: entity) else { return false }
        return found.entity.name == entity.name && found.relationship.name == relationship.name
    }

    // MARK: Counts

    /// Checks the number of objects that it leads to.
    ///
    /// - Parameters:
    ///   - count: The query for that number for a row, which is called `t`.
    ///   - members: The query for the rows to which those of the scope belong.
    private func checkCount(_ count: String, memberOf members: String) throws(SQLiteError) {
        var from = "FROM \(SQLText.identifier(table)) AS t WHERE \(store.isKind(of: entity, "t"))"
        if store.scope != nil {
            from += " AND (\(store.isInScope("t.\(identifier)", of: table)) OR t.\(identifier) IN (\(members)))"
        }
        let (minimum, maximum) = (relationship.minimumCount, relationship.maximumCount)
        let remedy = "Add or remove objects."
        if !relationship.isToMany {
            if relationship.isOptional { return }
            try store.find(
                finding(
                    .missingValue, "An object has no \(relationship.name), which is required.",
                    "Give it one, or delete the object."),
                "SELECT t.\(identifier) \(from) AND (\(count)) = 0")
            return
        }
        if minimum > 0 {
            try store.find(
                finding(.tooFewObjects, "There are fewer than \(minimum) objects.", remedy),
                "SELECT t.\(identifier) \(from) AND (\(count)) BETWEEN \(relationship.isOptional ? 1 : 0) AND \(minimum - 1)"
            )
        }
        if maximum > 0 {
            try store.find(
                finding(.tooManyObjects, "There are more than \(maximum) objects.", remedy),
                "SELECT t.\(identifier) \(from) AND (\(count)) > \(maximum)")
        }
    }
}
