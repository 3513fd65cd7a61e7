import DataModel

/// The names of properties by their key paths, for Foundation's predicates and sort descriptors, and for callers that
/// know a property only by its name.
extension EntityGenerator {
    /// The key paths that the runtime uses, and their parts at first use.
    var keyPathMembers: [Declaration] {
        let name = "_ashlar\(layout.plainClassName)KeyPaths"
        let isAlone = layout.isRoot && !layout.hasChildren
        var added =
            isAlone
            ? keyPaths(of: className) : ["_ashlarAdd\(layout.plainClassName)KeyPaths(\(className).self, to: &paths)"]
        if !hasProperty("id") { added.append("paths.add(unvalued: \\\(className).id, \"id$\")") }
        var result: [Declaration] = [
            .property(
                PropertyDeclaration(
                    access: access, modifiers: ["override", "class"], name: "_ashlarKeyPaths", type: "PropertyKeyPaths",
                    accessors: [Accessor(body: [name])])),
            .property(
                PropertyDeclaration(
                    modifiers: ["private", "static"], isConstant: true, name: name, type: "PropertyKeyPaths",
                    initialValue: ["PropertyKeyPaths { paths in"] + added.map { "    \($0)" } + ["}"])),
        ]
        if isAlone { return result }
        // The key paths of an inherited property have the subclass for their root.
        let inherited = layout.parent.map { parent in
            ["_ashlarAdd\(model.declaredName(parent).filter { $0 != "`" })KeyPaths(root, to: &paths)"]
        }
        result.append(
            .function(
                FunctionDeclaration(
                    modifiers: ["static"],
                    name: "func _ashlarAdd\(layout.plainClassName)KeyPaths<Root: \(className)>",
                    parameters: [
                        Parameter(name: "_ root", type: "Root.Type"),
                        Parameter(name: "to paths", type: "inout PropertyKeyPaths"),
                    ], body: (inherited ?? []) + keyPaths(of: "Root"))))
        return result
    }

    private func hasProperty(_ name: String) -> Bool {
        model.graph.attributes(of: entity).contains { $0.name == name }
            || model.graph.relationships(of: entity).contains { $0.name == name }
    }

    /// The statements that add the properties that the entity itself declares.
    private func keyPaths(of root: String) -> [String] {
        let attributes = layout.declaredProperties.filter { !$0.columns.isEmpty }.compactMap(\.attribute)
        let relationships = layout.relationships.filter(\.isOwn).map { $0.relationship.name }
        let texts = fullTextTables.filter(\.isOwn).map(\.index.name)
        let transient = entity.attributes.filter(\.isTransient).map(\.name)
        return model.keyPaths(of: attributes, root: root)
            + transient.map {
                "paths.add(transient: \\\(root).\(SwiftName.property($0)), \(SwiftName.literal($0)))"
            }
            + relationships.map { "paths.add(\\\(root).\(SwiftName.property($0)), \(SwiftName.literal($0)))" }
            + texts.map { "paths.add(unvalued: \\\(root).\(SwiftName.fullText($0)), \(SwiftName.literal($0)))" }
    }
}

extension ModelLayout {
    /// The statements that add attributes, and the members of their composites and enumerations.
    func keyPaths(of attributes: [Attribute], root: String) -> [String] {
        var types: Set<String> = []
        return attributes.flatMap { attribute in
            var lines = [
                "paths.add(\\\(root).\(SwiftName.property(attribute.name)), \(SwiftName.literal(attribute.name)))"
            ]
            if attribute.type == .composite {
                let name = structName(of: attribute)
                if types.insert(name).inserted { lines.append("\(name)._ashlarAddKeyPaths(to: &paths)") }
            } else if AttributeCode(attribute).conversion == .rawValue {
                let name = AttributeCode(attribute).valueType
                if types.insert(name).inserted {
                    lines.append("paths.add(\\\(name).rawValue, PropertyKeyPaths._ashlarRawValue)")
                }
            }
            return lines
        }
    }
}
