import DataModel
import RandomNumbers
import RelationalSchema

extension RandomObjects {
    /// The most objects that required relationships may ask for.
    private static let greatestCount = 100_000

    /// Gives every relationship of every object random objects that the model allows it, and all that it requires.
    mutating func relateAll() throws {
        for position in objects.indices {
            for relationship in schema.storedRelationships(of: objects[position].entity) {
                relateAtRandom(position, relationship)
            }
        }
        // What is required may need objects that are not there yet, which have needs of their own.
        var position = 0
        while position < objects.count {
            if objects.count > Self.greatestCount {
                throw MigrationTestError.noLegalObjects(
                    version: versionName, reason: "the required relationships ask for more and more objects")
            }
            for relationship in schema.storedRelationships(of: objects[position].entity) {
                try satisfy(position, relationship)
            }
            position += 1
        }
    }

    private mutating func relateAtRandom(_ position: Int, _ relationship: Relationship) {
        if !relationship.isToMany {
            if count(position, relationship) > 0 || relationship.isOptional && random.generator.oneIn(3) { return }
            relate(position, relationship)
        } else if schema.inverse(of: relationship, in: objects[position].entity)?.relationship.isToMany != false {
            for _ in 0..<Int.random(in: 0...4, using: &random.generator) { relate(position, relationship) }
        }
    }

    /// Adds the objects that a relationship lacks.
    private mutating func satisfy(_ position: Int, _ relationship: Relationship) throws {
        while lacks(count(position, relationship), relationship) {
            if relate(position, relationship) { continue }
            let candidates =
                schema.graph.entity(named: relationship.destinationName)
                .map { schema.graph.hierarchy(of: $0) } ?? []
            guard let entity = candidates.filter({ !$0.isAbstract }).randomElement(using: &random.generator),
                let target = try insert(entity)
            else {
                throw MigrationTestError.noLegalObjects(
                    version: versionName,
                    reason: "there can be no more objects of \(relationship.destinationName) that "
                        + "\(objects[position].entity.name).\(relationship.name) requires")
            }
            link(position, relationship, target)
        }
    }

    /// Whether a relationship leads to fewer objects than it must.
    func lacks(_ count: Int, _ relationship: Relationship) -> Bool {
        if !relationship.isToMany { return !relationship.isOptional && count == 0 }
        let minimum = relationship.isOptional ? relationship.minimumCount : max(relationship.minimumCount, 1)
        return count < minimum && (count > 0 || !relationship.isOptional)
    }

    private func count(_ position: Int, _ relationship: Relationship) -> Int {
        objects[position].links[relationship.name]?.count ?? 0
    }

    /// Adds an object that can take it to a relationship; says whether there was one.
    @discardableResult
    private mutating func relate(_ position: Int, _ relationship: Relationship) -> Bool {
        if isFull(position, relationship) { return false }
        let candidates = positions[relationship.destinationName] ?? []
        if candidates.isEmpty { return false }
        let start = Int.random(in: candidates.indices, using: &random.generator)
        for offset in candidates.indices {
            let target = candidates[(start + offset) % candidates.count]
            guard accepts(target, position, relationship) else { continue }
            link(position, relationship, target)
            return true
        }
        return false
    }

    private func isFull(_ position: Int, _ relationship: Relationship) -> Bool {
        let count = count(position, relationship)
        if !relationship.isToMany { return count > 0 }
        return relationship.maximumCount > 0 && count >= relationship.maximumCount
    }

    private func accepts(_ target: Int, _ position: Int, _ relationship: Relationship) -> Bool {
        if objects[position].links[relationship.name]?.contains(target) == true { return false }
        guard let inverse = schema.inverse(of: relationship, in: objects[position].entity) else { return true }
        if target == position, inverse.relationship.name == relationship.name { return false }
        return !isFull(target, inverse.relationship)
    }

    private mutating func link(_ position: Int, _ relationship: Relationship, _ target: Int) {
        objects[position].links[relationship.name, default: []].append(target)
        guard let inverse = schema.inverse(of: relationship, in: objects[position].entity) else { return }
        objects[target].links[inverse.relationship.name, default: []].append(position)
    }
}
