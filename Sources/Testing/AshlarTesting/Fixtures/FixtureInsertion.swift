import Ashlar
import AshlarSQLite
import Foundation
import StoreDescription
import StoreExchange

/// Inserts the objects of a fixture into a context: first all objects, then their references.
struct FixtureInsertion {
    private let assembler: ObjectAssembler
    private let model: ModelDescription
    private var objects: [(text: FixtureText.Object, entity: EntityDescription, object: ManagedObject)] = []
    private var entities: [ObjectIdentifier: EntityDescription] = [:]
    /// The objects by the roots of their entities and their `$id`.
    private var named: [String: [String: ManagedObject]] = [:]
    /// The objects by their entities, those above them too, and the value of their one unique attribute.
    private var unique: [String: [SQLiteValue: [ManagedObject]]] = [:]
    /// The positions of objects in ordered relationships, given by the other side.
    private var orders: [ObjectIdentifier: [Int: [(order: Int64, object: ManagedObject)]]] = [:]
    private var owners: [ObjectIdentifier: ManagedObject] = [:]

    init(_ context: ModelContext) throws {
        assembler = try ObjectAssembler(context)
        model = context.container.model
    }

    mutating func insert(_ text: FixtureText) throws -> InsertedFixture {
        for object in text.objects { try insert(object) }
        for position in objects.indices { try relate(position) }
        for (owner, relationships) in orders {
            guard let object = owners[owner] else { continue }
            for (number, members) in relationships {
                assembler.setMembers(members.sorted { $0.order < $1.order }.map(\.object), of: object, number)
            }
        }
        var names: [String: [ManagedObject]] = [:]
        for objects in named.values { for (name, object) in objects { names[name, default: []].append(object) } }
        return InsertedFixture(objects: objects.compactMap { $0.object as? any PersistentModel }, names: names)
    }

    // MARK: Values

    private mutating func insert(_ object: FixtureText.Object) throws {
        guard let name = object.entityName else {
            throw FixtureError(
                "It does not name its entity. Write \"$entity\", or put it under the entity's name.",
                position: object.position)
        }
        guard let entity = model.entity(named: name) else {
            throw FixtureError(
                "There is no entity \(name). There are \(model.entities.map(\.name).sorted().joined(separator: ", ")).",
                position: object.position)
        }
        func failure(_ property: String?, _ reason: String) -> FixtureError {
            FixtureError(reason, position: object.position, entity: name, property: property)
        }
        if entity.isAbstract { throw failure(nil, "The entity is abstract, and has no objects of its own.") }
        try checkNames(of: object, entity, failure)
        var values = try assembler.defaultValues(of: entity)
        for (number, column) in entity.columns.enumerated() where !column.isDerived && !entity.isReference(number) {
            guard let value = Self.value(at: column.property, in: object.fields) else { continue }
            values[number] = try stored(value, column, entity, failure)
        }
        let inserted: ManagedObject
        do {
            inserted = try assembler.insert(entity, values)
        } catch let error as ObjectAssembler.UnsuitableValue {
            throw failure(error.property, "It should be \(error.expected)\(Self.cases(of: error.property, entity)).")
        }
        objects.append((object, entity, inserted))
        entities[ObjectIdentifier(inserted)] = entity
        if let identifier = object.identifier {
            let label = try Self.label(identifier) ?? { throw failure("$id", "It should be a text or a number.") }()
            if named[root(of: entity), default: [:]].updateValue(inserted, forKey: label) != nil {
                throw failure("$id", "Two objects have the name \(label).")
            }
        }
        for kind in line(of: entity) {
            guard let column = Self.uniqueColumn(of: kind), values.indices.contains(column) else { continue }
            unique[kind.name, default: [:]][values[column], default: []].append(inserted)
        }
    }

    private func stored(
        _ value: ExchangedValue, _ column: ColumnDescription, _ entity: EntityDescription,
        _ failure: (String, String) -> FixtureError
    ) throws -> SQLiteValue {
        // The column that stores whether a composite exists.
        if case .object = value, column.type == .boolean { return .integer(1) }
        if value == .null, !column.isOptional { throw failure(column.property, "It must not be null.") }
        let type = column.type.flatMap { ColumnLine.AttributeType(rawValue: $0.rawValue) }
        guard let result = value.stored(as: type) else {
            throw failure(
                column.property,
                "It should be of type \(column.type?.rawValue ?? "boolean")\(Self.cases(of: column.property, entity)).")
        }
        for rule in column.rules {
            if let broken = rule.brokenRule(by: result, isDecimal: column.isDecimal) {
                throw failure(column.property, "It is not allowed: \(broken).")
            }
        }
        return result
    }

