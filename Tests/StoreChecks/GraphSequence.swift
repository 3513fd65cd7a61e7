import DataModel
import Foundation
import ModelFormat
import RandomData
import RandomNumbers

@_spi(Generated) @testable import Ashlar

/// Makes stores of a model, and changes their objects at random in several contexts. After every step, compares the
/// context's objects with plain values. After every save, compares a new context's objects with them, and checks the
/// store.
///
/// - Parameters:
///   - sequences: The number of stores, each with a seed one greater than that before.
///   - rounds: The number of contexts that change each store, one after the other, by up to 15 steps each.
///   - chosenValues: Values to choose from, by `Entity.attribute`, for attributes whose legal values only the program
///     defines.
/// - Returns: The number of steps.
/// - Throws: ``Difference``, which names the seed, the round and the step.
public func checkGraph(
    of model: any ManagedObjectModel.Type, modelPath: String, seed: UInt64, sequences: Int, rounds: Int = 20,
    chosenValues: [String: [SQLiteValue]] = [:], prepare: (ModelContainer) throws -> Void = { _ in }
) throws -> Int {
    let graph = try modelGraph(of: model, modelPath: modelPath)
    var steps = 0
    for seed in seed..<seed + UInt64(sequences) {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        let container = try ModelContainer(for: model, configurations: configuration)
        try prepare(container)
        var sequence = GraphSequence(
            RandomStore(container, model.modelDescription, graph, seed: seed, chosenValues: chosenValues))
        do {
            try sequence.run(rounds: rounds)
        } catch {
            throw Difference("seed \(seed), \(sequence.place): \(error)")
        }
        steps += sequence.step
    }
    return steps
}

private struct GraphSequence {
    private var store: RandomStore
    private var contexts: [ModelContext]
    private var saved = GraphReference()
    /// The expected state of the present context, and its objects.
    private var reference = GraphReference()
    private var objects: [Int: ManagedObject] = [:]
    private var identifiers: [Int: PersistentIdentifier] = [:]
    private var lastKey = 0
    private var round = 0
    private(set) var step = 0
    private var lastStep = ""
    /// The steps of the present round, for the description of a failure.
    private var steps: [String] = []
    private let entities: [EntityDescription]
    /// Whether values that the reference does not have may have to be unique.
    private let mayConflict: Bool

    var place: String { "round \(round), step \(step) (\((steps + [lastStep]).joined(separator: "; ")))" }

    init(_ store: RandomStore) {
        self.store = store
        contexts = (0..<3).map { _ in ModelContext(store.container) }
        entities = store.description.entities.filter { !$0.isAbstract }
        mayConflict = entities.contains { entity in
            entity.schema.uniquenessConstraints.contains { columns in
                columns.contains { entity.referenceColumns.contains($0) || !entity.ownColumns.contains($0) }
            }
        }
    }

    mutating func run(rounds: Int) throws {
        for number in 0..<rounds where !entities.isEmpty {
            round = number
            try playRound()
        }
    }

    private mutating func playRound() throws {
        let index = Int.random(in: contexts.indices, using: &store.random.generator)
        if oneIn(5) { contexts[index] = ModelContext(store.container) }
        let context = contexts[index]
        // Reads the changes that the other contexts saved.
        try context.refreshAllObjects()
        store.context = context
        reference = saved
        objects = [:]
        steps = reference.keys.map { "\(describe($0)) \(reference.objects[$0]?.links ?? [])" }
        if oneIn(2) { try load() } else { try loadAll(context) }
        let undoManager = oneIn(3) ? ModelUndoManager() : nil
        context.undoManager = undoManager
        for _ in 0..<Int.random(in: 1...15, using: &store.random.generator) {
            step += 1
            // Each step is an event of its own, and a step without changes cannot be undone.
            context.processPendingChanges()
            undoManager?.removeAllActions()
            let before = (reference, objects)
            try change()
            try compare(context)
            if let undoManager, oneIn(4) { try undo(undoManager, before) }
            steps.append(lastStep)
        }
        if oneIn(4) {
            lastStep = "rollback"
            context.rollback()
        } else {
            try save(context)
        }
        context.undoManager = nil
        reference = saved
        try load()
        try compare(context)
        if oneIn(2) { try compareWithStore() }
    }

    private mutating func oneIn(_ count: Int) -> Bool { store.random.generator.oneIn(count) }

    // MARK: Objects

    /// The objects of the saved store, each by its identifier.
    private mutating func load() throws {
        objects = [:]
        for key in reference.keys { objects[key] = try loaded(key, store.context) }
    }

    /// The same objects, by a fetch of each entity.
    private mutating func loadAll(_ context: ModelContext) throws {
        let keys = Dictionary(
            uniqueKeysWithValues: reference.keys.compactMap { key in identifiers[key].map { ($0, key) } })
        for entity in entities {
            guard let type = entity.modelClass as? any PersistentModel.Type else { continue }
            for object in try fetch(type, context) {
                guard let key = keys[object.identifier] else { throw Difference(object, "it should not be there") }
                objects[key] = object
            }
        }
        for key in reference.keys where objects[key] == nil { objects[key] = try loaded(key, context) }
    }

