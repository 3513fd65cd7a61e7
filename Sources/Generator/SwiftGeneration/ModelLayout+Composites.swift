import DataModel

/// The structs that are generated for composites.
extension ModelLayout {
    /// The names of the structs, by those of the composites.
    ///
    /// Entities and composites have separate names in a model, but share one set of names in Swift, where the class
    /// keeps its name.
    static func structNames(of composites: [Composite], beside classNames: some Sequence<String>) -> [String: String] {
        var taken = Set(classNames)
        var names: [String: String] = [:]
        for composite in composites.sorted(by: { $0.name < $1.name }) where names[composite.name] == nil {
            var name = SwiftName.className(represented: nil, entity: composite.name)
            if taken.contains(name) { name = composite.name + "Composite" }
            while !taken.insert(name).inserted { name += "_" }
            names[composite.name] = name
        }
        return names
    }

    /// The composites by name, each once.
    var composites: [Composite] { structNames.keys.sorted().compactMap { graph.composite(named: $0) } }

    /// The composite of an attribute; nil if the attribute has another type.
    func composite(of attribute: Attribute) -> Composite? {
        guard attribute.type == .composite, let name = attribute.compositeName else { return nil }
        return graph.composite(named: name)
    }

    /// The name, in generated code, of a composite attribute's struct.
    func structName(of attribute: Attribute) -> String {
        let name = structNames[attribute.compositeName ?? ""] ?? "Never"
        return aliases[name] ?? name
    }

    /// The expression of the runtime's `AttributeCoding` of an attribute; nil if its type determines everything.
    func coding(of attribute: Attribute) -> String? {
        attribute.type == .composite
            ? ".composite(\(structName(of: attribute)).self)" : AttributeCode(attribute).attributeCoding
    }

    /// The type of an attribute's property.
    func type(of attribute: Attribute) -> String {
        if attribute.type != .composite { return AttributeCode(attribute).type }
        return structName(of: attribute) + (attribute.isOptional ? "?" : "")
    }

    /// The default of a parameter of an initialiser; nil if the caller must give a value.
    func defaultExpression(of attribute: Attribute) -> String? {
        guard let composite = composite(of: attribute) else { return AttributeCode(attribute).defaultExpression }
        if attribute.isOptional { return "nil" }
        let isComplete = composite.attributes.allSatisfy { defaultExpression(of: $0) != nil }
        return isComplete ? structName(of: attribute) + "()" : nil
    }

    /// The conversions between the values within an attribute and the contents of their columns.
    func conversions(of attribute: Attribute) -> [AttributeCode.Conversion] {
        graph.leaves(of: attribute).filter { !$0.isPresence }.compactMap {
            $0.path.last.map { AttributeCode($0).conversion }
        }
    }

    /// Returns whether declarations with values of some attributes use types of Foundation.
    static func needsFoundation(_ attributes: [Attribute]) -> Bool {
        attributes.contains { attribute in
            switch attribute.type {
            case .date, .binary, .transformable, .uuid, .uri, .decimal: true
            case .composite: false
            // A type of the user's may be one of Foundation's.
            default: attribute.userInfo["ashlar.swiftType"] != nil
            }
        }
    }
}