    /// The values that an enumeration allows.
    private static func cases(of property: String, _ entity: EntityDescription) -> String {
        guard case .rawValue? = entity.programTypes[property], let type = entity.programTypes[property] else {
            return ""
        }
        let values = ProgramValues.values(of: type)
        return values.isEmpty ? "" : ", one of " + values.map(\.description).joined(separator: ", ")
    }

    /// The value at a path: under the path itself, or within objects.
    private static func value(
        at path: String, in fields: [(name: String, value: ExchangedValue)]
    ) -> ExchangedValue? {
        if let field = fields.first(where: { $0.name == path }) { return field.value }
        let parts = path.split(separator: ".").map(String.init)
        guard parts.count > 1, var value = fields.first(where: { $0.name == parts[0] })?.value else { return nil }
        for part in parts.dropFirst() {
            guard case .object(let inner) = value, let next = inner.first(where: { $0.0 == part }) else { return nil }
            value = next.1
        }
        return value
    }

    /// Reports names that the entity does not have.
    private func checkNames(
        of object: FixtureText.Object, _ entity: EntityDescription, _ failure: (String?, String) -> FixtureError
    ) throws {
        let attributes = Set(
            entity.columns.indices.filter { !entity.isReference($0) }.map { entity.columns[$0].property })
        let groups = Set(attributes.compactMap { $0.split(separator: ".").first.map(String.init) })
        let relationships = Set(entity.relationships.map(\.name))
        for (name, _) in object.fields {
            let known = name.hasSuffix("$order") ? String(name.dropLast("$order".count)) : name
            if attributes.contains(name) || groups.contains(name) || relationships.contains(known) { continue }
            throw failure(
                name,
                "There is no such property. There are \(groups.union(relationships).sorted().joined(separator: ", ")).")
        }
    }

    // MARK: Entities

    private func line(of entity: EntityDescription) -> [EntityDescription] {
        Array(sequence(first: entity) { $0.parentName.flatMap { model.entity(named: $0) } })
    }

    private func root(of entity: EntityDescription) -> String { line(of: entity).last?.name ?? entity.name }

    /// Returns the one attribute that identifies objects.
    private static func uniqueColumn(of entity: EntityDescription) -> Int? {
        let single = entity.uniqueColumns.filter { $0.count == 1 && !entity.isReference($0[0]) }
        return single.count == 1 ? single[0][0] : nil
    }

    private static func label(_ value: ExchangedValue) -> String? {
        switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        default: nil
        }
    }

    // MARK: Relationships

    private mutating func relate(_ position: Int) throws {
        let (text, entity, object) = objects[position]
        for (number, relationship) in entity.relationships.enumerated() {
            func failure(_ reason: String) -> FixtureError {
                FixtureError(reason, position: text.position, entity: entity.name, property: relationship.name)
            }
            guard let value = text.fields.first(where: { $0.name == relationship.name })?.value else { continue }
            if relationship.isToMany {
                if value == .null { continue }
                guard case .list(let list) = value else { throw failure("It should be a list of objects' names.") }
                assembler.setMembers(
                    try list.map { try target($0, relationship, failure) }, of: object, number)
            } else if value != .null {
                let target = try target(value, relationship, failure)
                assembler.setTarget(target, of: object, number)
                guard let order = text.fields.first(where: { $0.name == relationship.name + "$order" })?.value,
                    case .integer(let place) = order, let inverse = relationship.inversePosition
                else { continue }
                owners[ObjectIdentifier(target)] = target
                orders[ObjectIdentifier(target), default: [:]][inverse, default: []].append((place, object))
            }
        }
    }

    /// The object that a value names: by its `$id`, or by its unique attribute.
    private func target(
        _ value: ExchangedValue, _ relationship: RelationshipDescription, _ failure: (String) -> FixtureError
    ) throws -> ManagedObject {
        guard let entity = model.entity(named: relationship.destination) else {
            throw failure("There is no entity \(relationship.destination).")
        }
        let found: ManagedObject?
        if let label = Self.label(value), let object = named[root(of: entity)]?[label] {
            found = object
        } else if let column = Self.uniqueColumn(of: entity),
            let key = value.stored(as: entity.columns[column].type.flatMap { .init(rawValue: $0.rawValue) })
        {
            found = unique[entity.name]?[key]?.first
        } else {
            found = nil
        }
        guard let found else {
            let attribute = Self.uniqueColumn(of: entity).map { " or the \(entity.columns[$0].property)" } ?? ""
            throw failure("No object of the fixture has the $id\(attribute) that it names.")
        }
        guard found is any PersistentModel, kinds(of: found).contains(entity.name) else {
            throw failure("It names an object that does not belong to \(entity.name).")
        }
        return found
    }

    private func kinds(of object: ManagedObject) -> [String] {
        entities[ObjectIdentifier(object)].map { line(of: $0).map(\.name) } ?? []
    }
}
