import Ashlar
import AshlarSQLite
import DataModel
import Foundation
import RandomData
import RandomNumbers

/// Plans random legal objects with their links, a part at a time, and inserts each part into a context.
///
/// An object is related to those of its own part only, so that no more than a part is in memory.
struct RandomInsertion {
    struct Planned {
        let entity: EntityDescription
        var values: [SQLiteValue]
        /// The positions of the objects that relationships lead to, by the relationships' positions.
        var links: [Int: [Int]] = [:]
    }

    let model: ModelDescription
    var values: RandomColumnValues
    var planned: [Planned] = []
    /// The planned objects of each entity and those below it.
    var positions: [String: [Int]] = [:]
    /// The values of all constraints, in all parts and in the store before.
    private var taken: [String: Set<[SQLiteValue]>] = [:]
    /// A store in memory that computes derived values; nil until it is needed.
    private var deriving: ModelContainer?

    init(_ model: ModelDescription, seed: UInt64, chosenValues: [String: [SQLiteValue]]) {
        self.model = model
        let derivesWholeNumbers = model.entities.contains { entity in
            entity.columns.contains { $0.isDerived && $0.type.map(Self.wholeNumbers.contains) == true }
        }
        values = RandomColumnValues(seed: seed, chosen: chosenValues, hasSums: derivesWholeNumbers)
    }

    private static let wholeNumbers: Set<Ashlar.AttributeType> = [.integer16, .integer32, .integer64]

    /// Inserts objects of an entity, with the objects that they need.
    ///
    /// - Returns: The objects of the entity itself, or of those below it.
    mutating func insert(_ count: Int, of entity: EntityDescription, into assembler: ObjectAssembler) throws
        -> [ManagedObject]
    {
        planned = []
        positions = [:]
        let kinds = concreteKinds(of: entity.name)
        if kinds.isEmpty { throw RandomObjectsError.noLegalObject(entity: entity.name, reason: "it is abstract") }
        for _ in 0..<count { _ = try plan(choose(kinds)) }
        // Destinations for relationships, but no more of them than of the requested objects.
        for name in Set(kinds.flatMap { $0.relationships.map(\.destination) }).sorted() where positions[name] == nil {
            let neighbours = concreteKinds(of: name)
            if neighbours.isEmpty { continue }
            for _ in 0..<max(1, count / 10) { _ = try plan(choose(neighbours)) }
        }
        try relateAll()
        try separateAll()
        let objects = try planned.map { object in
            do {
                return try assembler.insert(object.entity, object.values)
            } catch let error as ObjectAssembler.UnsuitableValue {
                throw RandomObjectsError.noLegalValue(
                    property: "\(object.entity.name).\(error.property)", reason: "it should be \(error.expected)")
            }
        }
        for (position, object) in planned.enumerated() {
            for (number, targets) in object.links.sorted(by: { $0.key < $1.key }) {
                let relationship = object.entity.relationships[number]
                if !relationship.isToMany {
                    assembler.setTarget(targets.first.map { objects[$0] }, of: objects[position], number)
                } else if inverse(of: number, object.entity)?.isToMany != false {
                    assembler.setMembers(targets.map { objects[$0] }, of: objects[position], number)
                }
            }
        }
        return Array(objects.prefix(count))
    }

    // MARK: Entities

    /// The entity and those below it that have objects, in the order of the model.
    func concreteKinds(of name: String) -> [EntityDescription] {
        model.entities.filter { entity in
            !entity.isAbstract && kinds(of: entity).contains(name)
        }
    }

    /// The names of an entity and those above it.
    private func kinds(of entity: EntityDescription) -> [String] {
        Array(sequence(first: entity.name) { model.entity(named: $0)?.parentName })
    }

    mutating func choose(_ kinds: [EntityDescription]) -> EntityDescription {
        kinds[kinds.count == 1 ? 0 : values.random.generator.number(0..<kinds.count)]
    }

    func inverse(of number: Int, _ entity: EntityDescription) -> RelationshipDescription? {
        let relationship = entity.relationships[number]
        guard let inverse = relationship.inversePosition else { return nil }
        return model.entity(named: relationship.destination)?.relationships[inverse]
    }

    // MARK: Objects

