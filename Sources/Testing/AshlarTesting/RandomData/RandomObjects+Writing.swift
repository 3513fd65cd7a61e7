import Ashlar
import AshlarSQLite
import DataModel
import RelationalSchema

extension RandomObjects {
    /// The distance between the positions in an ordered relationship. Positions may have gaps.
    private static let step: Int64 = 1000

    /// Writes the objects into an empty store of the version, in one transaction.
    func write(to connection: Connection) throws {
        try connection.execute("PRAGMA foreign_keys = ON")
        try connection.transaction {
            for object in objects.indices where !objects[object].isRemoved { try write(object, connection) }
            for entity in schema.graph.entitiesByName {
                for relationship in entity.relationships { try writePairs(relationship, entity, connection) }
            }
        }
    }

    private func write(_ position: Int, _ connection: Connection) throws {
        let object = objects[position]
        var row: [(String, SQLiteValue)] = [(ColumnName.identifier, .integer(object.rowID))]
        if object.storage.hasDiscriminator {
            row.append((ColumnName.entity, object.storage.discriminator.map { .text($0) } ?? .null))
        }
        for column in object.storage.ownColumns {
            switch column.content {
            case .attribute:
                if !column.isDerived { row.append((column.name, object.values[column.name] ?? .null)) }
            case .toOne(let relationship):
                let target = object.links[relationship.name]?.first
                row.append((column.name, target.map { .integer(objects[$0].rowID) } ?? .null))
            case .order(let entityName, let relationship):
                row.append((column.name, order(of: position, among: relationship, of: entityName)))
            }
        }
        try insert(row, into: object.storage.tableName, connection)
    }

    /// The position of an object among those that an ordered relationship of another leads to.
    private func order(of position: Int, among relationship: Relationship, of entityName: String) -> SQLiteValue {
        guard let owner = schema.graph.entity(named: entityName),
            let toOne = schema.inverse(of: relationship, in: owner),
            let source = objects[position].links[toOne.relationship.name]?.first
        else { return .null }
        return order(of: position, amongThoseOf: source, relationship)
    }

    private func order(of position: Int, amongThoseOf source: Int, _ relationship: Relationship) -> SQLiteValue {
        guard let index = objects[source].links[relationship.name]?.firstIndex(of: position) else { return .null }
        return .integer(Int64(index + 1) * Self.step)
    }

    /// Writes the rows of the join table that a relationship owns, if it does.
    private func writePairs(_ relationship: Relationship, _ entity: Entity, _ connection: Connection) throws {
        guard case .joinTable(let name, ColumnName.source, _, _) = schema.storage(of: relationship, in: entity),
            let table = schema.tables.first(where: { $0.name == name })
        else { return }
        let inverse = schema.inverse(of: relationship, in: entity)
        for source in positions[entity.name] ?? [] where !objects[source].isRemoved {
            for target in objects[source].links[relationship.name] ?? [] {
                let row: [(String, SQLiteValue)] = table.columns.map { column in
                    let value: SQLiteValue =
                        switch column.name {
                        case ColumnName.source: .integer(objects[source].rowID)
                        case ColumnName.target: .integer(objects[target].rowID)
                        case ColumnName.targetOrder: order(of: target, amongThoseOf: source, relationship)
                        default:
                            inverse.map { order(of: source, amongThoseOf: target, $0.relationship) } ?? .null
                        }
                    return (column.name, value)
                }
                try insert(row, into: name, connection)
            }
        }
    }

    private func insert(_ row: [(String, SQLiteValue)], into table: String, _ connection: Connection) throws {
        let parameters = row.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        _ = try connection.rows(
            """
            INSERT INTO \(SQLText.identifier(table)) (\(SQLText.identifiers(row.map(\.0)))) VALUES (\(parameters))
            """, row.map(\.1))
    }
}
