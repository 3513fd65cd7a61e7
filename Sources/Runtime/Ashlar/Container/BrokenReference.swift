import AshlarSQLite

/// A row whose reference leads to a missing row, which SQLite detects at the commit.
struct BrokenReference {
    let entity: EntityDescription
    let relationship: RelationshipDescription
    let object: PersistentIdentifier
    /// The destination's inverse relationship, if it denies the deletion of the destination.
    let denying: (entity: EntityDescription, relationship: RelationshipDescription)?
}

extension ModelContainer {
    /// Returns the first reference in a store that leads to a missing row; nil if there is none. It checks all rows.
    func brokenReference(_ connection: Connection, in store: PersistentStore) throws -> BrokenReference? {
        guard let found = try connection.foreignKeyViolations(in: store.schemaName, limit: 1).first,
            let rowID = found.rowID,
            let key = try connection.schema(of: store.schemaName).foreignKeys(of: found.table)
                .first(where: { $0.number == found.key })
        else { return nil }
        for entity in model.entities where entity.tableName == found.table {
            for relationship in entity.relationships {
                guard case .column(let position) = relationship.storage, entity.columns[position].name == key.column
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
