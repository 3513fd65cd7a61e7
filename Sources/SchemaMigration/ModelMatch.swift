import DataModel
import RelationalSchema

/// Which entities and properties of two versions are the same things.
struct ModelMatch {
    let old: Version
    let new: Version
    /// The old entity of each new one that is not new.
    private(set) var oldEntityNames: [String: String] = [:]
    /// The new entity of each old one that is not removed.
    private(set) var newEntityNames: [String: String] = [:]
    /// For each new entity, the old property of each property that it has or inherits, by the new name.
    private(set) var oldProperties: [String: [String: Version.Property]] = [:]

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

    private mutating func matchEntities() {
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

    private mutating func matchProperties(of name: String) {
        guard let oldName = oldEntityNames[name], let oldNode = old.nodes[oldName], let newNode = new.nodes[name]
        else { return }
        func items(_ properties: [Version.Property]) -> [NameMatch.Item] {
            properties.map { NameMatch.Item(name: $0.name, identifier: $0.identifier) }
        }
        let match = NameMatch(old: items(oldNode.properties), new: items(newNode.properties))
        var matched: [String: Version.Property] = [:]
        for (property, position) in zip(newNode.properties, match.oldPositions) {
            if let position {
                matched[property.name] = oldNode.properties[position]
            } else if let source = copySource(of: property, in: oldNode) {
                matched[property.name] = source
            }
        }
        oldProperties[name] = matched
    }

    /// Several attributes may have the identifier of one old attribute, and then each gets its value.
    private func copySource(of property: Version.Property, in oldNode: Version.Node) -> Version.Property? {
        guard let attribute = property.attribute else { return nil }
        return oldNode.properties.first { candidate in
            guard candidate.canonicalName == property.canonicalName, let source = candidate.attribute else {
                return false
            }
            return AttributeConversion(from: source.type, to: attribute.type) != nil
        }
    }
}
