import Ashlar
import AshlarSQLite
import DataModel
import RandomData
import RandomNumbers
import RelationalSchema

import class RelationalSchema.Schema

/// Random legal objects of all entities of a version of a model, in memory.
struct RandomObjects {
    struct Object {
        let entity: Entity
        let storage: EntityStorage
        let rowID: Int64
        /// The values of attributes, by the names of their columns.
        var values: [String: SQLiteValue]
        /// The positions of the objects that relationships lead to, by their names.
        var links: [String: [Int]] = [:]
        var isRemoved = false
    }

    let schema: Schema
    let versionName: String
    /// Values to choose from, by `Entity.attribute`.
    let chosenValues: [String: [SQLiteValue]]
    /// The values that the program's own types allow.
    let programValues: ProgramValues
    /// The bounds of numbers that are summed up.
    private let limits: SumLimits
    var random: RandomValues
    var objects: [Object] = []
    /// The objects of each entity and those below it.
    private(set) var positions: [String: [Int]] = [:]
    /// The objects that relationships may lead to, by the destination and the inverse.
    var candidates: [String: Candidates] = [:]
    private var lastRowIDs: [String: Int64] = [:]
    private var unique: [String: Set<[SQLiteValue]>] = [:]

    /// Makes objects.
    ///
    /// - Parameter count: The least number of objects of each entity, unless constraints leave too few values.
    /// - Throws: ``MigrationTestError``.
    init(
        _ schema: Schema, versionName: String, count: Int, seed: UInt64, chosenValues: [String: [SQLiteValue]],
        programValues: ProgramValues, limits: SumLimits
    ) throws {
        self.schema = schema
        self.programValues = programValues
        self.limits = limits
        self.versionName = versionName
        self.chosenValues = chosenValues
        random = RandomValues(generator: SeededGenerator(seed: seed)) { try KeyedArchive.data(from: $0) }
        let entities = schema.graph.entitiesByName.filter { !$0.isAbstract }
        // The objects of a hierarchy, which share a table, are mixed.
        for _ in 0..<count {
            for entity in entities { _ = try insert(entity) }
        }
        if count > 0 { try relateAll() }
        removeIllegalObjects()
    }

    /// Makes an object; nil if constraints leave no value for another one.
    mutating func insert(_ entity: Entity) throws -> Int? {
        guard let storage = schema.storage(of: entity) else { return nil }
        for _ in 0..<100 {
            let values = try values(of: storage)
            if !takeUnique(values, entity, storage) { continue }
            // Gaps, so that a number is not the position of a row.
            let last = lastRowIDs[storage.tableName] ?? 0
            let rowID = last + (random.generator.oneIn(5) ? Int64.random(in: 2...9, using: &random.generator) : 1)
            lastRowIDs[storage.tableName] = rowID
            for kind in [entity] + schema.graph.ancestors(of: entity) {
                positions[kind.name, default: []].append(objects.count)
            }
            objects.append(Object(entity: entity, storage: storage, rowID: rowID, values: values))
            return objects.count - 1
        }
        return nil
    }

    // MARK: Values

    private mutating func values(of storage: EntityStorage) throws -> [String: SQLiteValue] {
        var values: [String: SQLiteValue] = [:]
        var absent: Set<[String]> = []
        for column in storage.attributeColumns {
            guard case .attribute(let stored) = column.content else { continue }
            let leaf = column.leaf ?? AttributeLeaf(path: [stored])
            let isAbsent = leaf.optionalComposites.contains { absent.contains(Array(leaf.names.prefix($0))) }
            if leaf.isPresence {
                let isNil = isAbsent || random.generator.oneIn(3)
                if isNil { absent.insert(leaf.names) }
                values[column.name] = isNil ? .null : .integer(1)
            } else if let attribute = leaf.path.last {
                values[column.name] = isAbsent ? .null : try value(of: bounded(attribute, column, storage), column)
            }
        }
        return values
    }

    private func bounded(_ attribute: Attribute, _ column: StoredColumn, _ storage: EntityStorage) -> Attribute {
        limits.bounded(attribute, column.keyPath, of: storage.entityName)
    }