    private func fetch<Model: PersistentModel>(_: Model.Type, _ context: ModelContext) throws -> [ManagedObject] {
        try context.fetch(Model.all)
    }

    private func loaded(_ key: Int, _ context: ModelContext) throws -> ManagedObject {
        guard let identifier = identifiers[key], let object = try context.existingObject(identifier) else {
            throw Difference("the object \(key) is not there")
        }
        return object
    }

    private mutating func insert(_ entity: EntityDescription) throws -> Int? {
        guard let (object, _) = try store.makeObject(of: entity) else { return nil }
        lastKey += 1
        store.context.insertObject(object)
        objects[lastKey] = object
        reference.insert(lastKey, entity)
        return lastKey
    }

    /// An entity's name and those of all below it.
    private func names(below entity: String) -> Set<String> {
        guard let entity = store.graph.entity(named: entity) else { return [] }
        return Set(store.graph.hierarchy(of: entity).map(\.name))
    }

    /// The objects of an entity and of those below it.
    private func keys(of entity: String) -> [Int] {
        let names = names(below: entity)
        return reference.keys.filter { names.contains(reference.objects[$0]?.entity.name ?? "") }
    }

    // MARK: Steps

    private mutating func change() throws {
        let kind = Int.random(in: 0..<10, using: &store.random.generator)
        guard let key = reference.keys.randomElement(using: &store.random.generator), kind > 1 else {
            lastStep = "insert"
            if let entity = entities.randomElement(using: &store.random.generator) { _ = try insert(entity) }
            return
        }
        guard let object = objects[key] else { return }
        switch kind {
        case 2 where oneIn(2):
            lastStep = "delete \(describe(key))"
            // The reference has only living objects, so it cannot represent dangling references.
            if leavesDangling(key) { return }
            store.context.deleteObject(object)
            reference.delete(key)
            objects = objects.filter { reference.objects[$0.key] != nil }
        case 3:
            lastStep = "change \(describe(key))"
            try store.changeValues(of: object)
        default:
            let numbers = object.entity.relationships.numbers
            if let number = numbers.randomElement(using: &store.random.generator) { relate(key, number) }
        }
    }

    private func describe(_ key: Int) -> String { "\(reference.objects[key]?.entity.name ?? "") \(key)" }

    private func leavesDangling(_ key: Int) -> Bool {
        var after = reference
        after.delete(key)
        return reference.keys.contains { deleted in
            guard after.objects[deleted] == nil, let object = reference.objects[deleted] else { return false }
            return object.entity.relationships.numbers.contains { number in
                guard object.entity.relationships[number].deletionRule == .noAction else { return false }
                return object.links[number].contains { after.objects[$0] != nil }
            }
                // Without an inverse, the objects that refer to it are not notified.
                || reference.keys.contains { other in
                    guard after.objects[other] != nil, let referring = reference.objects[other] else { return false }
                    return referring.entity.relationships.numbers.contains { number in
                        let relationship = referring.entity.relationships[number]
                        return relationship.inverse == nil && referring.links[number].contains(deleted)
                    }
                }
        }
    }

    private mutating func relate(_ key: Int, _ number: RelationshipNumber) {
        guard let object = objects[key], let relationship = reference.relationship(key, number) else { return }
        let candidates = keys(of: relationship.destination)
        let target = candidates.randomElement(using: &store.random.generator)
        lastStep = "\(describe(key)).\(relationship.name)"
        guard relationship.isToMany else {
            if let target, !oneIn(4) { link(key, number, target) } else { clear(key, number) }
            return
        }
        switch Int.random(in: 0..<4, using: &store.random.generator) {
        case 0:
            let count = Int.random(in: 0...4, using: &store.random.generator)
            let targets = Array(candidates.shuffled(using: &store.random.generator).prefix(count))
            lastStep += " = \(targets)"
            object.setMembers(targets.compactMap { objects[$0] }, number)
            reference.setMembers(key, number, targets)
        case 1:
            guard let member = reference[key, number].randomElement(using: &store.random.generator) ?? target else {
                return
            }
            unlink(key, number, member)
        default:
            if let target { link(key, number, target) }
        }
    }

    private mutating func link(_ key: Int, _ number: RelationshipNumber, _ target: Int) {
        guard let object = objects[key], let other = objects[target] else { return }
        lastStep += " + \(describe(target))"
        if object.entity.relationships[number].isToMany {
            object.addMember(other, number)
        } else {
            object._ashlarSetToOne(number, other)
        }
        reference.link(key, number, target)
    }

