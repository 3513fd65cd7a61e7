extension EntityDescription {
    /// The names of the properties of all constraints.
    var uniqueProperties: [String] {
        var names: [String] = []
        for column in schema.uniquenessConstraints.joined() where !names.contains(columns[column].property) {
            names.append(columns[column].property)
        }
        return names
    }

    func isUpdated(by policy: BatchConflictPolicy) -> Bool {
        if case .update = policy.kind { !schema.uniquenessConstraints.isEmpty } else { false }
    }

    /// The foreign key columns whose inverse is ordered, with the columns that keep the order.
    func orderedReferences(_ model: ModelDescription) -> [(reference: String, key: String)] {
        relationships.compactMap { relationship in
            guard case .column(let column) = relationship.storage, let number = relationship.inverse,
                let inverse = model.entity(named: relationship.destination)?.relationships[number],
                case .inverseColumn(_, let key?) = inverse.storage
            else { return nil }
            return (columns[column].name, key)
        }
    }

    /// Returns the columns that an insertion sets if it updates an existing row.
    func updatedColumns(_ policy: BatchConflictPolicy) throws(BatchError) -> [Int] {
        guard case .update(_, let properties) = policy.kind, !schema.uniquenessConstraints.isEmpty else { return [] }
        guard let properties else { return ownColumns }
        let unknown = properties.filter { name in !ownColumns.contains { matches(columns[$0], name) } }
        if !unknown.isEmpty { throw .unknownProperties(entity: name, properties: unknown) }
        return ownColumns.filter { column in properties.contains { matches(columns[column], $0) } }
    }

    /// Returns whether a column has a property's name, or is part of the composite of that name.
    private func matches(_ column: ColumnDescription, _ name: String) -> Bool {
        column.property == name || column.property.hasPrefix(name + ".")
    }

    /// Returns the clause after the rows in the statement that inserts them.
    func conflictClause(_ policy: BatchConflictPolicy) throws(BatchError) -> String {
        if case .ignore = policy.kind { return " ON CONFLICT DO NOTHING" }
        guard case .update(let unique, _) = policy.kind else { return "" }
        var conditions: [String] = []
        let table = tableName.quotedIdentifier
        // A row cannot change its entity.
        if hasDiscriminator { conditions.append("\(table).\"entity$\" IS excluded.\"entity$\"") }
        if let unique {
            let constraint = schema.uniquenessConstraints.first { Set($0.map { columns[$0].property }) == Set(unique) }
            guard let constraint else {
                let known = schema.uniquenessConstraints.map { $0.map { columns[$0].property } }
                throw .unknownConstraint(entity: name, properties: unique, known: known)
            }
            conditions += constraint.map { columns[$0].name.quotedIdentifier }.map {
                "\(table).\($0) IS excluded.\($0)"
            }
        }
        let updated = try updatedColumns(policy)
        if updated.isEmpty { return "" }
        let keys = orderedReferences(model?.modelDescription)
        var sets = ["\"version$\" = \(table).\"version$\" + 1"]
        for name in updated.map({ columns[$0].name }) {
            sets.append("\(name.quotedIdentifier) = excluded.\(name.quotedIdentifier)")
            guard let key = keys.first(where: { $0.reference == name })?.key.quotedIdentifier else { continue }
            let reference = name.quotedIdentifier
            sets.append(
                "\(key) = CASE WHEN \(table).\(reference) IS excluded.\(reference) THEN \(table).\(key) ELSE "
                    + "(SELECT coalesce(max(\"other$\".\(key)), 0) + \(OrderKeys.distance) FROM \(table) AS \"other$\" "
                    + "WHERE \"other$\".\(reference) = excluded.\(reference)) END")
        }
        let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return " ON CONFLICT DO UPDATE SET \(sets.joined(separator: ", "))\(condition)"
    }

    private func orderedReferences(_ model: ModelDescription?) -> [(reference: String, key: String)] {
        model.map { orderedReferences($0) } ?? []
    }
}