    private mutating func value(of attribute: Attribute, _ column: StoredColumn) throws -> SQLiteValue {
        let name = "\(column.entityName).\(column.keyPath)"
        if let value = chosenValues[name]?.randomElement(using: &random.generator) { return value }
        if attribute.isOptional && random.generator.oneIn(4) { return .null }
        do {
            if attribute.archivedTypeName == nil, let legal = programValues.values[name] {
                if let value = legal.randomElement(using: &random.generator) { return value }
                throw NoLegalValue(
                    attribute: attribute.name, reason: "its type in the program does not list its values")
            }
            // Only the program's own transformer can make such a value.
            if attribute.type == .transformable, attribute.archivedTypeName == nil {
                throw NoLegalValue(attribute: attribute.name, reason: "the program's own code makes its bytes")
            }
            return try random.value(of: attribute)
        } catch let error as NoLegalValue {
            if attribute.isOptional { return .null }
            throw MigrationTestError.noLegalValue(property: name, version: versionName, reason: error.reason)
        }
    }

    // MARK: Constraints

    private struct Constraint {
        var name: String
        var propertyNames: [String]
    }

    private func constraints(of entity: Entity) -> [Constraint] {
        ([entity] + schema.graph.ancestors(of: entity)).flatMap { kind in
            kind.uniquenessConstraints.map {
                Constraint(
                    name: "\(kind.name) \($0.propertyNames.joined(separator: ","))", propertyNames: $0.propertyNames)
            }
        }
    }

    /// Takes the values of all constraints of attributes alone; says whether they were free.
    private mutating func takeUnique(
        _ values: [String: SQLiteValue], _ entity: Entity, _ storage: EntityStorage
    ) -> Bool {
        let object = Object(entity: entity, storage: storage, rowID: 0, values: values)
        var taken: [(String, [SQLiteValue])] = []
        for constraint in constraints(of: entity) {
            // Relationships are not known yet, see `removeIllegalObjects`.
            guard let key = key(of: constraint, object, includesRelationships: false) else { continue }
            if unique[constraint.name]?.contains(key) == true { return false }
            taken.append((constraint.name, key))
        }
        for (name, key) in taken { unique[name, default: []].insert(key) }
        return true
    }

    /// The values that must be unique; nil if one is NULL, which is unlike any other.
    private func key(of constraint: Constraint, _ object: Object, includesRelationships: Bool) -> [SQLiteValue]? {
        var key: [SQLiteValue] = []
        for name in constraint.propertyNames {
            if let column = object.storage.attributeColumns.first(where: { $0.keyPath == name }) {
                key.append(object.values[column.name] ?? .null)
            } else if includesRelationships, let target = object.links[name]?.first {
                key.append(.integer(objects[target].rowID))
            } else {
                return nil
            }
        }
        return key.contains(.null) ? nil : key
    }

    // MARK: Impossible objects

    /// Removes objects that break a rule, and then those that need them.
    private mutating func removeIllegalObjects() {
        var keys: [String: Set<[SQLiteValue]>] = [:]
        for position in objects.indices {
            for constraint in constraints(of: objects[position].entity) where !objects[position].isRemoved {
                guard let key = key(of: constraint, objects[position], includesRelationships: true) else { continue }
                if !keys[constraint.name, default: []].insert(key).inserted { remove(position) }
            }
        }
        while let position = objects.indices.first(where: { !objects[$0].isRemoved && isIncomplete($0) }) {
            remove(position)
        }
    }

    private func isIncomplete(_ position: Int) -> Bool {
        let object = objects[position]
        return schema.storedRelationships(of: object.entity).contains {
            lacks(object.links[$0.name]?.count ?? 0, $0)
        }
    }

    private mutating func remove(_ position: Int) {
        objects[position].isRemoved = true
        for other in objects.indices {
            for (name, targets) in objects[other].links where targets.contains(position) {
                objects[other].links[name] = targets.filter { $0 != position }
            }
        }
    }
}
