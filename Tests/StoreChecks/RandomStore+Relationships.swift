import DataModel
import RandomData
import RandomNumbers

@_spi(Generated) @testable import Ashlar

/// The model needs more objects than can be made.
struct EndlessNeed: Error, CustomStringConvertible {
    var description: String { "the required relationships ask for more and more objects" }
}

extension RandomStore {
    /// Gives every relationship of every object random members that the model allows, and all required ones.
    mutating func relateAll() throws {
        for filled in all {
            for number in filled.object.entity.relationships.numbers { relateAtRandom(filled.object, number) }
        }
        // Required members may need objects that do not exist yet and have needs of their own.
        var position = 0
        while position < all.count {
            if all.count > 3000 { throw EndlessNeed() }
            let object = all[position].object
            for number in object.entity.relationships.numbers { try satisfy(object, number) }
            position += 1
        }
    }

    private mutating func relateAtRandom(_ object: ManagedObject, _ number: RelationshipNumber) {
        let relationship = object.entity.relationships[number]
        if !relationship.isToMany {
            if context.toOne(object, number) != nil || relationship.isOptional && random.generator.oneIn(3) { return }
            relate(object, number)
        } else if inverse(relationship)?.isToMany != false {
            for _ in 0..<Int.random(in: 0...4, using: &random.generator) { relate(object, number) }
        }
    }

    /// Adds the members that a relationship lacks.
    private mutating func satisfy(_ object: ManagedObject, _ number: RelationshipNumber) throws {
        let relationship = object.entity.relationships[number]
        func isSatisfied() -> Bool {
            if relationship.isToMany { return relationship.rule(brokenBy: object.memberObjects(number).count) == nil }
            return relationship.isOptional || context.toOne(object, number) != nil
        }
        while !isSatisfied() {
            if relate(object, number) { continue }
            let candidates = graph.entity(named: relationship.destination).map { graph.hierarchy(of: $0) } ?? []
            let entities = candidates.filter { !$0.isAbstract }.compactMap { description.entity(named: $0.name) }
            guard let entity = entities.randomElement(using: &random.generator),
                let target = try insertObject(of: entity)
            else { throw NoLegalValue(attribute: relationship.name, reason: "no other \(relationship.destination)") }
            link(object, number, target)
        }
    }

    /// Adds an object that allows it to a relationship.
    @discardableResult
    private mutating func relate(_ object: ManagedObject, _ number: RelationshipNumber) -> Bool {
        let relationship = object.entity.relationships[number]
        if relationship.maximumModelCount > 0,
            relationship.isToMany, object.memberObjects(number).count >= relationship.maximumModelCount
        {
            return false
        }
        for target in objects(of: relationship.destination).shuffled(using: &random.generator) where accepts(target) {
            link(object, number, target)
            return true
        }
        return false

        func accepts(_ target: ManagedObject) -> Bool {
            if relationship.isToMany, object.memberObjects(number).contains(where: { $0 === target }) { return false }
            guard let position = relationship.inverse, let inverse = inverse(relationship) else { return true }
            if !inverse.isToMany { return context.toOne(target, position) == nil }
            return inverse.maximumModelCount == 0 || target.memberObjects(position).count < inverse.maximumModelCount
        }
    }

    private func link(_ object: ManagedObject, _ number: RelationshipNumber, _ target: ManagedObject) {
        if object.entity.relationships[number].isToMany {
            object.addMember(target, number)
        } else {
            object._ashlarSetToOne(number, target)
        }
    }

    private func inverse(_ relationship: RelationshipDescription) -> RelationshipDescription? {
        guard let number = relationship.inverse else { return nil }
        return description.entity(named: relationship.destination)?.relationships[number]
    }
}
