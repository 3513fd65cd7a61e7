import Ashlar
import DataModel
import GeneratorPipeline
import PlannedModel
import RelationalSchema
import StoreDescription

import class RelationalSchema.Schema

/// A version of the model, with the entities, tables and columns of its stores.
struct BrowsedVersion: Sendable {
    let name: String
    /// The position of the version in the plan.
    let index: Int
    let versionHash: String
    let schema: Schema
    /// The model that conditions are parsed and printed with.
    let model: ModelDescription
    /// The Swift types of attributes.
    let enumerations: SwiftEnumerations
    private let entities: [String: StoredEntity]
    private let children: [String: [String]]

    static func all(of plan: ModelPlan, atPath path: String?) throws -> [BrowsedVersion] {
        guard let stored = ModelDescription(plan).storedEntities(), stored.count == plan.versions.count else {
            throw BrowsingError(.invalid, "The model does not say what its versions store.")
        }
        let enumerations = SwiftEnumerations(besides: path)
        return plan.versions.indices.map { index in
            let version = plan.versions[index]
            return BrowsedVersion(
                version.name, index, version.hash.versionHash, plan.schemas[index], stored[index], enumerations)
        }
    }

    private init(
        _ name: String, _ index: Int, _ versionHash: String, _ schema: Schema, _ stored: [StoredEntity],
        _ enumerations: SwiftEnumerations
    ) {
        self.enumerations = enumerations
        self.name = name
        self.index = index
        self.versionHash = versionHash
        self.schema = schema
        model = ModelDescription.describing(schema)
        entities = Dictionary(stored.map { ($0.name, $0) }) { first, _ in first }
        var children: [String: [String]] = [:]
        for entity in stored { if let parent = entity.parent { children[parent, default: []].append(entity.name) } }
        self.children = children
    }

    /// All entities, by name.
    var storedEntities: [StoredEntity] { entities.values.sorted { $0.name < $1.name } }

    /// The names of all entities, in order.
    var entityNames: [String] { entities.keys.sorted() }

    func entity(_ name: String) throws(BrowsingError) -> StoredEntity {
        if let entity = entities[name] { return entity }
        throw BrowsingError(.missing, "The model has no entity \(name).")
    }

    /// An entity and those above it, the root first.
    func line(_ name: String) -> [StoredEntity] {
        var result: [StoredEntity] = []
        var entity = entities[name]
        while let found = entity, result.count <= entities.count {
            result.insert(found, at: 0)
            entity = found.parent.flatMap { entities[$0] }
        }
        return result
    }

    /// An entity and all below it, by name.
    func hierarchy(_ name: String) -> [StoredEntity] {
        var (result, waiting): ([StoredEntity], [String]) = ([], [name])
        while let next = waiting.popLast() {
            guard let entity = entities[next] else { continue }
            result.append(entity)
            waiting += children[next] ?? []
        }
        return result.sorted { $0.name < $1.name }
    }

    func attributes(of name: String) -> [StoredEntity.Attribute] {
        line(name).flatMap(\.attributes)
    }

    func relationships(of name: String) -> [StoredEntity.Relationship] {
        line(name).flatMap(\.relationships)
    }

    func table(of name: String) -> String { line(name).first?.table ?? name }

    /// Returns whether objects of several entities share the table, so that a column distinguishes them.
    func hasDiscriminator(_ name: String) -> Bool {
        guard let root = line(name).first else { return false }
        return !(children[root.name] ?? []).isEmpty
    }

    /// The entity as the model describes it.
    func modelled(_ name: String) -> Entity? { schema.graph.entity(named: name) }

    /// An attribute as the model has it; nil for a part of a composite.
    func modelled(_ attribute: StoredEntity.Attribute, of name: String) -> Attribute? {
        guard attribute.path.count == 1, let entity = modelled(name) else { return nil }
        return schema.graph.attribute(named: attribute.keyPath, of: entity)
    }

    /// The attribute that names an object: the one set by `ashlar.title`, else a text attribute with a fitting name,
    /// else the first text attribute.
    func label(of name: String) -> StoredEntity.Attribute? {
        let title = line(name).reversed().lazy.compactMap { modelled($0.name)?.userInfo[UserInfo.titleKey] }.first
        if let title, let found = attributes(of: name).first(where: { $0.keyPath == title }) { return found }
        let texts = attributes(of: name).filter { $0.type == .string && $0.path.count == 1 }
        return texts.first { ["name", "title"].contains($0.keyPath) }
            ?? texts.first { $0.keyPath.lowercased().hasSuffix("name") || $0.keyPath.lowercased().hasSuffix("title") }
            ?? texts.first { !$0.isOptional } ?? texts.first
    }
}
