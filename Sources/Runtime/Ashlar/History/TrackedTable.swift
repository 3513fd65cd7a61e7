/// A table of the model whose changes a store's history records, with the information that its triggers need.
package struct TrackedTable: Sendable {
    package enum Content: Sendable {
        /// Objects of the entities. The root's discriminator is nil.
        case objects([(discriminator: String?, entity: EntitySchema)])
        /// Pairs of objects that a relationship connects.
        case pairs(PairedRelationship)
    }

    /// The part of a property that a column holds.
    package enum Part: Hashable, Sendable {
        /// The entire property: the value of an attribute, or the destination of a relationship.
        case value
        /// An element of a composite, by the names on the path to it.
        case element([String])
        /// The presence of an optional composite within the property, by the names on the path to it; without names,
        /// that of the property itself.
        case presence([String])
        /// The position of the object among those that refer to the same destination.
        case order
    }

    package struct Column: Sendable {
        package var name: String
        /// The property that changes with the column, under its name in the history.
        package var property: String
        /// The part of the property.
        package var part = Part.value
        /// Whether values are texts that a collation of Ashlar compares as numbers.
        var isDecimal = false
        /// Whether the store derives the value.
        package var isDerived = false
        /// Whether the value is kept when the row is deleted.
        var isPreserved = false
    }

    package var name: String
    package var content: Content
    /// The columns whose changes are recorded, by name.
    package var columns: [Column]

    /// The tables of a model, by name.
    package static func tables(of model: ModelDescription) -> [TrackedTable] {
        model.historyTables.withLock { known in
            let tables = known as? [TrackedTable] ?? makeTables(of: model)
            known = tables
            return tables
        }
    }

    private static func makeTables(of model: ModelDescription) -> [TrackedTable] {
        var tables: [String: TrackedTable] = [:]
        for entity in model.entitySchemas { add(entity, of: model, to: &tables) }
        for entity in model.entitySchemas {
            for (number, relationship) in entity.relationships.numbered {
                add(relationship, number, of: entity, in: model, to: &tables)
            }
        }
        return tables.values.map { table in
            var table = table
            table.columns.sort { $0.name < $1.name }
            if case .objects(let entities) = table.content {
                table.content = .objects(entities.sorted { ($0.discriminator ?? "") < ($1.discriminator ?? "") })
            }
            return table
        }.sorted { $0.name < $1.name }
    }

    private static func add(
        _ entity: EntitySchema, of model: ModelDescription, to tables: inout [String: TrackedTable]
    ) {
        var table =
            tables[entity.tableName] ?? TrackedTable(name: entity.tableName, content: .objects([]), columns: [])
        if case .objects(let entities) = table.content {
            table.content = .objects(entities + [(entity.discriminator, entity)])
        }
        for column in entity.columns where !table.columns.contains(where: { $0.name == column.name }) {
            table.columns.append(
                Column(
                    name: column.name, property: String(column.property.prefix { $0 != "." }), part: part(of: column),
                    isDecimal: column.isDecimal, isDerived: column.isDerived,
                    isPreserved: column.isPreservedAfterDeletion))
        }
        tables[entity.tableName] = table
    }

    private static func part(of column: ColumnDescription) -> Part {
        let names = column.property.split(separator: ".").dropFirst().map(String.init)
        // No property name contains the sign.
        if column.name.hasSuffix("$$present") { return .presence(names) }
        return names.isEmpty ? .value : .element(names)
    }

    private static func add(
        _ relationship: RelationshipDescription, _ number: RelationshipNumber, of entity: EntitySchema,
        in model: ModelDescription, to tables: inout [String: TrackedTable]
    ) {
        guard let destination = model.destination(of: entity, number) else { return }
        switch relationship.storage {
        case .column, .inverseColumn(_, nil): return
        case .inverseColumn(let column, let order?):
            // The member's row contains the key, and the reference to which it belongs.
            let name = destination.tableName
            guard tables[name]?.columns.contains(where: { $0.name == order }) == false else { return }
            tables[name]?.columns.append(
                Column(name: order, property: destination.columns[column].property, part: .order))
        case .joinTable(let name, let own, _, let order):
            let end = PairedRelationship.End(entity: entity, relationship: relationship.name, order: order)
            let otherEnd = PairedRelationship.End(
                entity: destination, relationship: relationship.inverse.map { destination.relationships[$0].name },
                order: nil)
            var pairs = PairedRelationship(tableName: name, source: end, target: otherEnd)
            if own != "source$" { pairs = PairedRelationship(tableName: name, source: otherEnd, target: end) }
            if case .pairs(let known)? = tables[name]?.content {
                pairs.takesAlong = known.takesAlong
                pairs.source.order = pairs.source.order ?? known.source.order
                pairs.target.order = pairs.target.order ?? known.target.order
                // The relationship may be declared by an ancestor of the entity that inherits it.
                if known.source.entity.number.entity != pairs.source.entity.number.entity,
                    known.source.entity.isAncestor(of: pairs.source.entity, in: model)
                {
                    pairs.source.entity = known.source.entity
                }
                if known.target.entity.isAncestor(of: pairs.target.entity, in: model) {
                    pairs.target.entity = known.target.entity
                }
            }
            if relationship.deletionRule == .cascade { pairs.takesAlong = true }
            tables[name] = TrackedTable(name: name, content: .pairs(pairs), columns: [])
        }
    }
}

/// A relationship that is stored in a join table, by the columns of its ends.
package struct PairedRelationship: Sendable {
    package struct End: Sendable {
        /// The entity of the objects in the column.
        package var entity: EntitySchema
        /// The relationship of these objects; nil if there is no inverse.
        var relationship: String?
        /// The column with the order of the other objects; nil if the relationship is not ordered.
        var order: String?
    }

    package var tableName: String
    package var source: End
    package var target: End
    /// Whether deleting an object at one end deletes those at the other.
    package var takesAlong = false
}
