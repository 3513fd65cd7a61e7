import DataModel

extension SchemaBuilder {
    /// The derivation of an attribute; nil without one, and for a wrong expression.
    static func derivation(of attribute: Attribute, _ entity: Entity, in graph: ModelGraph) -> Derivation? {
        guard let expression = attribute.derivationExpression else { return nil }
        return try? graph.derivation(expression, of: entity)
    }

    /// The columns of derived attributes, with their triggers. Copies within a row are not among them.
    func buildDerivedColumns() {
        var pending: [(entity: Entity, attribute: Attribute, derivation: Derivation)] = []
        for hierarchy in hierarchies {
            for entity in hierarchy {
                for attribute in entity.attributes.sorted(by: { $0.name < $1.name }) where attribute.isStored {
                    guard let derivation = Self.derivation(of: attribute, entity, in: graph) else { continue }
                    pending.append((entity, attribute, derivation))
                }
            }
        }
        // The sources of a column precede it. A cycle, which is an error, has no order.
        var waiting = Set(pending.map { PropertyKey($0.entity.name, $0.attribute.name) })
        while let index = pending.firstIndex(where: { item in
            sourceKey(of: item.derivation).map { !waiting.contains($0) } ?? true
        }) {
            let item = pending.remove(at: index)
            waiting.remove(PropertyKey(item.entity.name, item.attribute.name))
            guard let column = derivedColumn(of: item.attribute, item.entity, item.derivation) else { continue }
            derivedColumns.append(column)
        }
    }

    /// The attribute that another one is derived from.
    private func sourceKey(of derivation: Derivation) -> PropertyKey? {
        guard let source = derivation.source, let entity = graph.entity(named: derivation.sourceEntityName),
            let owner = graph.owner(ofAttribute: source.name, in: entity)
        else { return nil }
        return PropertyKey(owner.name, source.name)
    }

    private func derivedColumn(
        of attribute: Attribute, _ entity: Entity, _ derivation: Derivation
    ) -> DerivedColumn? {
        guard let storage = entityStorages[entity.name], let columnName = columnName(of: attribute.name, entity),
            let path = path(of: derivation, from: storage.tableName)
        else { return nil }
        let coverage = covered(by: entity, storage).map { names in
            "\(SQLText.identifier(storage.tableName)).\(SQLText.identifier(ColumnName.entity)) "
                + "IN (\(SQLText.literals(names)))"
        }
        var column = DerivedColumn(
            entityName: entity.name, attributeName: attribute.name, tableName: storage.tableName,
            columnName: columnName, value: "", triggers: [], isTime: derivation.operation == .now,
            sourceTableName: path.tableName(ofLevel: path.hops.count),
            sourceColumnNames: watchedColumns(of: derivation), foldings: [])
        if case .fold(let folding) = derivation.operation { column.foldings = [folding] }
        guard var value = value(of: derivation, path) else { return nil }
        if !attribute.isOptional, derivation.isOptional, let fallback = try? attribute.defaultValue() {
            value = "coalesce(\(value), \(SQLText.literal(fallback)))"
        }
        if let coverage { value = "CASE WHEN \(coverage) THEN \(value) END" }
        column.value = value
        if Self.isGenerated(derivation) { return column }

        let keeper = DerivationTriggers(
            column: column, path: path, coverage: coverage, hasDiscriminator: storage.hasDiscriminator,
            isDecimal: attribute.type == .decimal, sourceColumns: column.sourceColumnNames,
            increment: increment(of: derivation, path), countedLinks: countedLinks(of: derivation, path))
        let watched = derivation.operation == .now ? writtenColumns(of: storage) : []
        let drafts = derivation.operation == .now ? keeper.timeTriggers(watched) : keeper.triggers
        column.triggers = drafts.map { draft in
            draft.trigger(named: objectNames.claim("derived$\(entity.name)$\(attribute.name)$\(draft.suffix)"))
        }
        return column
    }

    /// Whether the value equals another column of the row, so that SQLite itself provides it.
    static func isGenerated(_ derivation: Derivation) -> Bool {
        derivation.operation == .copy && derivation.steps.isEmpty
    }

    /// The expression of a generated column; nil for another column.
    func generation(of attribute: Attribute, _ entity: Entity) -> String? {
        guard let derivation = Self.derivation(of: attribute, entity, in: graph), Self.isGenerated(derivation),
            let source = derivation.source, let name = columnName(of: source.name, entity)
        else { return nil }
        var text = SQLText.identifier(name)
        if !attribute.isOptional, derivation.isOptional, let fallback = try? attribute.defaultValue() {
            text = "coalesce(\(text), \(SQLText.literal(fallback)))"
        }
        guard rootNames[entity.name] != entity.name else { return text }
        let names = graph.hierarchy(of: entity).map(\.name)
        return "CASE WHEN \(SQLText.identifier(ColumnName.entity)) IN (\(SQLText.literals(names))) THEN \(text) END"
    }

