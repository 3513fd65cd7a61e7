/// The differences between two versions of a model, with everything that they may affect.
///
/// Consecutive versions differ little. A migration only has to consider the parts: everything outside them is stored as
/// before, and has no errors that it did not have before.
package struct ModelDifference: Sendable {
    /// The names of the entities that differ between the versions, whatever their places in the files.
    package let changedNames: Set<String>
    /// The part of the older version.
    package let old: Model
    /// The part of the newer version.
    package let new: Model

    /// Whether all entities are the same.
    package var isEmpty: Bool { changedNames.isEmpty }

    /// Compares two versions.
    package init(from old: Model, to new: Model) {
        changedNames = Self.changedNames(old, new)
        let part: PartOfModel
        if changedNames.isEmpty {
            part = PartOfModel()
        } else {
            var entities = new.entities
            for entity in old.entities where changedNames.contains(entity.name) { entities.append(entity) }
            if let names = Self.namesOfTablesToLookAt(old, new, changedNames) {
                part = PartOfModel(tablesOf: names, in: entities)
            } else {
                part = PartOfModel(groupsOf: changedNames, in: entities)
            }
        }
        self.old = part.part(of: old)
        self.new = part.part(of: new)
    }

    private static func changedNames(_ old: Model, _ new: Model) -> Set<String> {
        var pending: [String: Entity] = [:]
        for entity in old.entities { pending[entity.name] = entity }
        var changed: Set<String> = []
        // If two entities have the same name, it is unclear which is meant.
        let isPlain = pending.count == old.entities.count
        let composites = CompositeDifference(from: old, to: new)
        for entity in new.entities {
            guard isPlain, let before = pending[entity.name], entity.isSame(as: before),
                !composites.concerns(entity)
            else {
                changed.insert(entity.name)
                continue
            }
            pending[entity.name] = nil
        }
        for name in pending.keys { changed.insert(name) }
        return changed
    }

    /// The entities whose tables can differ: the changed ones, and those that changed relationships lead to.
    ///
    /// It is nil when entities are removed, renamed or moved in the hierarchy, which can have an effect on all objects
    /// that are connected with theirs.
    private static func namesOfTablesToLookAt(_ old: Model, _ new: Model, _ changedNames: Set<String>) -> Set<String>? {
        func changedEntities(_ model: Model) -> [String: Entity]? {
            var entities: [String: Entity] = [:]
            for entity in model.entities where changedNames.contains(entity.name) {
                if entities.updateValue(entity, forKey: entity.name) != nil { return nil }
            }
            return entities
        }
        // A derived attribute can use attributes of any object that relationships lead to.
        if old.hasDerivedAttributes || new.hasDerivedAttributes { return nil }
        guard let before = changedEntities(old), let after = changedEntities(new) else { return nil }
        var names = changedNames
        for name in changedNames {
            guard let entity = after[name] else { return nil }
            if let old = before[name] {
                guard old.parentName == entity.parentName, old.isAbstract == entity.isAbstract,
                    old.renamingIdentifier == entity.renamingIdentifier
                else { return nil }
            } else if entity.renamingIdentifier != nil {
                return nil
            }
            let relationships = (before[name]?.relationships ?? []).map(\.unplaced)
            let newRelationships = entity.relationships.map(\.unplaced)
            for relationship in relationships where !newRelationships.contains(relationship) {
                names.formUnion(relationship.entityNames)
            }
            for relationship in newRelationships where !relationships.contains(relationship) {
                names.formUnion(relationship.entityNames)
            }
        }
        return names
    }
}

/// Which entities of a model belong to a part of it.
private struct PartOfModel {
    private var names: Set<String> = []
    /// The entities that are included as outlines only.
    private var outlinedNames: Set<String> = []

    /// The part without entities.
    init() {}

