import DataModel

extension SchemaBuilder {
    /// The tables of the relationships that need more than a column.
    func buildJoinTables() {
        var owners: [(key: PropertyKey, inverse: PropertyKey?)] = []
        for (key, placement) in placements {
            if case .ownedTable(let inverse) = placement { owners.append((key, inverse)) }
        }
        for (key, inverse) in owners.sorted(by: { $0.key < $1.key }) {
            guard let relationship = declaration(of: key), let source = tableName(ofEntityNamed: key.entityName),
                let target = tableName(ofEntityNamed: relationship.destinationName)
            else { continue }
            let name = objectNames.claim("\(key.entityName)$\(key.name)")
            var columns = [link(ColumnName.source, to: source), link(ColumnName.target, to: target)]
            if relationship.isOrdered { columns.append(Column(name: ColumnName.targetOrder, type: .integer)) }
            // A relationship that is its own inverse has a row and a position for each direction.
            if let inverse, inverse != key, declaration(of: inverse)?.isOrdered == true {
                columns.append(Column(name: ColumnName.sourceOrder, type: .integer))
            }
            joinTableNames[key] = name
            joinTables.append(
                Table(
                    name: name, content: .links, columns: columns, primaryKey: [ColumnName.source, ColumnName.target]))
        }
    }

    private func link(_ name: String, to tableName: String) -> Column {
        Column(
            name: name, type: .integer, isRequired: true, reference: ForeignKey(tableName: tableName, action: .cascade))
    }
}
