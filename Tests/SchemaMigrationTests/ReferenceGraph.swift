import DataModel
import RelationalSchema

/// Objects with their values and links, in terms of their marks alone: the contents of a store, whatever its tables
/// are.
struct ReferenceGraph {
    struct Object {
        var entityName: String
        /// The number of writes of the object.
        var version: String
        /// The attributes that are stored, without composites, as SQL literals.
        var values: [String: String] = [:]
        /// The relationships with the marks of their members, in their order.
        var links: [String: [Int]] = [:]
    }

    var objects: [Int: Object] = [:]

    init() {}

    /// Reads a store.
    init(_ store: RandomStore) throws {
        let graph = store.schema.graph
        for entity in graph.entitiesByName {
            for line in try store.objects(of: entity) {
                let parts = line.split(separator: "|").map { String($0) }
                guard let mark = Int(parts[0]) else { continue }
                objects[mark] = Object(entityName: entity.name, version: parts[1])
            }
            for attribute in Self.attributes(of: entity, in: graph) {
                for (mark, value) in try store.literals(of: attribute, in: entity) {
                    objects[mark]?.values[attribute.name] = value
                }
            }
        }
        for entity in graph.entitiesByName {
            for relationship in entity.relationships where !relationship.isTransient {
                for line in try store.links(of: relationship, in: entity) {
                    let marks = line.split(separator: "|").compactMap { Int($0) }
                    guard marks.count == 2 else { continue }
                    objects[marks[0]]?.links[relationship.name, default: []].append(marks[1])
                }
            }
        }
    }

    /// The attributes that are compared by themselves.
    static func attributes(of entity: Entity, in graph: ModelGraph) -> [Attribute] {
        graph.attributes(of: entity).filter {
            !$0.isTransient && $0.type != .composite && $0.type != .undefined
                && $0.name != RandomModel.markName
        }
    }

    /// The differences from the expected graph.
    ///
    /// - Parameter ordered: The relationships whose order counts, by the entities that declare them.
    func differences(from expected: ReferenceGraph, ordered: Set<RandomModel.Origin>, _ graph: ModelGraph) -> [String] {
        var result: [String] = []
        for mark in Set(objects.keys).union(expected.objects.keys).sorted() {
            guard let found = objects[mark], let wanted = expected.objects[mark] else {
                result.append("object \(mark) is \(objects[mark] == nil ? "gone" : "still there")")
                continue
            }
            let title = "object \(mark) of \(wanted.entityName)"
            if found.entityName != wanted.entityName { result.append("\(title) is of \(found.entityName)") }
            if found.version != wanted.version { result.append("\(title) has another version: \(found.version)") }
            for (name, value) in wanted.values.sorted(by: { $0.key < $1.key }) where found.values[name] != value {
                result.append("\(title): \(name) is \(found.values[name] ?? "none"), not \(value)")
            }
            guard let entity = graph.entity(named: wanted.entityName) else { continue }
            for kind in [entity] + graph.ancestors(of: entity) {
                for relationship in kind.relationships where !relationship.isTransient {
                    var (left, right) = (
                        found.links[relationship.name] ?? [], wanted.links[relationship.name] ?? []
                    )
                    if !ordered.contains(.init(entityName: kind.name, name: relationship.name)) {
                        left.sort()
                        right.sort()
                    }
                    if left != right { result.append("\(title): \(relationship.name) leads to \(left), not \(right)") }
                }
            }
        }
        return result
    }
}

extension RandomStore {
    /// The values of an attribute as SQL literals, by the marks of an entity's objects.
    func literals(of attribute: Attribute, in entity: Entity) throws -> [Int: String] {
        guard let storage = schema.storage(of: entity),
            let column = storage.ownColumns.first(where: { $0.content == .attribute(attribute) })
        else { return [:] }
        let rows = try database.run(
            """
            SELECT \(markColumn(of: entity)), quote(\(SQLText.identifier(column.name)))
            FROM \(SQLText.identifier(storage.tableName)) WHERE \(condition(entity))
            """)
        var result: [Int: String] = [:]
        for row in rows {
            if let mark = row[0].flatMap({ Int($0) }) { result[mark] = row[1] }
        }
        return result
    }
}
