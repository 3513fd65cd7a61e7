@_spi(Generated) import Ashlar
import PredicateFormat

/// The schema that generated descriptions give a resolver.
struct DescriptionSchema: PredicateSchema {
    let root: EntityDescription
    /// The model of the entity; nil for the one that the entity itself names.
    var model: ModelDescription?

    func entity(named name: String) -> EntityDescription? {
        name == root.name ? root : (model ?? root.model?.modelDescription)?.entity(named: name)
    }

    func property(named name: String, of owner: PropertyOwner) -> PropertyDescription? {
        guard case .entity(let entityName) = owner else { return leaf(named: name, of: owner.name) }
        guard let entity = entity(named: entityName) else { return nil }
        if let relationship = entity.relationships.first(where: { $0.name == name }) {
            return relationship.isToMany
                ? .toMany(destination: relationship.destination, isOrdered: relationship.isOrdered)
                : .toOne(destination: relationship.destination)
        }
        if entity.fullTextIndexes.contains(where: { $0.name == name }) { return .fullText }
        return attribute(named: name, of: entity)
    }

    /// The leaf of a composite, which is named by its entity and attribute: `Sample.place`.
    private func leaf(named name: String, of composite: String) -> PropertyDescription? {
        guard let point = composite.firstIndex(of: "."), let entity = entity(named: String(composite[..<point])) else {
            return nil
        }
        return attribute(named: composite[composite.index(after: point)...] + "." + name, of: entity)
    }

    private func attribute(named name: String, of entity: EntityDescription) -> PropertyDescription? {
        if entity.columns.contains(where: { $0.property.hasPrefix(name + ".") && entity.isKind(of: $0.entity) }) {
            return .composite(name: "\(entity.name).\(name)")
        }
        guard let column = entity.attributeColumn(named: name), let type = entity.columns[column].type else {
            return nil
        }
        return .attribute(ValueType(type))
    }

    func propertyNames(of owner: PropertyOwner) -> [String] {
        guard case .entity(let name) = owner, let entity = entity(named: name) else { return [] }
        return entity.relationships.map(\.name)
            + entity.columns.filter { $0.type != nil && entity.isKind(of: $0.entity) }.map(\.property)
            + entity.fullTextIndexes.map(\.name)
    }

    func isEntity(_ entity: String, kindOf ancestor: String) -> Bool {
        self.entity(named: entity)?.isKind(of: ancestor) ?? false
    }

    func entityNames(kindOf name: String) -> [String] {
        let entities = (model ?? root.model?.modelDescription)?.entities ?? [root]
        let kinds = entities.filter { $0.isKind(of: name) }
        return kinds.sorted { ($1.ancestorNames.count, $0.name) < ($0.ancestorNames.count, $1.name) }.map(\.name)
    }

    func indexNames(of entity: String) -> [String] { [] }
}
