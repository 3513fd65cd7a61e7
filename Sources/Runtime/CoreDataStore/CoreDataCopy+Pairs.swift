import SQLQuoting
import StoreDescription

/// The statements that copy the pairs of to-many relationships.
extension CoreDataCopy {
    func pairs(_ table: CoreDataLayout.JoinTable) -> Statement? {
        guard let owner = layout.entities[table.property.entity],
            let relationship = owner.relationships.first(where: { $0.name == table.property.name }),
            case .joinTable(let target, let own, let other, let order) = relationship.storage
        else { return nil }
        var columns = [own, other]
        var values = ["s.\(quoted(table.ownColumn))", "s.\(quoted(table.otherColumn))"]
        if let order, let position = table.orderColumn {
            columns.append(order)
            values.append(self.position(position))
        }
        let inverse = layout.inverse(of: relationship)
        let isReflexive = inverse.map { $0.entity.name == owner.name && $0.relationship.name == relationship.name }
        if case .joinTable(_, _, _, let order?)? = inverse?.relationship.storage, isReflexive == false,
            let position = table.inverseOrderColumn
        {
            columns.append(order)
            values.append(self.position(position))
        }
        let list = columns.map(SQLQuotation.identifier).joined(separator: ", ")
        var sql = """
            INSERT INTO main.\(SQLQuotation.identifier(target)) (\(list))
            SELECT \(values.joined(separator: ", "))
            FROM \(source(table.name)) AS s
            """
        if remedy == .repair { sql += "\nWHERE \(pairCondition(table))" }
        if isReflexive == true {
            // The pair may be there in one direction only.
            sql += remedy == .repair ? " AND " : "\nWHERE "
            sql += "true\nUNION SELECT \(([values[1], values[0]] + values.dropFirst(2)).joined(separator: ", "))"
            sql += " FROM \(source(table.name)) AS s WHERE NOT EXISTS (SELECT 1 FROM \(source(table.name)) AS o"
            sql += " WHERE o.\(quoted(table.ownColumn)) = s.\(quoted(table.otherColumn))"
            sql += " AND o.\(quoted(table.otherColumn)) = s.\(quoted(table.ownColumn)))"
            if remedy == .repair { sql += " AND \(pairCondition(table))" }
        }
        return Statement(table: target, source: table.name, sql: sql)
    }

    /// Returns the condition on a pair: both objects exist, and belong to the entities of the relationship.
    func pairCondition(_ table: CoreDataLayout.JoinTable) -> String {
        guard let owner = layout.entities[table.property.entity],
            let relationship = owner.relationships.first(where: { $0.name == table.property.name })
        else { return "true" }
        return
            "\(exists(table.ownColumn, in: owner.name)) AND \(exists(table.otherColumn, in: relationship.destination))"
    }

    /// To-many relationships without an inverse, for which Core Data has a column in the destination's table.
    var pairsWithoutInverse: [Statement] {
        relationshipsWithoutInverse.map { found in
            var columns = [found.own, found.other]
            var values = ["s.\(quoted(found.column))", "s.\"Z_PK\""]
            let property = CoreDataLayout.Property(found.owner.name, found.relationship.name)
            if let order = found.order, let position = found.table.orderColumns[property] {
                columns.append(order)
                values.append(self.position(position))
            }
            var sql = """
                INSERT INTO main.\(SQLQuotation.identifier(found.target)) \
                (\(columns.map(SQLQuotation.identifier).joined(separator: ", ")))
                SELECT \(values.joined(separator: ", "))
                FROM \(source(found.table.name)) AS s WHERE s.\(quoted(found.column)) IS NOT NULL
                """
            if remedy == .repair {
                sql +=
                    " AND \(isKept(found.table.name, "s.\"Z_PK\"")) AND \(exists(found.column, in: found.owner.name))"
            }
            return Statement(table: found.target, source: found.table.name, sql: sql)
        }
    }

    /// A to-many relationship without an inverse: its table of pairs of ours, and the column of Core Data's.
    struct RelationshipWithoutInverse {
        var owner: StoredEntity
        var relationship: StoredEntity.Relationship
        var target: String
        var own: String
        var other: String
        var order: String?
        var table: CoreDataLayout.EntityTable
        var column: String
    }

    var relationshipsWithoutInverse: [RelationshipWithoutInverse] {
        layout.entities.values.sorted { $0.name < $1.name }.flatMap { owner in
            owner.relationships.compactMap { relationship in
                let property = CoreDataLayout.Property(owner.name, relationship.name)
                guard relationship.isToMany, layout.inverse(of: relationship) == nil,
                    case .joinTable(let target, let own, let other, let order) = relationship.storage,
                    let table = layout.table(ofEntity: relationship.destination), let column = table.columns[property]
                else { return nil }
                return RelationshipWithoutInverse(
                    owner: owner, relationship: relationship, target: target, own: own, other: other, order: order,
                    table: table, column: column)
            }
        }
    }
}
