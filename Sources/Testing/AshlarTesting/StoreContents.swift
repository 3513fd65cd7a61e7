import Ashlar
import AshlarSQLite
import DataModel
import RelationalSchema

import class RelationalSchema.Schema

/// The objects of a store with their values and links, without its tables, for comparisons with a store of another
/// version.
struct StoreContents: Equatable {
    /// The destinations of an object's relationship.
    struct Links: Equatable {
        /// The positions of objects in ``StoreContents/objects``.
        var targets: [Int] = []
        /// Whether their order counts.
        var isOrdered: Bool
    }

    struct Object: Equatable {
        var entityName: String
        /// The number in the table. After a renumbering, it is one that keeps the object's place among those of its
        /// entity; see ``isRenumbered``.
        var rowID: Int64
        /// The values of attributes by their key paths, without unknown and derived ones.
        var values: [String: SQLiteValue] = [:]
        /// The destinations of the relationships by their names, without unknown ones.
        var links: [String: Links] = [:]
        /// Whether a migration gave it another number.
        var isRenumbered = false
        /// Whether it may be missing.
        var mayBeGone = false
    }

    var objects: [Object] = []

    init() {}

    /// Reads a store of a version.
    init(_ connection: Connection, _ schema: Schema) throws {
        var positions: [String: [Int64: Int]] = [:]
        for entity in schema.graph.entitiesByName where !entity.isAbstract {
            guard let storage = schema.storage(of: entity) else { continue }
            try readObjects(storage, schema, connection, &positions)
        }
        for entity in schema.graph.entitiesByName {
            for relationship in entity.relationships {
                try readLinks(relationship, entity, schema, connection, positions)
            }
        }
    }

    /// The positions of the objects, by their entities and numbers.
    var positions: [String: [Int64: Int]] {
        var result: [String: [Int64: Int]] = [:]
        for (position, object) in objects.enumerated() {
            result[object.entityName, default: [:]][object.rowID] = position
        }
        return result
    }

    private mutating func readObjects(
        _ storage: EntityStorage, _ schema: Schema, _ connection: Connection, _ positions: inout [String: [Int64: Int]]
    ) throws {
        let columns = storage.attributeColumns
        let names = SQLText.identifiers([ColumnName.identifier] + columns.map(\.name))
        let rows = try connection.rows(
            """
            SELECT \(names) FROM \(SQLText.identifier(storage.tableName))
            WHERE \(storage.rowCondition) ORDER BY \(SQLText.identifier(ColumnName.identifier))
            """)
        guard let entity = schema.graph.entity(named: storage.entityName) else { return }
        let empty = schema.storedRelationships(of: entity).map { ($0.name, Links(isOrdered: $0.isOrdered)) }
        for row in rows {
            guard case .integer(let number) = row[0] else { continue }
            var object = Object(entityName: storage.entityName, rowID: number)
            for (column, value) in zip(columns, row.dropFirst()) { object.values[column.keyPath] = value }
            object.links = Dictionary(empty, uniquingKeysWith: { first, _ in first })
            positions[storage.tableName, default: [:]][number] = objects.count
            objects.append(object)
        }
    }

    private mutating func readLinks(
        _ relationship: Relationship, _ entity: Entity, _ schema: Schema, _ connection: Connection,
        _ positions: [String: [Int64: Int]]
    ) throws {
        guard let pairs = schema.linksQuery(of: relationship, in: entity),
            let sources = schema.storage(of: entity).flatMap({ positions[$0.tableName] }),
            let targets = schema.storage(ofEntityNamed: relationship.destinationName)
                .flatMap({ positions[$0.tableName] })
        else { return }
        for row in try connection.rows("SELECT source, target FROM (\(pairs)) ORDER BY source, position, target") {
            guard case .integer(let source) = row[0], case .integer(let target) = row[1],
                let position = sources[source], let other = targets[target]
            else { continue }
            objects[position].links[relationship.name]?.targets.append(other)
        }
    }
}

extension EntityStorage {
    /// The columns of attributes that are not derived.
    var attributeColumns: [StoredColumn] {
        ownColumns.filter { column in
            if case .attribute = column.content { !column.isDerived } else { false }
        }
    }
}

extension StoredColumn {
    /// The attribute, or the part of a composite, that the column holds, as a path from the entity.
    ///
    /// Whether an optional composite is there is under the key path of the composite itself.
    var keyPath: String {
        if let leaf { return leaf.keyPath }
        return switch content {
        case .attribute(let attribute): attribute.name
        case .toOne(let relationship), .order(_, let relationship): relationship.name
        }
    }
}

extension Schema {
    /// The relationships that an entity has or inherits and that are stored.
    func storedRelationships(of entity: Entity) -> [Relationship] {
        graph.relationships(of: entity).filter { storage(of: $0, in: entity) != nil }
    }
}
