import DataModel
import RelationalSchema

/// Which entities and properties of two versions are the same things.
final class ModelMatch {
    let old: Version
    let new: Version
    /// The old entity of each new one that is not new.
    private(set) var oldEntityNames: [String: String] = [:]
    /// The new entity of each old one that is not removed.
    private(set) var newEntityNames: [String: String] = [:]
    /// For each new entity, the old property of each property that it has or inherits, by the new name.
    private(set) var oldProperties: [String: [String: Version.Property]] = [:]
    /// For each new entity, the old composite of each that it has or inherits, by the new key path.
    private(set) var oldComposites: [String: [String: CompositePath]] = [:]
    /// The relationships to one object that objects of the new version cannot be without.
    private(set) lazy var bindings = makeBindings()
    /// The composites that became other attributes, or the reverse, by the new names.
    private(set) var changedKinds: [PropertyName: (old: Version.Property.Content, new: Version.Property.Content)] = [:]

    /// An old property that became something else, with the new entity that must name it as removed: the successor of
    /// the entity that declared the property.
    struct Giver: Hashable {
        var entityName: String
        var name: String
    }

    /// The old properties that are something else now, by the new ones.
    private(set) var givers: [PropertyName: [Giver]] = [:]

    init(old: Version, new: Version) {
        self.old = old
        self.new = new
        matchEntities()
        for name in new.names { matchProperties(of: name) }
    }

    /// The old property whose values a new entity's objects bring along.
    func oldProperty(_ name: String, of newEntityName: String) -> Version.Property? {
        oldProperties[newEntityName]?[name]
    }

    /// The old composite whose leaves a new entity's objects bring along for one of theirs.
    func oldComposite(_ keyPath: String, of newEntityName: String) -> CompositePath? {
        oldComposites[newEntityName]?[keyPath]
    }

    /// The old composites that a declared composite, or one within it, takes over, each once.
    func compositeSources(of key: PropertyName) -> [CompositePath] {
        var result: [CompositePath] = []
        for entityName in new.nodes[key.entityName]?.hierarchy ?? [] {
            guard let old = oldComposite(key.name, of: entityName), !result.contains(where: { $0.key == old.key })
            else { continue }
            result.append(old)
        }
        return result
    }

    /// Returns whether a new entity's objects bring along an old property, or composite.
    func carries(_ key: PropertyName, to newEntityName: String) -> Bool {
        oldProperties[newEntityName]?.values.contains { $0.key == key } == true
            || oldComposites[newEntityName]?.values.contains { $0.key == key } == true
    }

    /// The old properties whose values a declared property takes over, each once, with the new entities that do so.
    func sources(of key: PropertyName) -> [(old: Version.Property, newEntityNames: [String])] {
        var result: [(old: Version.Property, newEntityNames: [String])] = []
        for entityName in new.nodes[key.entityName]?.hierarchy ?? [] {
            guard let old = oldProperty(key.name, of: entityName) else { continue }
            if let index = result.firstIndex(where: { $0.old.key == old.key }) {
                result[index].newEntityNames.append(entityName)
            } else {
                result.append((old, [entityName]))
            }
        }
        return result
    }

    private func matchEntities() {
        func items(_ version: Version) -> [NameMatch.Item] {
            version.names.map { NameMatch.Item(name: $0, identifier: version.nodes[$0]?.entity.renamingIdentifier) }
        }
        let match = NameMatch(old: items(old), new: items(new))
        for (name, position) in zip(new.names, match.oldPositions) {
            guard let position else { continue }
            oldEntityNames[name] = old.names[position]
            newEntityNames[old.names[position]] = name
        }
    }

    private func matchProperties(of name: String) {
        guard let oldName = oldEntityNames[name], let oldNode = old.nodes[oldName], let newNode = new.nodes[name]
        else { return }
        let (before, after) = (PropertyGroup.groups(oldNode.properties), PropertyGroup.groups(newNode.properties))
        oldProperties[name] = [:]
        oldComposites[name] = [:]
        let removed = Set(newNode.entity.userInfo.names(UserInfo.removedKey))
        for (position, group) in zip(NameMatch(old: before, new: after).oldPositions, after) {
            guard let source = position.map({ before[$0] }) ?? copySource(of: group, among: before) else { continue }
            // If the one cannot become the other, the author may give it up under the same name. If it can, it is kept
            // whatever is named: the entry may be left over from an earlier version.
            if source.kind != group.kind {
                let survivor = LostProperty.survivor(of: source.properties[0].key, self) ?? name
                let giver = Giver(entityName: survivor, name: source.item.name)
                let named = new.nodes[survivor]?.entity.userInfo.names(UserInfo.removedKey) ?? []
                if named.contains(giver.name) || removed.contains(giver.name) { continue }
                let key = group.composite?.key ?? group.properties[0].key
                if givers[key]?.contains(giver) != true { givers[key, default: []].append(giver) }
            }
            match(source, group, of: name)
        }
    }

    /// Matches a property, or a composite with its leaves, with an old one.
    private func match(_ old: PropertyGroup, _ new: PropertyGroup, of entityName: String) {
        switch (old.composite, new.composite) {
        case (nil, nil): oldProperties[entityName]?[new.properties[0].name] = old.properties[0]
        case (let oldPath?, let newPath?):
            oldComposites[entityName]?[newPath.key.name] = oldPath
            if let presence = new.presence { oldProperties[entityName]?[presence.name] = old.presence }
            let (before, after) = (old.inner, new.inner)
            for (position, group) in zip(NameMatch(old: before, new: after).oldPositions, after) {
                if let position { match(before[position], group, of: entityName) }
            }
        case (_, let newPath):
            if old.isEmpty || new.isEmpty { return }
            changedKinds[newPath?.key ?? new.properties[0].key] = (old.content, new.content)
        }
    }

    /// Several attributes may have the identifier of one old attribute, and then each gets its value.
    private func copySource(of group: PropertyGroup, among candidates: [PropertyGroup]) -> PropertyGroup? {
        guard let attribute = group.attribute else { return nil }
        return candidates.first { candidate in
            guard candidate.item.canonicalName == group.item.canonicalName, let source = candidate.attribute else {
                return false
            }
            return AttributeConversion(from: source, to: attribute) != nil
        }
    }
}