    private func path(of derivation: Derivation, from tableName: String) -> DerivationPath? {
        var path = DerivationPath(tableName: tableName, hops: [])
        for step in derivation.steps {
            guard let entity = graph.entity(named: step.entityName),
                let owner = graph.owner(ofRelationship: step.relationship.name, in: entity),
                let storage = relationshipStorages[PropertyKey(owner.name, step.relationship.name)],
                let destination = self.tableName(ofEntityNamed: step.relationship.destinationName)
            else { return nil }
            let link: DerivationPath.Link =
                switch storage {
                case .column(let name): .column(name)
                case .inverseColumn(_, let name, _): .inverseColumn(name)
                case .joinTable(let table, let own, let other, _): .joinTable(table, own: own, other: other)
                }
            path.hops.append(DerivationPath.Hop(link: link, tableName: destination))
        }
        return path
    }

    /// The column of the attribute at the end of the path.
    private func sourceColumn(of derivation: Derivation) -> String? {
        guard let source = derivation.source, let entity = graph.entity(named: derivation.sourceEntityName) else {
            return nil
        }
        return columnName(of: source.name, entity)
    }

    /// The value for a row, which is named by its table.
    private func value(of derivation: Derivation, _ path: DerivationPath) -> String? {
        switch derivation.operation {
        // SQLite's clock has milliseconds only.
        case .now: return "round((julianday('now') - 2451910.5) * 86400.0, 3)"
        case .count: return "(SELECT count(*) \(path.source))"
        case .sum, .copy, .fold: break
        }
        guard let column = sourceColumn(of: derivation) else { return nil }
        let name = "\(SQLText.identifier(path.alias)).\(SQLText.identifier(column))"
        let isReal = derivation.source?.type == .double || derivation.source?.type == .float
        let value =
            switch derivation.operation {
            case .sum: isReal ? "total(\(name))" : "coalesce(sum(\(name)), 0)"
            case .fold(let folding): LetterTable(folding: folding).sql(name)
            default: name
            }
        return path.hops.isEmpty ? value : "(SELECT \(value) \(path.source))"
    }

    /// The columns at the end of the path whose changes change the value. A generated column is never set itself.
    private func watchedColumns(of derivation: Derivation) -> [String] {
        var derivation = derivation
        while let source = derivation.source, let entity = graph.entity(named: derivation.sourceEntityName),
            let owner = graph.owner(ofAttribute: source.name, in: entity),
            let inner = Self.derivation(of: source, owner, in: graph), Self.isGenerated(inner)
        {
            derivation = inner
        }
        return sourceColumn(of: derivation).map { [$0] } ?? []
    }

    /// The column that a generated column copies; nil for an attribute with its own column.
    func copiedColumns(of name: String, _ entity: Entity) -> [String] {
        guard let owner = graph.owner(ofAttribute: name, in: entity),
            let attribute = owner.attributes.first(where: { $0.name == name }),
            let derivation = Self.derivation(of: attribute, owner, in: graph), Self.isGenerated(derivation)
        else { return [] }
        return watchedColumns(of: derivation)
    }

    /// The contribution of one object to a count or an integer sum over the objects that refer to the owner.
    ///
    /// Other sums are computed again from all objects, because rounding errors of fractions would add up.
    private func increment(of derivation: Derivation, _ path: DerivationPath) -> DerivationTriggers.Increment? {
        guard path.hops.count == 1, case .inverseColumn(let reference) = path.hops[0].link else { return nil }
        switch derivation.operation {
        case .count: return DerivationTriggers.Increment(reference: reference, column: nil)
        case .sum where derivation.source?.isDerived == false:
            guard let column = sourceColumn(of: derivation), derivation.source?.type != .double,
                derivation.source?.type != .float
            else { return nil }
            return DerivationTriggers.Increment(reference: reference, column: column)
        default: return nil
        }
    }

    /// The table of the counted pairs.
    private func countedLinks(
        of derivation: Derivation, _ path: DerivationPath
    ) -> DerivationTriggers.CountedLinks? {
        guard derivation.operation == .count, path.hops.count == 1,
            case .joinTable(let table, let own, let other) = path.hops[0].link
        else { return nil }
        return DerivationTriggers.CountedLinks(tableName: table, own: own, other: other)
    }

    /// The columns that a save of an object changes: all except those that the store maintains and positions in the
    /// relationships of other objects.
    private func writtenColumns(of storage: EntityStorage) -> [String] {
        storage.columns.compactMap { column in
            switch column.content {
            case .attribute(let attribute): attribute.isDerived ? nil : column.name
            case .toOne: column.name
            case .order: nil
            }
        }
    }
}
