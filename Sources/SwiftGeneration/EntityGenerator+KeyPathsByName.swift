import DataModel
import RelationalSchema

/// The key paths of properties by their names, for what is known at run time only.
extension EntityGenerator {
    /// Finds the key path of a property that the entity declares, or of a part of a composite; nil where it declares no
    /// property.
    var keyPaths: Declaration? {
        let entries = attributeKeyPaths + relationshipKeyPaths
        if entries.isEmpty { return nil }
        let cases = entries.map { "case \(SwiftName.literal($0.name)): \\\(className).\($0.path)" }
        return function(
            "class", "func _ashlarKeyPath", [Parameter(name: "of property", type: "String")], "-> AnyKeyPath?",
            ["switch property {"] + cases + ["default: super._ashlarKeyPath(of: property)", "}"])
    }

    private typealias Entry = (name: String, path: String)

    private var attributeKeyPaths: [Entry] {
        let stored = layout.declaredProperties.filter { $0.attribute != nil }
        let transient = entity.attributes.filter(\.isTransient)
        return stored.map { ($0.modelName, $0.propertyName) }
            + stored.flatMap { $0.columns.compactMap(leafKeyPath) }
            + transient.map { ($0.name, SwiftName.property($0.name)) }
    }

    /// A leaf, or a composite within a composite, whose presence is a column.
    private func leafKeyPath(_ column: EntityLayout.SelectedColumn) -> Entry? {
        guard let leaf = column.stored.leaf, leaf.names.count > 1 else { return nil }
        return (leaf.names.joined(separator: "."), String(column.value(in: "").dropFirst()))
    }

    private var relationshipKeyPaths: [Entry] {
        layout.relationships.filter(\.isOwn).map { ($0.relationship.name, SwiftName.property($0.relationship.name)) }
    }
}
