import DataModel

/// Other names for classes and structs whose own names mean something else in a part of the generated code: a type
/// parameter of the runtime's, or a property of the model's.
extension ModelLayout {
    /// The names of all members of a model's classes and structs.
    static func memberNames(_ model: Model) -> Set<String> {
        var names: Set<String> = []
        for entity in model.entities {
            names.formUnion(entity.attributes.map(\.name))
            names.formUnion(entity.relationships.map(\.name))
            names.formUnion(entity.fetchedProperties.map(\.name))
            names.formUnion(entity.indexes.map(\.name))
        }
        for composite in model.composites {
            names.formUnion(composite.attributes.map(\.name))
        }
        // In Swift some have an underscore, as a class may.
        return names.union(names.map { SwiftName.property($0).filter { $0 != "`" } })
    }

    static func aliases(of types: Set<String>, hiddenBy names: Set<String>) -> [String: String] {
        var aliases: [String: String] = [:]
        for type in types {
            let plain = type.filter { $0 != "`" }
            if names.contains(plain) { aliases[type] = "_Ashlar\(plain)Type" }
        }
        return aliases
    }

    /// The declaration of a type's other name; nil for a type that is used by its own.
    func alias(of type: String, access: AccessLevel) -> Declaration? {
        aliases[type].map { .alias(access, name: $0, type: type) }
    }
}
