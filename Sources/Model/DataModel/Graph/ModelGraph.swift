/// Answers questions about a model that its plain values leave open: parents, children, inherited properties, inverses.
///
/// It is made once per version and answers in constant time, or in time proportional to the result. If the model has
/// errors, it answers as far as names can be resolved; a cycle of parents is cut.
public final class ModelGraph: Sendable {
    public let model: Model
    private let indexes: [String: Int]
    private let childIndexes: [[Int]]
    private let parentIndexes: [Int?]
    private let composites: [String: Composite]
    /// The positions of each entity's own relationships by name, in the order of the entities.
    private let relationshipPositions: [[String: Int]]

    /// Indexes a model by the names of its entities; if two entities have the same name, the first is used.
    public init(_ model: Model) {
        self.model = model
        var indexes: [String: Int] = [:]
        for (index, entity) in model.entities.enumerated() where indexes[entity.name] == nil {
            indexes[entity.name] = index
        }
        var parents = [Int?](repeating: nil, count: model.entities.count)
        for (index, entity) in model.entities.enumerated() {
            parents[index] = entity.parentName.flatMap { indexes[$0] }
        }
        var isSettled = [Bool](repeating: false, count: parents.count)
        for start in parents.indices {
            var path: Set<Int> = []
            var current: Int? = start
            while let index = current, !isSettled[index] {
                path.insert(index)
                if let parent = parents[index], path.contains(parent) { parents[index] = nil }
                current = parents[index]
            }
            for index in path { isSettled[index] = true }
        }
        var children = [[Int]](repeating: [], count: model.entities.count)
        for (index, parent) in parents.enumerated() {
            if let parent { children[parent].append(index) }
        }
        for index in children.indices {
            children[index].sort { model.entities[$0].name < model.entities[$1].name }
        }
        self.indexes = indexes
        self.parentIndexes = parents
        self.childIndexes = children
        relationshipPositions = model.entities.map { entity in
            Dictionary(entity.relationships.enumerated().map { ($1.name, $0) }) { first, _ in first }
        }
        composites = Dictionary(model.composites.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The composite with a name; if two have the same name, the first.
    public func composite(named name: String) -> Composite? { composites[name] }

    /// The entity with a name.
    public func entity(named name: String) -> Entity? {
        indexes[name].map { model.entities[$0] }
    }

    /// All entities, by name.
    public var entitiesByName: [Entity] { model.entities.sorted { $0.name < $1.name } }

    /// The entities without a parent, by name. Each has a table of its own.
    public var roots: [Entity] {
        model.entities.indices.filter { parentIndexes[$0] == nil && indexes[model.entities[$0].name] == $0 }
            .map { model.entities[$0] }.sorted { $0.name < $1.name }
    }

    /// The entity's parent.
    public func parent(of entity: Entity) -> Entity? {
        indexes[entity.name].flatMap { parentIndexes[$0] }.map { model.entities[$0] }
    }

    /// The entity's parents, the root first and the nearest last.
    public func ancestors(of entity: Entity) -> [Entity] {
        var result: [Entity] = []
        var current = indexes[entity.name].flatMap { parentIndexes[$0] }
        while let index = current {
            result.append(model.entities[index])
            current = parentIndexes[index]
        }
        return result.reversed()
    }

    /// The root of the entity's hierarchy, which is the entity itself when it has no parent.
    public func root(of entity: Entity) -> Entity { ancestors(of: entity).first ?? entity }

    /// The direct children of an entity, by name.
    public func children(of entity: Entity) -> [Entity] {
        indexes[entity.name].map { childIndexes[$0].map { model.entities[$0] } } ?? []
    }

    /// All entities below an entity, depth first and by name; the entity itself is not among them.
    public func descendants(of entity: Entity) -> [Entity] {
        var result: [Entity] = []
        var pending: [Int] = indexes[entity.name].map { childIndexes[$0].reversed() } ?? []
        while let index = pending.popLast() {
            result.append(model.entities[index])
            pending += childIndexes[index].reversed()
        }
        return result
    }

    /// The entity and all below it, depth first and by name.
    public func hierarchy(of entity: Entity) -> [Entity] { [entity] + descendants(of: entity) }

    /// Returns whether an entity is another or one below it.
    public func isEntity(_ entity: Entity, kindOf ancestor: Entity) -> Bool {
        entity.name == ancestor.name || ancestors(of: entity).contains { $0.name == ancestor.name }
    }

    /// The entity's attributes with those that it inherits, the root's first.
    public func attributes(of entity: Entity) -> [Attribute] {
        ancestors(of: entity).flatMap(\.attributes) + entity.attributes
    }

    /// The entity's relationships with those that it inherits, the root's first.
    public func relationships(of entity: Entity) -> [Relationship] {
        ancestors(of: entity).flatMap(\.relationships) + entity.relationships
    }

    /// The attribute of the entity, or of an ancestor, with a name.
    public func attribute(named name: String, of entity: Entity) -> Attribute? {
        entity.attributes.first { $0.name == name }
            ?? ancestors(of: entity).lazy.flatMap(\.attributes).first { $0.name == name }
    }

    /// The relationship of the entity, or of an ancestor, with a name.
    public func relationship(named name: String, of entity: Entity) -> Relationship? {
        entity.relationships.first { $0.name == name }
            ?? ancestors(of: entity).lazy.flatMap(\.relationships).first { $0.name == name }
    }

    /// The entity that declares a relationship which an entity has or inherits.
    public func owner(ofRelationship name: String, in entity: Entity) -> Entity? {
        declaration(ofRelationship: name, in: entity)?.entity
    }

    /// The declaration that is nearest to the root, with its entity.
    private func declaration(
        ofRelationship name: String, in entity: Entity
    ) -> (entity: Entity, relationship: Relationship)? {
        var found: (index: Int, position: Int)?
        var current = indexes[entity.name]
        while let index = current {
            if let position = relationshipPositions[index][name] { found = (index, position) }
            current = parentIndexes[index]
        }
        guard let found else { return nil }
        let owner = model.entities[found.index]
        return (owner, owner.relationships[found.position])
    }

    /// The entity that declares an attribute which an entity has or inherits.
    public func owner(ofAttribute name: String, in entity: Entity) -> Entity? {
        (ancestors(of: entity) + [entity]).first { $0.attributes.contains { $0.name == name } }
    }

    /// The inverse of a relationship, with the entity that declares it.
    public func inverse(of relationship: Relationship) -> (entity: Entity, relationship: Relationship)? {
        guard let name = relationship.inverseName,
            let destination = entity(named: relationship.inverseEntityName ?? relationship.destinationName)
        else { return nil }
        return declaration(ofRelationship: name, in: destination)
    }
}
