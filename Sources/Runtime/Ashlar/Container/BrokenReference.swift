import AshlarSQLite

/// A row whose reference leads to no row, which SQLite finds when a transaction commits.
struct BrokenReference {
    let entity: EntityDescription
    let relationship: RelationshipDescription
    let object: PersistentIdentifier
    /// The relationship at the other side, where it denies the deletion of what the reference led to.
    let denying: (entity: EntityDescription, relationship: RelationshipDescription)?
}

extension ModelContainer {
    /// The first reference in a store that leads to no row; nil where there is none. It looks at all rows.
    func brokenReference(_ connection: Connection, in store: PersistentStore) throws -> BrokenReference? {
        let found = try connection.rows(
            """
            SELECT "broken"."table", "broken"."rowid", "key"."from"
            FROM pragma_foreign_key_check(NULL, ?1) AS "broken"
            JOIN pragma_foreign_key_list("broken"."table", ?1) AS "key" ON "key"."id" = "broken"."fkid" LIMIT 1
            """, [.text(store.schemaName)])
        guard let row = found.first, case .text(let table) = row[0], case .integer(let rowID) = row[1],
            case .text(let column) = row[2]
        else { return nil }
        for entity in model.entities where entity.tableName == table {
            for relationship in entity.relationships {
                guard case .column(let position) = relationship.storage, entity.columns[position].name == column
                else { continue }
                return brokenReference(entity, relationship, rowID)
            }
        }
        return nil
    }

    private func brokenReference(
        _ entity: EntityDescription, _ relationship: RelationshipDescription, _ rowID: Int64
    ) -> BrokenReference {
        let destination = model.entity(named: relationship.destination)
        let inverse = relationship.inverse.flatMap { destination?.relationships[$0] }
        let denying = destination.flatMap { destination in
            inverse.flatMap { $0.deletionRule == .deny ? (entity: destination, relationship: $0) : nil }
        }
        return BrokenReference(
            entity: entity, relationship: relationship,
            object: PersistentIdentifier(
                rowID: rowID, store: storeNumber(of: entity.number.root), entity: entity.number), denying: denying)
    }
}
