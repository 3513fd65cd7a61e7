import Ashlar
import RandomNumbers

extension RandomInsertion {
    /// The most objects of a part. A model that needs more never has enough.
    private static let greatestCount = 50_000

    /// Gives every object random partners that the model allows, and all partners that it requires.
    mutating func relateAll() throws {
        for position in planned.indices {
            for number in planned[position].entity.relationships.indices { relateAtRandom(position, number) }
        }
        var position = 0
        while position < planned.count {
            for number in planned[position].entity.relationships.indices { try satisfy(position, number) }
            position += 1
        }
    }

    private mutating func relateAtRandom(_ position: Int, _ number: Int) {
        let relationship = planned[position].entity.relationships[number]
        if !relationship.isToMany {
            if relationship.isOptional && values.random.generator.oneIn(3) { return }
            _ = relate(position, number)
        } else if inverse(of: number, planned[position].entity)?.isToMany != false {
            for _ in 0..<values.random.generator.number(0..<4) { _ = relate(position, number) }
        }
    }

    /// Adds the objects that a relationship lacks.
    mutating func satisfy(_ position: Int, _ number: Int, onlyWithNew: Bool = false) throws {
        let entity = planned[position].entity
        while lacks(position, number) {
            if !onlyWithNew, relate(position, number) { continue }
            let kinds = concreteKinds(of: entity.relationships[number].destination)
            guard !kinds.isEmpty, planned.count < Self.greatestCount else {
                throw RandomObjectsError.noLegalObject(
                    entity: entity.name,
                    reason: kinds.isEmpty
                        ? "\(entity.relationships[number].destination), which \(entity.relationships[number].name) must "
                            + "lead to, is abstract" : "the required relationships ask for more and more objects")
            }
            link(position, number, try plan(choose(kinds)))
        }
    }

    private func lacks(_ position: Int, _ number: Int) -> Bool {
        let relationship = planned[position].entity.relationships[number]
        let count = planned[position].links[number]?.count ?? 0
        if !relationship.isToMany { return !relationship.isOptional && count == 0 }
        return count < relationship.minimumModelCount && (count > 0 || !relationship.isOptional)
    }

    private func isFull(_ position: Int, _ number: Int) -> Bool {
        let relationship = planned[position].entity.relationships[number]
        let count = planned[position].links[number]?.count ?? 0
        if !relationship.isToMany { return count > 0 }
        return relationship.maximumModelCount > 0 && count >= relationship.maximumModelCount
    }

    /// Links an object to another that is there and has room; says whether one was found in some attempts.
    private mutating func relate(_ position: Int, _ number: Int) -> Bool {
        if isFull(position, number) { return false }
        let relationship = planned[position].entity.relationships[number]
        guard let candidates = positions[relationship.destination], !candidates.isEmpty else { return false }
        for _ in 0..<8 {
            let target = candidates[values.random.generator.number(0..<candidates.count)]
            if planned[position].links[number]?.contains(target) == true { continue }
            if let inverse = relationship.inversePosition {
                if isFull(target, inverse) { continue }
                // One that is its own inverse does not lead to the object itself.
                if target == position { continue }
            }
            link(position, number, target)
            return true
        }
        return false
    }

    private mutating func link(_ position: Int, _ number: Int, _ target: Int) {
        planned[position].links[number, default: []].append(target)
        guard let inverse = planned[position].entity.relationships[number].inversePosition else { return }
        planned[target].links[inverse, default: []].append(position)
    }

    /// Takes the partner of a to-one relationship away.
    mutating func unlink(_ position: Int, _ number: Int) {
        for target in planned[position].links.removeValue(forKey: number) ?? [] {
            guard let inverse = planned[position].entity.relationships[number].inversePosition else { continue }
            planned[target].links[inverse]?.removeAll { $0 == position }
        }
    }
}
