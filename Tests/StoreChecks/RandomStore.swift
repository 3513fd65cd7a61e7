import DataModel
import Foundation
import RandomData
import RandomNumbers

@_spi(Generated) @testable import Ashlar

/// A store with random legal objects of every entity of a model, made through the model's generated code.
struct RandomStore {
    /// An object and the values that its columns were given, in the order of its entity's columns. References are NULL.
    struct Filled {
        let object: ManagedObject
        var values: [SQLiteValue]
    }

    let container: ModelContainer
    /// The context in which objects are made; it may be replaced between two saves.
    var context: ModelContext
    let description: ModelDescription
    let graph: ModelGraph
    var random: RandomValues
    /// Values to choose from, by `Entity.attribute`, for the program's own types: only the program defines their legal
    /// values.
    private let chosenValues: [String: [SQLiteValue]]
    /// All objects, in the order in which they were made.
    private(set) var all: [Filled] = []
    private var byEntity: [String: [ManagedObject]] = [:]
    private var unique: [String: Set<[SQLiteValue]>] = [:]

    init(
        _ container: ModelContainer, _ description: ModelDescription, _ graph: ModelGraph, seed: UInt64,
        chosenValues: [String: [SQLiteValue]] = [:]
    ) {
        self.chosenValues = chosenValues
        self.container = container
        self.description = description
        self.graph = graph
        context = ModelContext(container)
        random = RandomValues(generator: SeededGenerator(seed: seed)) { try KeyedArchive.data(from: $0) }
    }

    /// The objects that a relationship to an entity may lead to.
    func objects(of entity: String) -> [ManagedObject] {
        guard let entity = graph.entity(named: entity) else { return [] }
        return graph.hierarchy(of: entity).flatMap { byEntity[$0.name] ?? [] }
    }

    // MARK: Objects

    /// Makes an object of an entity and inserts it; returns nil if constraints leave no value for another one.
    mutating func insertObject(of entity: EntityDescription) throws -> ManagedObject? {
        guard let (object, values) = try makeObject(of: entity) else { return nil }
        context.insertObject(object)
        all.append(Filled(object: object, values: values))
        byEntity[entity.name, default: []].append(object)
        return object
    }

    /// Gives all columns but the references of an object new values, as setters would.
    mutating func change(_ index: Int) throws {
        if let values = try changeValues(of: all[index].object) { all[index].values = values }
    }

    /// The same for any object; returns the values, or nil where constraints leave none.
    @discardableResult
    mutating func changeValues(of object: ManagedObject) throws -> [SQLiteValue]? {
        let entity = object.entity
        guard let (source, values) = try makeObject(of: entity) else { return nil }
        let references = entity.referenceColumns.map { ($0, object.identifier(inColumn: $0)) }
        object._ashlarWillChange(.max)
        object.restore(source.snapshot())
        for (column, identifier) in references { object.setIdentifier(identifier, inColumn: column) }
        return values
    }

    /// An object that the generated code decodes from a row of random values.
    mutating func makeObject(of entity: EntityDescription) throws -> (ManagedObject, [SQLiteValue])? {
        for _ in 0..<100 {
            let values = try randomValues(of: entity)
            if !isFree(values, entity) { continue }
            var row: [SQLiteValue] = [.null, .integer(1)]
            if entity.hasDiscriminator { row.append(entity.discriminator.map { .text($0) } ?? .null) }
            let parameters = (1...(row.count + values.count)).map { "?\($0)" }.joined(separator: ", ")
            return try container.read("a row is made") { connection in
                let statement = try connection.statement("SELECT \(parameters)")
                defer { statement.reset() }
                for (index, value) in (row + values).enumerated() { statement.bind(value, Int32(index + 1)) }
                _ = try statement.step()
                let row = Row(statement: statement.handle, store: container.storeNumber(of: entity.number.root))
                return (try entity.modelClass.object(at: row), values)
            }
        }
        return nil
    }

    private mutating func randomValues(of entity: EntityDescription) throws -> [SQLiteValue] {
        guard let modelled = graph.entity(named: entity.name) else { return [] }
        var values: [String: SQLiteValue] = [:]
        for attribute in graph.attributes(of: modelled) where attribute.isStored {
            // The paths of the composites that are nil.
            var absent: Set<[String]> = []
            for leaf in graph.leaves(of: attribute) {
                let isAbsent = leaf.optionalComposites.contains { absent.contains(Array(leaf.names.prefix($0))) }
                if leaf.isPresence {
                    let isNil = isAbsent || random.generator.oneIn(3)
                    if isNil { absent.insert(leaf.names) }
                    values[leaf.keyPath + "$"] = isNil ? .null : .integer(1)
                } else if let last = leaf.path.last {
                    // A count is never optional in the class, even if the model's attribute is.
                    let isNil = isAbsent || last.isOptional && !last.isDerived && random.generator.oneIn(4)
                    let chosen = chosenValues["\(entity.name).\(leaf.keyPath)"]
                    values[leaf.keyPath] =
                        isNil ? .null : try chosen?.randomElement(using: &random.generator) ?? random.value(of: last)
                }
            }
        }
        let own = Set(entity.ownColumns)
        let derived = Set(graph.attributes(of: modelled).filter(\.isDerived).map(\.name))
        return entity.columns.enumerated().map { index, column in
            guard own.contains(index) || derived.contains(column.property) else { return .null }
            return (column.name.hasSuffix("$$present") ? values[column.property + "$"] : values[column.property])
                ?? .null
        }
    }

    /// Returns whether no object has the values of any constraint, and reserves them then.
    private mutating func isFree(_ values: [SQLiteValue], _ entity: EntityDescription) -> Bool {
        let taken = entity.schema.uniquenessConstraints.filter { constraint in
            Set(constraint).isDisjoint(with: entity.referenceColumns)
        }.map { columns in
            (
                columns.map { entity.columns[$0].name }.joined(separator: ",") + " " + entity.tableName,
                columns.map { values[$0] }
            )
        }.filter { !$0.1.contains(.null) }
        if taken.contains(where: { unique[$0.0]?.contains($0.1) == true }) { return false }
        for (constraint, values) in taken { unique[constraint, default: []].insert(values) }
        return true
    }
}