    /// Plans an object without links.
    mutating func plan(_ entity: EntityDescription) throws -> Int {
        for _ in 0..<200 {
            let row = try values.row(of: entity)
            let unique = try rowAsStored(row, entity)
            let keys = entity.uniqueColumns.compactMap { columns -> (String, [SQLiteValue])? in
                columns.contains(where: entity.isReference) ? nil : key(columns, entity) { unique[$0] }
            }
            if keys.contains(where: { taken[$0.0]?.contains($0.1) == true }) { continue }
            for (name, key) in keys { taken[name, default: []].insert(key) }
            for name in kinds(of: entity) { positions[name, default: []].append(planned.count) }
            planned.append(Planned(entity: entity, values: row))
            return planned.count - 1
        }
        throw RandomObjectsError.noLegalObject(
            entity: entity.name, reason: "its uniqueness constraints leave no values for so many")
    }

    /// A row with the derived values that must be unique. They are derived without related objects, which do not exist
    /// yet.
    private mutating func rowAsStored(_ row: [SQLiteValue], _ entity: EntityDescription) throws -> [SQLiteValue] {
        let derived = Set(entity.uniqueColumns.joined()).filter { entity.columns[$0].isDerived }.sorted()
        if derived.isEmpty { return row }
        let container =
            try deriving
            ?? ModelContainer(
                describedBy: model, configuration: ModelConfiguration(model.name, isStoredInMemoryOnly: true))
        deriving = container
        var result = row
        for (column, value) in zip(derived, try container.derivedValues(of: entity, row, derived)) {
            result[column] = value
        }
        return result
    }

    /// Records the values in the store, so that no new value equals one of them.
    mutating func takeValues(of container: ModelContainer) throws {
        for entity in model.entities where !entity.isAbstract {
            for columns in entity.uniqueColumns where !columns.contains(where: entity.isReference) {
                for row in try container.storedValues(of: entity, columns) {
                    guard let (name, key) = key(columns, entity, { row[columns.firstIndex(of: $0) ?? 0] }) else {
                        continue
                    }
                    taken[name, default: []].insert(key)
                }
            }
        }
    }

    private func key(
        _ columns: [Int], _ entity: EntityDescription, _ value: (Int) -> SQLiteValue
    ) -> (String, [SQLiteValue])? {
        let key = columns.map { column -> SQLiteValue in
            let value = value(column)
            // Equal numbers are equal whatever their digits are.
            guard entity.columns[column].isDecimal, case .text(let text) = value, let number = Decimal(string: text)
            else { return value }
            return .text("\(number)")
        }
        if key.contains(.null) { return nil }
        return (([entity.tableName] + columns.map { entity.columns[$0].name }).joined(separator: "\0"), key)
    }

    /// Makes constraints over relationships hold: an object whose key is taken gets a new partner that no other object
    /// has.
    private mutating func separateAll() throws {
        var keys: [String: Set<[SQLiteValue]>] = [:]
        var position = 0
        while position < planned.count {
            let entity = planned[position].entity
            for columns in entity.uniqueColumns where columns.contains(where: entity.isReference) {
                for attempt in 0... {
                    let object = planned[position]
                    let found = key(columns, entity) { column in
                        guard let number = Self.relationship(ofColumn: column, entity) else {
                            return object.values[column]
                        }
                        return object.links[number]?.first.map { .integer(Int64($0)) } ?? .null
                    }
                    guard let (name, key) = found, !keys[name, default: []].insert(key).inserted else { break }
                    guard attempt < 20,
                        let number = columns.lazy.compactMap({ Self.relationship(ofColumn: $0, entity) }).first
                    else {
                        throw RandomObjectsError.noLegalObject(
                            entity: entity.name, reason: "its uniqueness constraints leave no partners for so many")
                    }
                    unlink(position, number)
                    if entity.relationships[number].isOptional { break }
                    try satisfy(position, number, onlyWithNew: true)
                }
            }
            for number in entity.relationships.indices { try satisfy(position, number) }
            position += 1
        }
    }

    private static func relationship(ofColumn column: Int, _ entity: EntityDescription) -> Int? {
        entity.relationships.firstIndex { $0.storage == .column(column) }
    }
}

/// An error of creating random objects.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum RandomObjectsError: Error, Sendable, Hashable {
    /// There is no way to choose a valid value for a property. Give some as `values`.
    case noLegalValue(property: String, reason: String)
    /// There are no more valid objects of an entity.
    case noLegalObject(entity: String, reason: String)
}

extension RandomObjectsError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noLegalValue(let property, let reason):
            "No legal value of \(property) can be made up: \(reason). Name legal values: values: [\"\(property)\": […]]."
        case .noLegalObject(let entity, let reason): "No legal object of \(entity) can be made up: \(reason)."
        }
    }
}