    private mutating func unlink(_ key: Int, _ number: RelationshipNumber, _ target: Int) {
        guard let other = objects[target] else { return }
        lastStep += " - \(describe(target))"
        objects[key]?.removeMember(other, number)
        reference.unlink(key, number, target)
    }

    private mutating func clear(_ key: Int, _ number: RelationshipNumber) {
        lastStep += " = nil"
        objects[key]?._ashlarSetToOne(number, nil)
        reference.unlinkAll(key, number)
    }

    private mutating func undo(
        _ undoManager: ModelUndoManager, _ before: (reference: GraphReference, objects: [Int: ManagedObject])
    ) throws {
        let after = (reference, objects)
        guard undoManager.canUndo else { return }
        lastStep += ", undone"
        undoManager.undo()
        (reference, objects) = before
        try compare(store.context)
        if oneIn(2), undoManager.canRedo {
            lastStep += " and done again"
            undoManager.redo()
            (reference, objects) = after
            try compare(store.context)
        }
    }

    // MARK: Saving

    private mutating func save(_ context: ModelContext) throws {
        if !oneIn(5) { try repair() }
        lastStep = "save"
        let isLegal = reference.brokenRelationship() == nil && !reference.hasDenial
        do {
            try context.save()
            if !isLegal {
                throw Difference("the save should have failed: \(String(describing: reference.brokenRelationship()))")
            }
            reference.noteSave()
            for (key, object) in objects { identifiers[key] = object.identifier }
            saved = reference
        } catch let error as SaveError {
            if isLegal && !mayConflict { throw error }
            // A save that fails changes neither the context nor the store.
            try compare(context)
            context.rollback()
        }
    }

    /// Repairs objects until a save should pass, or nothing more can be done.
    private mutating func repair() throws {
        for _ in 0..<50 {
            guard let (key, number) = reference.brokenRelationship(),
                let relationship = reference.relationship(key, number)
            else { return }
            lastStep = "repair \(describe(key)).\(relationship.name)"
            defer { steps.append(lastStep) }
            let members = reference[key, number]
            if relationship.maximumModelCount > 0, members.count > relationship.maximumModelCount {
                unlink(key, number, members[0])
                continue
            }
            let free = keys(of: relationship.destination).filter { target in
                guard !members.contains(target) else { return false }
                guard let inverse = relationship.inverse, reference.relationship(target, inverse)?.isToMany == false
                else { return true }
                return reference[target, inverse].isEmpty
            }
            if let target = free.randomElement(using: &store.random.generator) {
                link(key, number, target)
            } else {
                let names = names(below: relationship.destination)
                guard
                    let kind = entities.filter({ names.contains($0.name) }).randomElement(
                        using: &store.random.generator),
                    let target = try insert(kind)
                else { return }
                link(key, number, target)
            }
        }
    }

    // MARK: Comparing

    /// Compares a context's objects with the reference.
    private func compare(_ context: ModelContext) throws {
        for key in reference.keys {
            guard let object = objects[key] else { throw Difference("the object \(key) is not known") }
            try compare(object, key, objects)
        }
        for entity in entities {
            guard let type = entity.modelClass as? any PersistentModel.Type else { continue }
            let found = try fetch(type, context).map(ObjectIdentifier.init)
            let expected = keys(of: entity.name).compactMap { objects[$0].map(ObjectIdentifier.init) }
            if found.count != expected.count || Set(found) != Set(expected) {
                throw Difference("a fetch of \(entity.name) finds \(found.count) objects instead of \(expected.count)")
            }
        }
    }

    private func compare(_ object: ManagedObject, _ key: Int, _ objects: [Int: ManagedObject]) throws {
        for (number, relationship) in object.entity.relationships.numbered {
            let found =
                relationship.isToMany
                ? object.memberObjects(number)
                : object.record.context?.toOne(object, number).map { [$0] } ?? []
            let expected = reference[key, number].compactMap { objects[$0] }
            let isSame =
                relationship.isOrdered
                ? found.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init)
                : found.count == expected.count
                    && Set(found.map(ObjectIdentifier.init)) == Set(expected.map(ObjectIdentifier.init))
            if !isSame {
                let keys = found.map { object in objects.first { $0.value === object }?.key ?? -1 }
                throw Difference(
                    object, "\(describe(key)).\(relationship.name) is \(keys) instead of \(reference[key, number])")
            }
        }
    }

    /// Compares a new context's relationships and values with the expected ones, and checks the store.
    private func compareWithStore() throws {
        let context = ModelContext(store.container)
        let read = try reference.keys.reduce(into: [Int: ManagedObject]()) { $0[$1] = try loaded($1, context) }
        for (key, object) in read {
            try compare(object, key, read)
            guard let own = objects[key] else { continue }
            let changes = object.changes(since: own.snapshot(), in: .max)
            if changes != 0 { throw Difference(object, "the columns of the bits \(String(changes, radix: 2)) differ") }
        }
        try store.checkSoundness()
    }
}
