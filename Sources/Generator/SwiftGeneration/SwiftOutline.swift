import DataModel
import RelationalSchema

/// The names and types that a model's parts have in Swift.
package struct SwiftOutline {
    private let layout: ModelLayout

    /// Lays out a model, which may have errors.
    package init(_ schema: Schema, modelName: String) { layout = ModelLayout(schema, name: modelName) }

    /// The name of an entity's class.
    package func className(of entity: Entity) -> String { layout.className(entity) }

    /// The declaration of an attribute's property, without accessors.
    package func declaration(of attribute: Attribute) -> String {
        "var \(SwiftName.property(attribute.name)): \(layout.type(of: attribute))"
    }

    /// The declaration of a relationship's property, without accessors.
    package func declaration(of relationship: Relationship) -> String {
        let entity = layout.graph.entity(named: relationship.destinationName)
        let destination = entity.map { layout.className($0) } ?? relationship.destinationName
        let type = relationship.isToMany ? "ToMany<\(destination)>" : destination + "?"
        return "var \(SwiftName.property(relationship.name)): \(type)"
    }
}
