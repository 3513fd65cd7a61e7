import DataModel

extension SchemaBuilder {
    /// A column before it has its final name.
    private struct Draft {
        var entityName: String
        /// The name of the property that the model gives to the entity.
        var propertyName: String
        var baseName: String
        var content: StoredColumn.Content
        var leaf: AttributeLeaf?
        var column: Column
    }

    /// The table of a root entity and all below it.
    func buildEntityTable(_ hierarchy: [Entity]) {
        guard let root = hierarchy.first, let tableName = tableNames[root.name] else { return }
        var system = [
            Column(name: ColumnName.identifier, type: .integer, isIdentifier: true),
            Column(name: ColumnName.version, type: .integer, isRequired: true, defaultLiteral: "1"),
        ]
        let hasDiscriminator = hierarchy.count > 1
        if hasDiscriminator { system.append(Column(name: ColumnName.entity, type: .text)) }

        var names = SQLNames()
        for name in [ColumnName.identifier, ColumnName.version, ColumnName.entity] { _ = names.claim(name) }
        let drafts = hierarchy.map { propertyDrafts(of: $0, isRoot: $0.name == root.name) }
        var owners: [String: Set<String>] = [:]
        if hasDiscriminator {
            for draft in drafts.joined() {
                owners[SQLText.folded(draft.propertyName), default: []].insert(draft.entityName)
            }
        }
        var columns: [StoredColumn] = []
        for (entity, drafts) in zip(hierarchy, drafts) {
            for draft in drafts {
                let isShared = (owners[SQLText.folded(draft.propertyName)] ?? []).count > 1
                let name = names.claim(isShared ? "\(draft.entityName)$\(draft.baseName)" : draft.baseName)
                if draft.leaf?.isPresence != true {
                    let keyPath = draft.leaf?.keyPath ?? draft.propertyName
                    columnNames[PropertyKey(draft.entityName, keyPath)] = name
                }
                columns.append(stored(draft, named: name))
            }
            for (key, draft) in orderDrafts(of: entity) {
                let name = names.claim(draft.baseName)
                orderColumnNames[key] = name
                columns.append(stored(draft, named: name))
            }
        }
        for index in columns.indices { setGeneration(of: &columns[index]) }
        checkCount(ofColumns: system.count + columns.count, root)
        entityTables.append(
            Table(name: tableName, content: .objects(ofRoot: root.name), columns: system + columns.map(\.column)))
        for entity in hierarchy {
            entityStorages[entity.name] = EntityStorage(
                entityName: entity.name, rootName: root.name, tableName: tableName, columns: columns,
                hasDiscriminator: hasDiscriminator,
                ancestry: Set(graph.ancestors(of: entity).map(\.name) + [entity.name]))
        }
    }

    private func checkCount(ofColumns count: Int, _ root: Entity) {
        if count <= ModelLimits.columnCount { return }
        diagnostics.report(
            .exceedsLimit, at: root.location,
            "The table of '\(root.name)' would have \(count) columns; SQLite allows \(ModelLimits.columnCount)",
            notes: [
                "The entities that inherit from '\(root.name)' are in the same table",
                "Move attributes to an entity that a relationship leads to",
            ])
    }

    private func stored(_ draft: Draft, named name: String) -> StoredColumn {
        var column = draft.column
        column.name = name
        return StoredColumn(
            name: name, entityName: draft.entityName, content: draft.content, leaf: draft.leaf, column: column)
    }

    /// The columns of the attributes, then those of the to-one relationships, each by name.
    private func propertyDrafts(of entity: Entity, isRoot: Bool) -> [Draft] {
        var drafts: [Draft] = []
        for attribute in entity.attributes.sorted(by: { $0.name < $1.name }) {
            drafts += graph.leaves(of: attribute).compactMap { draft($0, of: entity, isRoot: isRoot) }
        }
        for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) {
            guard case .column(let inverse) = placements[PropertyKey(entity.name, relationship.name)] else { continue }
            let isRequired = isRoot && !relationship.isOptional
            let column = Column(
                name: relationship.name, type: .integer, isRequired: isRequired,
                reference: reference(of: relationship, inverse: inverse, isNullable: !isRequired))
            drafts.append(
                Draft(
                    entityName: entity.name, propertyName: relationship.name, baseName: relationship.name,
                    content: .toOne(relationship), column: column))
        }
        return drafts
    }

    private func draft(_ leaf: AttributeLeaf, of entity: Entity, isRoot: Bool) -> Draft? {
        let attribute = leaf.stored
        guard let type = attribute.type.columnType else { return nil }
        let column = Column(
            name: attribute.name, type: type, isRequired: isRoot && !attribute.isOptional && !attribute.isDerived,
            defaultLiteral: defaultLiteral(of: attribute, entity, isRoot: isRoot),
            collation: attribute.type == .decimal ? decimalCollation : nil)
        return Draft(
            entityName: entity.name, propertyName: leaf.path[0].name, baseName: ColumnName.name(of: leaf),
            content: .attribute(attribute), leaf: leaf.isInComposite ? leaf : nil, column: column)
    }

    /// Returns the value of a column in an inserted row. Triggers maintain it later, unless this is already correct.
    private func defaultLiteral(of attribute: Attribute, _ entity: Entity, isRoot: Bool) -> String? {
        guard attribute.isDerived else { return (try? attribute.defaultValue()).map { SQLText.literal($0) } }
        switch isRoot ? Self.derivation(of: attribute, entity, in: graph)?.operation : nil {
        case .count, .sum: return attribute.type.columnType == .real ? "0.0" : "0"
        default: return nil
        }
    }

    private func setGeneration(of stored: inout StoredColumn) {
        guard case .attribute(let attribute) = stored.content, attribute.isDerived,
            let entity = graph.entity(named: stored.entityName)
        else { return }
        stored.column.generation = generation(of: attribute, entity)
    }

    /// The columns with the positions in the ordered to-many relationships that lead to the entity, by name.
    private func orderDrafts(of entity: Entity) -> [(PropertyKey, Draft)] {
        entity.relationships.sorted { $0.name < $1.name }.compactMap { toOne in
            let own = PropertyKey(entity.name, toOne.name)
            guard case .column(let inverse?) = placements[own], let name = columnNames[own],
                let toMany = declaration(of: inverse), toMany.isToMany, toMany.isOrdered
            else { return nil }
            let draft = Draft(
                entityName: entity.name, propertyName: toOne.name, baseName: "\(name)$order",
                content: .order(entityName: inverse.entityName, relationship: toMany),
                column: Column(name: name, type: .integer))
            return (inverse, draft)
        }
    }
}

extension AttributeType {
    /// The type of the column; nil for a type that is not stored in a column.
    var columnType: Column.DataType? {
        switch self {
        case .integer16, .integer32, .integer64, .boolean: .integer
        case .double, .float, .date: .real
        case .string, .uri, .decimal: .text
        case .uuid, .binary, .transformable: .blob
        case .undefined, .composite, .objectID: nil
        }
    }
}
