import StoreDescription

/// The tables and columns in which Core Data stores a version of a model. They follow from the version's entities and
/// from the numbers that a store gives them.
///
/// Entities below a root share its table. Names are upper-cased in ASCII. If two properties of a table have the same
/// name, the later one in the order of the entities' numbers gets a number at its end.
package struct CoreDataLayout: Sendable {
    /// A property by the entity that declares it: an attribute's key path, or a relationship's name.
    package struct Property: Sendable, Hashable {
        package var entity: String
        package var name: String

        init(_ entity: String, _ name: String) { (self.entity, self.name) = (entity, name) }
    }

    /// The table of a root entity and all below it.
    package struct EntityTable: Sendable {
        package var root: String
        package var name: String
        /// The entities with objects in it, by their numbers in the store.
        package var entities: [StoredEntity]
        /// The column of each attribute and of each relationship that is a foreign key.
        package var columns: [Property: String] = [:]
        /// The column of the number of the destination's entity, if that has others below it.
        package var entityColumns: [Property: String] = [:]
        /// The column of the position in the ordered inverse of a to-one relationship.
        package var orderColumns: [Property: String] = [:]
        /// The names of all columns, without those that every table has.
        package var columnNames: Set<String> = []
    }

    /// The columns that every table of objects has.
    package static let systemColumns: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

    /// The entities, by name.
    package let entities: [String: StoredEntity]
    /// The store's number of each entity.
    package let numbers: [String: Int64]
    /// The tables of objects, by the roots' names.
    package private(set) var tables: [EntityTable] = []
    private let children: [String: [String]]

    /// Lays out the entities of a version, each with a number and a root.
    package init(_ entities: [StoredEntity], numbers: [String: Int64]) {
        let byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        self.entities = byName
        self.numbers = numbers
        var children: [String: [String]] = [:]
        for entity in entities { if let parent = entity.parent { children[parent, default: []].append(entity.name) } }
        self.children = children
        for root in entities.filter({ $0.parent == nil }).sorted(by: { $0.name < $1.name }) {
            tables.append(table(of: root))
        }
    }

    // MARK: Entities

    /// The entity and all below it, by their numbers.
    package func hierarchy(of name: String) -> [StoredEntity] {
        var result: [StoredEntity] = []
        var waiting = [name]
        while let next = waiting.popLast() {
            guard let entity = entities[next] else { continue }
            result.append(entity)
            waiting += children[next] ?? []
        }
        return result.sorted { (numbers[$0.name] ?? 0, $0.name) < (numbers[$1.name] ?? 0, $1.name) }
    }

    /// The store's numbers of an entity and of all below it that can have objects.
    package func objectNumbers(of name: String) -> [Int64] {
        hierarchy(of: name).filter { !$0.isAbstract }.compactMap { numbers[$0.name] }
    }

    /// The entity with all above it, itself first.
    package func line(of name: String) -> [StoredEntity] {
        var result: [StoredEntity] = []
        var entity = entities[name]
        while let found = entity, result.count <= entities.count {
            result.append(found)
            entity = found.parent.flatMap { entities[$0] }
        }
        return result
    }

    /// The root of an entity, which may be itself.
    package func root(of name: String) -> StoredEntity? {
        var entity = entities[name]
        var steps = 0
        while let parent = entity?.parent, steps < entities.count {
            entity = entities[parent]
            steps += 1
        }
        return entity
    }

    /// The table with the objects of an entity.
    package func table(ofEntity name: String) -> EntityTable? {
        guard let root = root(of: name) else { return nil }
        return tables.first { $0.root == root.name }
    }

    /// The inverse of a relationship with the entity that declares it, at or above the destination.
    package func inverse(
        of relationship: StoredEntity.Relationship
    ) -> (entity: StoredEntity, relationship: StoredEntity.Relationship)? {
        guard let name = relationship.inverse else { return nil }
        var entity = entities[relationship.destination]
        var steps = 0
        while let candidate = entity, steps <= entities.count {
            if let found = candidate.relationships.first(where: { $0.name == name }) { return (candidate, found) }
            entity = candidate.parent.flatMap { entities[$0] }
            steps += 1
        }
        return nil
    }

    // MARK: Columns

    private func table(of root: StoredEntity) -> EntityTable {
        var table = EntityTable(
            root: root.name, name: Self.tableName(ofRoot: root.name), entities: hierarchy(of: root.name))
        var used = Self.systemColumns
        func claim(_ base: String) -> String {
            var (name, number) = (base, 0)
            while !used.insert(name).inserted {
                number += 1
                name = "\(base)\(number)"
            }
            return name
        }
        for entity in table.entities {
            for attribute in entity.attributes.sorted(by: { $0.keyPath < $1.keyPath }) where attribute.type != nil {
                // A composite's leaves are columns by their own names.
                let name = attribute.path.last ?? attribute.keyPath
                table.columns[Property(entity.name, attribute.keyPath)] = claim("Z" + Self.upper(name))
            }
            for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) where !relationship.isToMany {
                let property = Property(entity.name, relationship.name)
                let column = claim("Z" + Self.upper(relationship.name))
                let name = column.dropFirst()
                table.columns[property] = column
                if let number = numbers[relationship.destination], children[relationship.destination] != nil {
                    table.entityColumns[property] = claim("Z\(number)_\(name)")
                }
                if let inverse = inverse(of: relationship)?.relationship, inverse.isToMany, inverse.isOrdered {
                    table.orderColumns[property] = claim("Z_FOK_\(name)")
                }
            }
        }
        addReferencesWithoutInverse(to: &table, claim)
        table.columnNames = used.subtracting(Self.systemColumns)
        return table
    }

    /// The objects of a to-many relationship without an inverse refer to its owner by a column of their own.
    private func addReferencesWithoutInverse(to table: inout EntityTable, _ claim: (String) -> String) {
        for owner in entities.values.sorted(by: { $0.name < $1.name }) {
            guard let number = numbers[owner.name] else { continue }
            for relationship in owner.relationships.sorted(by: { $0.name < $1.name })
            where relationship.isToMany && inverse(of: relationship) == nil {
                guard root(of: relationship.destination)?.name == table.root else { continue }
                let property = Property(owner.name, relationship.name)
                let column = claim("Z\(number)\(Self.upper(relationship.name))")
                table.columns[property] = column
                if children[owner.name] != nil {
                    table.entityColumns[property] = claim("Z\(number)_\(column.dropFirst())")
                }
                if relationship.isOrdered { table.orderColumns[property] = claim("Z_FOK_\(column.dropFirst())") }
            }
        }
    }

    /// The table of a root entity's objects and of those below it.
    package static func tableName(ofRoot name: String) -> String { "Z" + upper(name) }

    /// The name as Core Data has it in tables and columns: only the letters of ASCII become others.
    static func upper(_ name: String) -> String {
        String(decoding: name.utf8.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }, as: UTF8.self)
    }
}
