import DataModel

extension SchemaBuilder {
    /// The place of the links of a relationship.
    enum Placement {
        /// In a column of the object's own table.
        case column(inverse: PropertyKey?)
        /// In the column of the inverse.
        case inverseColumn(PropertyKey)
        /// In a join table, which the relationship owns.
        case ownedTable(inverse: PropertyKey?)
        /// In the join table of the inverse.
        case inverseTable(PropertyKey)
    }

    func placeRelationships() {
        for hierarchy in hierarchies {
            for entity in hierarchy {
                for relationship in entity.relationships where !relationship.isTransient {
                    placements[PropertyKey(entity.name, relationship.name)] = placement(of: relationship, in: entity)
                }
            }
        }
    }

    /// The inverse, if both name each other and both are stored. Otherwise each is stored by itself.
    static func inverse(
        of relationship: Relationship, declaredBy entity: Entity, in graph: ModelGraph
    ) -> (entity: Entity, relationship: Relationship)? {
        guard let inverse = graph.inverse(of: relationship), !inverse.relationship.isTransient,
            inverse.relationship.inverseName == relationship.name
        else { return nil }
        if inverse.entity.name == entity.name && inverse.relationship.name == relationship.name { return inverse }
        guard let back = graph.inverse(of: inverse.relationship), back.entity.name == entity.name else { return nil }
        return inverse
    }

    private func placement(of relationship: Relationship, in entity: Entity) -> Placement {
        let own = PropertyKey(entity.name, relationship.name)
        guard let inverse = Self.inverse(of: relationship, declaredBy: entity, in: graph) else {
            return relationship.isToMany ? .ownedTable(inverse: nil) : .column(inverse: nil)
        }
        let other = PropertyKey(inverse.entity.name, inverse.relationship.name)
        switch (relationship.isToMany, inverse.relationship.isToMany) {
        case (true, true): return own <= other ? .ownedTable(inverse: other) : .inverseTable(other)
        case (true, false): return .inverseColumn(other)
        case (false, true): return .column(inverse: other)
        case (false, false):
            let isHere = relationship.holdsColumn(
                of: entity.name, against: inverse.relationship, of: inverse.entity.name)
            return isHere ? .column(inverse: other) : .inverseColumn(other)
        }
    }

    /// The reference of a to-one relationship's column.
    ///
    /// Its action follows the deletion rule of the inverse, since the destination is deleted. A rule of No Action
    /// leaves the value unchanged, which only a column without a reference allows.
    func reference(of relationship: Relationship, inverse: PropertyKey?, isNullable: Bool) -> ForeignKey? {
        guard let tableName = tableName(ofEntityNamed: relationship.destinationName) else { return nil }
        let rule = inverse.flatMap { declaration(of: $0) }?.deletionRule ?? .nullify
        switch rule {
        case .nullify: return ForeignKey(tableName: tableName, action: isNullable ? .setNull : .noAction)
        case .cascade: return ForeignKey(tableName: tableName, action: .cascade)
        case .deny: return ForeignKey(tableName: tableName, action: .noAction)
        case .noAction: return nil
        }
    }

    /// The relationship that an entity declares.
    func declaration(of key: PropertyKey) -> Relationship? {
        graph.entity(named: key.entityName)?.relationships.first { $0.name == key.name }
    }

    func storeRelationships() {
        for (key, placement) in placements {
            relationshipStorages[key] = storage(of: key, placement)
        }
    }

    private func storage(of key: PropertyKey, _ placement: Placement) -> RelationshipStorage? {
        switch placement {
        case .column: return columnNames[key].map { .column(name: $0) }
        case .inverseColumn(let inverse):
            guard let columnName = columnNames[inverse], let tableName = tableName(ofEntityNamed: inverse.entityName)
            else { return nil }
            return .inverseColumn(
                tableName: tableName, columnName: columnName, orderColumnName: orderColumnNames[key])
        case .ownedTable:
            return joinTableNames[key].map {
                .joinTable(
                    tableName: $0, ownColumnName: ColumnName.source, otherColumnName: ColumnName.target,
                    orderColumnName: declaration(of: key)?.isOrdered == true ? ColumnName.targetOrder : nil)
            }
        case .inverseTable(let inverse):
            return joinTableNames[inverse].map {
                .joinTable(
                    tableName: $0, ownColumnName: ColumnName.target, otherColumnName: ColumnName.source,
                    orderColumnName: declaration(of: key)?.isOrdered == true ? ColumnName.sourceOrder : nil)
            }
        }
    }
}
