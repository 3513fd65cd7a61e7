public import DataModel

extension ModelGenerator {
    /// A type that generated code declares outside of all others.
    public struct DeclaredType: Sendable, Hashable {
        public var name: String
        /// The element of the model that it is made from: `entity 'Post'`.
        public var title: String
        public var location: SourceLocation
        /// The rule that two types of one name violate.
        public var code: Diagnostic.Code
    }

    /// The types that the code declares outside of all others, in the order of their names in the model.
    public var declaredTypes: [DeclaredType] {
        let layout = ModelLayout(schema, name: name)
        let classes = layout.entities.compactMap { layout.layout(of: $0) }.map {
            DeclaredType(
                name: $0.generatedClassName, title: "entity '\($0.entity.name)'", location: $0.entity.location,
                code: .duplicateEntity)
        }
        let structs = layout.composites.map {
            DeclaredType(
                name: layout.structNames[$0.name] ?? $0.name, title: "composite '\($0.name)'", location: $0.location,
                code: .duplicateComposite)
        }
        let model = DeclaredType(
            name: layout.typeName, title: "the model itself", location: schema.graph.model.location,
            code: .duplicateEntity)
        return classes + structs + [model]
    }
}