    /// The groups of entities that are connected with some, directly or by others.
    ///
    /// Entities are connected that are parent and child, that a relationship leads between, that are called alike, by
    /// their renaming identifiers too, and that need the same table of letters.
    init(groupsOf changedNames: Set<String>, in entities: [Entity]) {
        var groups = NameGroups()
        for entity in entities {
            groups.connect(entity.name, entity.parentName)
            groups.connect(entity.name, entity.renamingIdentifier)
            for relationship in entity.relationships {
                for name in relationship.entityNames { groups.connect(entity.name, name) }
            }
            for attribute in entity.attributes {
                for folding in attribute.mentionedFoldings { groups.connect(entity.name, "\(folding.rawValue):") }
            }
        }
        let changedGroups = Set(changedNames.map { groups.group(of: $0) })
        for entity in entities where changedGroups.contains(groups.group(of: entity.name)) {
            names.insert(entity.name)
        }
    }

    /// The tables of some entities, and the outlines of the entities that relationships lead to from there and back.
    ///
    /// The tables' definitions depend on nothing else.
    init(tablesOf tableNames: Set<String>, in entities: [Entity]) {
        var groups = NameGroups()
        for entity in entities { groups.connect(entity.name, entity.parentName) }
        let tables = Set(tableNames.map { groups.group(of: $0) })
        var neighbours: Set<Int> = []
        for entity in entities where !entity.relationships.isEmpty {
            let own = groups.group(of: entity.name)
            let isAmongThem = tables.contains(own)
            for relationship in entity.relationships {
                for name in relationship.entityNames {
                    let other = groups.group(of: name)
                    if isAmongThem { neighbours.insert(other) }
                    if tables.contains(other) { neighbours.insert(own) }
                }
            }
        }
        for entity in entities {
            let group = groups.group(of: entity.name)
            if tables.contains(group) {
                names.insert(entity.name)
            } else if neighbours.contains(group) {
                outlinedNames.insert(entity.name)
            }
        }
    }

    func part(of model: Model) -> Model {
        var part = model
        part.entities = []
        // They concern the whole model, and have no effect on stored data.
        part.configurations = []
        for entity in model.entities {
            if names.contains(entity.name) {
                part.entities.append(entity)
            } else if outlinedNames.contains(entity.name) {
                var outline = entity.outline
                outline.relationships.removeAll { relationship in
                    !relationship.entityNames.allSatisfy { names.contains($0) || outlinedNames.contains($0) }
                }
                part.entities.append(outline)
            }
        }
        return part
    }
}

extension Model {
    /// Whether any entity has an attribute that is derived from others.
    fileprivate var hasDerivedAttributes: Bool {
        for entity in entities {
            // All attributes of all versions are visited, and a closure would copy each.
            let isDerived = entity.attributes.withUnsafeBufferPointer { attributes in
                guard let start = attributes.baseAddress else { return false }
                var index = 0
                while index < attributes.count {
                    if start[index].derivationExpression != nil { return true }
                    index &+= 1
                }
                return false
            }
            if isDerived { return true }
        }
        return false
    }
}

extension Entity {
    /// The parts of the entity that other entities use.
    fileprivate var outline: Entity {
        var outline = self
        outline.representedClassName = nil
        outline.attributes = []
        outline.fetchedProperties = []
        outline.indexes = []
        outline.uniquenessConstraints = []
        outline.versionHashModifier = nil
        outline.userInfo = UserInfo()
        return outline
    }
}

extension Attribute {
    /// The forms of strings whose names are in the derivation, perhaps as a part of something else.
    fileprivate var mentionedFoldings: [Derivation.Folding] {
        guard isDerived, let expression = derivationExpression else { return [] }
        return Derivation.Folding.allCases.filter { expression.contains("\($0.rawValue):") }
    }
}

extension Relationship {
    /// The relationship without its place.
    fileprivate var unplaced: Relationship {
        var unplaced = self
        unplaced.location = SourceLocation(file: "")
        unplaced.userInfo = UserInfo()
        return unplaced
    }
}
