import DataModel

extension SchemaBuilder {
    /// The indexes that an entity itself declares.
    func buildIndexes(of entity: Entity) {
        guard let storage = entityStorages[entity.name] else { return }
        buildReferenceIndexes(of: entity, storage)
        for leaf in entity.attributes.sorted(by: { $0.name < $1.name }).flatMap({ graph.leaves(of: $0) })
        where leaf.stored.isIndexed {
            guard let columnName = columnNames[PropertyKey(entity.name, leaf.keyPath)] else { continue }
            add(
                "indexed$\(entity.name)$\(ColumnName.name(of: leaf))", storage.tableName,
                [.init(columnName: columnName)])
        }
        for index in entity.indexes.sorted(by: { $0.name < $1.name }) {
            switch index.kind {
            case .binary: buildIndex(index, of: entity, storage)
            case .rtree: buildRTree(index, of: entity, storage)
            case .fullText: buildFullTextTable(index, of: entity, storage)
            }
        }
        for constraint in entity.uniquenessConstraints {
            buildConstraint(constraint, of: entity, storage)
        }
    }

    /// Each deletion of an object and each to-many relationship searches foreign keys.
    private func buildReferenceIndexes(of entity: Entity, _ storage: EntityStorage) {
        for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) {
            let key = PropertyKey(entity.name, relationship.name)
            let name = "reference$\(entity.name)$\(relationship.name)"
            switch placements[key] {
            case .column:
                guard let columnName = columnNames[key] else { continue }
                add(name, storage.tableName, [.init(columnName: columnName)])
            case .ownedTable:
                guard let tableName = joinTableNames[key] else { continue }
                add(name, tableName, [.init(columnName: ColumnName.target)])
            case .inverseColumn, .inverseTable, nil: continue
            }
        }
    }

    /// Properties without a column are left out, as in Core Data.
    private func buildIndex(_ index: FetchIndex, of entity: Entity, _ storage: EntityStorage) {
        var elements: [TableIndex.Element] = []
        for element in index.elements {
            if let columnName = element.propertyName.flatMap({ indexedColumnName(of: $0, entity, storage) }) {
                elements.append(TableIndex.Element(columnName: columnName, isDescending: !element.isAscending))
            } else if element.propertyName == nil, let text = expression(of: element, in: index, entity) {
                elements.append(TableIndex.Element(expression: text, isDescending: !element.isAscending))
            }
        }
        let condition = condition(of: index, entity)
        if elements.isEmpty || (condition == nil && index.partialIndexPredicate != nil) { return }
        add("index$\(entity.name)$\(index.name)", storage.tableName, elements, condition: condition)
    }

    private func buildRTree(_ index: FetchIndex, of entity: Entity, _ storage: EntityStorage) {
        let columnNames = index.elements.compactMap { element in
            element.propertyName.flatMap { columnName(of: $0, entity) }
        }
        guard (1...5).contains(columnNames.count), columnNames.count == index.elements.count else { return }
        rtrees.append(
            RTree(
                name: objectNames.claim("rtree$\(entity.name)$\(index.name)"), tableName: storage.tableName,
                columnNames: columnNames, entityNames: covered(by: entity, storage)))
    }

    private func buildFullTextTable(_ index: FetchIndex, of entity: Entity, _ storage: EntityStorage) {
        let columnNames = index.elements.compactMap { element in
            element.propertyName.flatMap { columnName(of: $0, entity) }
        }
        guard !columnNames.isEmpty, columnNames.count == index.elements.count else { return }
        fullTextTables.append(
            FullTextTable(
                name: objectNames.claim("fulltext$\(entity.name)$\(index.name)"), tableName: storage.tableName,
                columnNames: columnNames,
                sourceColumnNames: index.elements.compactMap(\.propertyName).flatMap { copiedColumns(of: $0, entity) },
                entityNames: covered(by: entity, storage), tokenizer: index.fullText.tokenizer,
                prefixLengths: index.fullText.prefixLengths))
    }

    /// A constraint without one of its properties would refuse valid objects, so it is left out.
    private func buildConstraint(
        _ constraint: UniquenessConstraint, of entity: Entity, _ storage: EntityStorage
    ) {
        let columnNames = constraint.propertyNames.compactMap { columnName(of: $0, entity) }
        guard !columnNames.isEmpty, columnNames.count == constraint.propertyNames.count else { return }
        let names = constraint.propertyNames.map { $0.replacing(".", with: "$") }
        let name = "unique$\(entity.name)$\(names.joined(separator: "$"))"
        let index = TableIndex(
            name: objectNames.claim(name), tableName: storage.tableName,
            elements: columnNames.map { TableIndex.Element(columnName: $0) }, isUnique: true,
            entityNames: covered(by: entity, storage))
        indexes.append(index)
    }

    private func add(
        _ name: String, _ tableName: String, _ elements: [TableIndex.Element], condition: String? = nil
    ) {
        indexes.append(
            TableIndex(
                name: objectNames.claim(name), tableName: tableName, elements: elements, condition: condition))
    }

    /// The content of `entity$` for the entity and its sub-entities; nil for a root, whose index has all rows.
    func covered(by entity: Entity, _ storage: EntityStorage) -> [String]? {
        entity.name == storage.rootName ? nil : graph.hierarchy(of: entity).map(\.name)
    }

    /// The column of an own or inherited attribute or to-one relationship.
    func columnName(of propertyName: String, _ entity: Entity) -> String? {
        columnNames[PropertyKey(entity.name, propertyName)]
            ?? graph.ancestors(of: entity).reversed().lazy
            .compactMap { self.columnNames[PropertyKey($0.name, propertyName)] }.first
    }

    /// Models from before Xcode 9 name the object and its entity in their indexes as `self` and `entity`.
    private func indexedColumnName(of propertyName: String, _ entity: Entity, _ storage: EntityStorage) -> String? {
        if let name = columnName(of: propertyName, entity) { return name }
        switch propertyName {
        case "self": return ColumnName.identifier
        case "entity": return storage.hasDiscriminator ? ColumnName.entity : nil
        default: return nil
        }
    }
}
