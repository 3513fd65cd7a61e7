import AshlarSQLite
import SQLQuoting

/// The indexes of a database.
extension ModelReversal {
    mutating func addIndexes(of name: String) {
        guard let table = tables[name], let place = places[name] else { return }
        var indexNames = ReversedNames()
        for index in table.indexes {
            let properties = index.columns.map { columnProperties[name]?[$0.name.lowercased()] }
            // The number itself is unique.
            if index.columns.contains(where: { $0.name == table.rowIDColumn }) { continue }
            if properties.contains(nil) {
                result.notRepresentable.append(
                    "\(name): its index \(index.name), as one of its columns is not in the model.")
                continue
            }
            let names = properties.compactMap(\.self)
            if index.isUnique {
                let pairs = names.filter { isOneToOne($0, of: result.entities[place]) }
                // A to-one relationship on the other side already implies that no two rows refer to the same one.
                if names.count == 1, !pairs.isEmpty { continue }
                if !pairs.isEmpty {
                    // The other side may have the column.
                    result.notRepresentable.append(
                        "\(name): that \(names.joined(separator: " and ")) are unique together.")
                    continue
                }
                if !result.entities[place].constraints.contains(names) {
                    result.entities[place].constraints.append(names)
                }
            } else if names.count > 1 || !result.entities[place].relationships.contains(where: { $0.name == names[0] })
            {
                result.entities[place].indexes.append(
                    (indexNames.property(index.name), false, zip(names, index.columns).map { ($0, $1.isDescending) }))
            }
        }
    }

    private func isOneToOne(_ name: String, of entity: ReversedModel.Entity) -> Bool {
        guard let relationship = entity.relationships.first(where: { $0.name == name }), !relationship.isToMany else {
            return false
        }
        let inverse = positions[relationship.destination].flatMap { position in
            result.entities[position].relationships.first { $0.name == relationship.inverse && $0.inverse == name }
        }
        return inverse?.isToMany == false
    }

    /// An R-tree whose rows are those of a table is an index of it, with its numbers as attributes.
    mutating func addVirtualTable(_ name: String, _ sql: String) throws {
        guard sql.lowercased().contains("using rtree") else {
            result.notRepresentable.append("The virtual table \(name).")
            return
        }
        let columns = try connection.schema().columns(of: name).map(\.name)
        let numbers = Array(columns.dropFirst())
        var owners: [String] = []
        for table in names where places[table] != nil {
            guard let found = tables[table], found.hasRowID, found.rows > 0 else { continue }
            let missing = try connection.integer(
                "SELECT count(*) FROM main.\(SQLQuotation.identifier(name)) AS r WHERE NOT EXISTS "
                    + "(SELECT 1 FROM main.\(SQLQuotation.identifier(table)) AS t WHERE t.\(found.rowIDName ?? "rowid") = r.\(SQLQuotation.identifier(columns.first ?? "")))"
            )
            if missing == 0 { owners.append(table) }
        }
        // If there are several, the one whose name is in the R-tree's name.
        let named = owners.filter { name.lowercased().contains($0.lowercased()) }
        guard let owner = owners.count == 1 ? owners[0] : named.count == 1 ? named[0] : nil, let place = places[owner],
            (2...10).contains(numbers.count)
        else {
            result.notRepresentable.append("The R-tree \(name), as it is not known whose rows are in it.")
            return
        }
        var names = propertyNames[owner] ?? ReversedNames()
        var properties: [String] = []
        for column in numbers {
            let property = names.property(column)
            properties.append(property)
            let value =
                "(SELECT r.\(SQLQuotation.identifier(column)) FROM main.\(SQLQuotation.identifier(name)) AS r WHERE r.\(SQLQuotation.identifier(columns[0])) = s.\(tables[owner]?.rowIDName ?? "rowid"))"
            result.entities[place].attributes.append(
                ReversedModel.Attribute(name: property, type: "Double", isOptional: true, sql: value))
        }
        propertyNames[owner] = names
        var indexNames = ReversedNames()
        if properties.count <= 5 {
            result.entities[place].indexes.append(
                (indexNames.property("\(name)Box"), true, properties.map { ($0, false) }))
        } else {
            result.notes.append(
                "\(name) has more bounds than an R-tree of a model: they are attributes of \(result.entities[place].name) without an index."
            )
        }
        result.notes.append(
            "\(name) is an R-tree of \(owner), whose bounds are attributes of \(result.entities[place].name).")
    }
}
