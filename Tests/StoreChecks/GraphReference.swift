@_spi(Generated) @testable import Ashlar

/// Objects and their relationships as plain values: the expected state of a context after the same changes.
struct GraphReference {
    struct Object {
        let entity: EntityDescription
        /// The keys of the objects that each relationship leads to.
        var links: [[Int]]
        var isSaved = false
    }

    /// A deleted object, and the objects at the other side of a relationship that deny its deletion.
    private struct Denial {
        let relationship: RelationshipDescription
        var keepers: Set<Int>
    }

    private(set) var objects: [Int: Object] = [:]
    private var denials: [Denial] = []

    var keys: [Int] { objects.keys.sorted() }

    subscript(key: Int, relationship: RelationshipNumber) -> [Int] { objects[key]?.links[relationship] ?? [] }

    func relationship(_ key: Int, _ number: RelationshipNumber) -> RelationshipDescription? {
        objects[key]?.entity.relationships[number]
    }

    // MARK: Changes

    mutating func insert(_ key: Int, _ entity: EntityDescription) {
        objects[key] = Object(entity: entity, links: Array(repeating: [], count: entity.relationships.count))
    }

    mutating func link(_ key: Int, _ number: RelationshipNumber, _ target: Int) {
        guard let relationship = relationship(key, number), !self[key, number].contains(target) else { return }
        if !relationship.isToMany { unlinkAll(key, number) }
        if let inverse = relationship.inverse, self.relationship(target, inverse)?.isToMany == false {
            unlinkAll(target, inverse)
        }
        objects[key]?.links[number].append(target)
        lift(relationship.inverse.map { (target, $0) }, (key, number))
        guard let inverse = relationship.inverse, !self[target, inverse].contains(key) else { return }
        objects[target]?.links[inverse].append(key)
    }

    mutating func unlink(_ key: Int, _ number: RelationshipNumber, _ target: Int) {
        guard let relationship = relationship(key, number) else { return }
        objects[key]?.links[number].removeAll { $0 == target }
        if let inverse = relationship.inverse { objects[target]?.links[inverse].removeAll { $0 == key } }
    }

    mutating func unlinkAll(_ key: Int, _ number: RelationshipNumber) {
        for target in self[key, number] { unlink(key, number, target) }
        lift((key, number), nil)
    }

    /// Gives a to-many relationship these objects, in this order.
    mutating func setMembers(_ key: Int, _ number: RelationshipNumber, _ targets: [Int]) {
        for target in self[key, number] where !targets.contains(target) { unlink(key, number, target) }
        for target in targets { link(key, number, target) }
        objects[key]?.links[number] = targets.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Removes an object from the keepers of a denial once it refers to another object.
    private mutating func lift(_ ends: (key: Int, number: RelationshipNumber)?...) {
        for end in ends.compactMap({ $0 }) {
            guard let changed = relationship(end.key, end.number), !changed.isToMany else { continue }
            for index in denials.indices {
                let denying = denials[index].relationship
                guard denials[index].keepers.contains(end.key), let inverse = denying.inverse,
                    relationship(end.key, inverse) === changed
                else { continue }
                denials[index].keepers.remove(end.key)
            }
        }
    }

    mutating func delete(_ key: Int) {
        var waiting = [key]
        while let next = waiting.popLast() {
            guard let object = objects[next] else { continue }
            for (number, relationship) in object.entity.relationships.numbered {
                let others = object.links[number].filter { $0 != next }
                switch relationship.deletionRule {
                case .cascade: waiting += others
                case .deny where object.isSaved && !others.isEmpty:
                    denials.append(Denial(relationship: relationship, keepers: Set(others)))
                case .deny, .nullify, .noAction: break
                }
            }
            objects[next] = nil
            for other in objects.keys {
                for number in objects[other]?.links.indices ?? 0..<0 {
                    objects[other]?.links[number].removeAll { $0 == next }
                }
            }
        }
    }

    mutating func noteSave() {
        denials = []
        for key in objects.keys { objects[key]?.isSaved = true }
    }

    // MARK: Rules

    /// A relationship of an object with too few or too many members, or without a required destination.
    func brokenRelationship() -> (key: Int, number: RelationshipNumber)? {
        for key in keys {
            for (number, relationship) in (objects[key]?.entity.relationships ?? []).numbered {
                let count = self[key, number].count
                let isBroken =
                    relationship.isToMany
                    ? relationship.rule(brokenBy: count) != nil : count == 0 && !relationship.isOptional
                if isBroken { return (key, number) }
            }
        }
        return nil
    }

    /// Whether an object refers to a deleted one whose deletion it denies.
    var hasDenial: Bool { denials.contains { !$0.keepers.isDisjoint(with: objects.keys) } }
}
