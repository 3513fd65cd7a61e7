import DataModel
import RandomNumbers
import RelationalSchema

extension RandomObjects {
    /// The maximum number of objects that required relationships may need. A model that needs more needs ever more, and
    /// the error should come soon.
    private static let greatestCount = 20_000

    /// Gives every relationship of every object random objects that the model allows, and all objects that it requires.
    mutating func relateAll() throws {
        for position in objects.indices {
            for relationship in schema.storedRelationships(of: objects[position].entity) {
                relateAtRandom(position, relationship)
            }
        }
        // A required object may not exist yet, and may require others.
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

    /// Returns whether a relationship leads to fewer objects than it must.
    func lacks(_ count: Int, _ relationship: Relationship) -> Bool {
        if !relationship.isToMany { return !relationship.isOptional && count == 0 }
        return count < relationship.minimumCount && (count > 0 || !relationship.isOptional)
    }

    private func count(_ position: Int, _ relationship: Relationship) -> Int {
        objects[position].links[relationship.name]?.count ?? 0
    }

    /// Adds an object that can take it to a relationship; says whether there was one.
    @discardableResult
    private mutating func relate(_ position: Int, _ relationship: Relationship) -> Bool {
        if isFull(position, relationship) { return false }
        let inverse = schema.inverse(of: relationship, in: objects[position].entity)
        let key = "\(relationship.destinationName).\(inverse?.relationship.name ?? "")"
        var candidates = candidates.removeValue(forKey: key) ?? Candidates()
        defer { self.candidates[key] = candidates }
        candidates.add(positions[relationship.destinationName] ?? [])
        if candidates.positions.isEmpty { return false }
        var index = Int.random(in: candidates.positions.indices, using: &random.generator)
        var seen = 0
        while seen < candidates.positions.count {
            index %= candidates.positions.count
            let target = candidates.positions[index]
            if let inverse, isFull(target, inverse.relationship) {
                // It is never visited again: passing over all full ones for each object takes minutes.
                candidates.positions.swapAt(index, candidates.positions.count - 1)
                candidates.positions.removeLast()
                continue
            }
            if accepts(target, position, relationship) {
                link(position, relationship, target)
                return true
            }
            (index, seen) = (index + 1, seen + 1)
        }
        return false
    }

    /// The objects that a relationship may lead to, except those that are known to be full.
    struct Candidates {
        fileprivate(set) var positions: [Int] = []
        /// The number of destination objects that were added.
        private var count = 0

        /// Adds the objects that are new since.
        fileprivate mutating func add(_ all: [Int]) {
            positions += all[count...]
            count = all.count
        }
    }

    private func isFull(_ position: Int, _ relationship: Relationship) -> Bool {
        let count = count(position, relationship)
        if !relationship.isToMany { return count > 0 }
        return relationship.maximumCount > 0 && count >= relationship.maximumCount
    }

    /// Returns whether an object that has room can be added.
    private func accepts(_ target: Int, _ position: Int, _ relationship: Relationship) -> Bool {
        if objects[position].links[relationship.name]?.contains(target) == true { return false }
        guard let inverse = schema.inverse(of: relationship, in: objects[position].entity) else { return true }
        return target != position || inverse.relationship.name != relationship.name
    }

    private mutating func link(_ position: Int, _ relationship: Relationship, _ target: Int) {
        objects[position].links[relationship.name, default: []].append(target)
        guard let inverse = schema.inverse(of: relationship, in: objects[position].entity) else { return }
        objects[target].links[inverse.relationship.name, default: []].append(position)
    }
}
