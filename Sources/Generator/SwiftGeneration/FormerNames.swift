public import DataModel
import SchemaMigration

/// The previous names of entities and properties that were renamed.
public struct FormerNames: Sendable, Hashable {
    /// The names of classes, by their entities' names now.
    private(set) var classes: [String: String] = [:]
    /// The names of the properties that an entity declares, by the names of the entity and of the property now.
    private(set) var properties: [String: [String: String]] = [:]

    /// No names.
    public init() {}

    /// Compares two versions.
    public init(from old: Model, to new: Model) {
        let match = NameMatch(old: old.entities.map(NameMatch.Item.init), new: new.entities.map(NameMatch.Item.init))
        for (entity, position) in zip(new.entities, match.oldPositions) {
            guard let before = position.map({ old.entities[$0] }) else { continue }
            if before.name != entity.name {
                classes[entity.name] = SwiftName.className(
                    represented: before.representedClassName, entity: before.name)
            }
            let names = (before.storedProperties, entity.storedProperties)
            let properties = NameMatch(old: names.0, new: names.1)
            for (property, position) in zip(names.1, properties.oldPositions) {
                guard let formerName = position.map({ names.0[$0].name }), formerName != property.name else { continue }
                self.properties[entity.name, default: [:]][property.name] = formerName
            }
        }
    }
}

extension NameMatch.Item {
    fileprivate init(_ entity: Entity) { self.init(name: entity.name, identifier: entity.renamingIdentifier) }
}

extension Entity {
    fileprivate var storedProperties: [NameMatch.Item] {
        attributes.filter(\.isStored).map { NameMatch.Item(name: $0.name, identifier: $0.renamingIdentifier) }
            + relationships.map { NameMatch.Item(name: $0.name, identifier: $0.renamingIdentifier) }
    }
}

extension EntityGenerator {
    /// Declarations with the previous names of the entity and its properties, so that the compiler suggests the new
    /// ones.
    ///
    /// A property of the program's own with such a name hides the declaration, which is that of a protocol's extension.
    func formerDeclarations(_ members: [Declaration], _ columns: [Declaration]) -> Declaration? {
        var result: [Declaration] = []
        let names =
            model.classNames.values.map { $0.filter { $0 != "`" } } + model.schema.graph.model.composites.map(\.name)
        if let name = formerNames.classes[entity.name], !names.contains(name.filter { $0 != "`" }),
            name != model.typeName
        {
            result.append(.former(access, name: name, type: layout.declaredName))
        }
        for (kind, condition, members) in [
            ("PersistentModel", "Self: \(className)", members),
            ("Columns", layout.hasChildren ? "Model: \(className)" : "Model == \(className)", columns),
        ] {
            let properties = members.compactMap(formerProperty)
            if properties.isEmpty { continue }
            result.append(
                .type(TypeDeclaration(kind: .extension, name: kind, condition: condition, members: properties)))
        }
        return result.isEmpty ? nil : .conditional("!ASHLAR_WITHOUT_FORMER_NAMES", result)
    }

    /// The declaration of a property under its former name; nil if it was not renamed, or something else has the name.
    private func formerProperty(_ declaration: Declaration) -> Declaration? {
        guard case .property(var property) = declaration,
            let renaming = formerNames.properties[entity.name]?.first(where: {
                SwiftName.property($0.key) == property.name
            })
        else { return nil }
        let relatives = model.graph.ancestors(of: entity) + model.graph.hierarchy(of: entity)
        let isTaken = relatives.contains { relative in
            (relative.attributes.map(\.name) + relative.relationships.map(\.name)
                + relative.fetchedProperties.map(\.name) + relative.indexes.map(\.name)).contains(renaming.value)
        }
        if isTaken { return nil }
        let name = property.name
        property.documentation = []
        property.note = nil
        property.modifiers = []
        property.attributes = ["@available(*, unavailable, renamed: \(SwiftName.literal(name.filter { $0 != "`" })))"]
        property.name = SwiftName.property(renaming.value)
        let isWritable = property.accessors.contains { ["set", "_modify"].contains($0.keyword) }
        property.accessors =
            isWritable
            ? [Accessor(keyword: "get", body: [name]), Accessor(keyword: "set", body: ["\(name) = newValue"])]
            : [Accessor(body: [name])]
        return .property(property)
    }
}
