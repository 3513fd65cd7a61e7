import DataModel

/// Makes the declarations of one composite: its struct, and its leaves for conditions and orders.
struct CompositeGenerator {
    let composite: Composite
    let model: ModelLayout
    let access: AccessLevel

    /// In the order of the columns, and of the parameters: by name, as those of entities are, for Xcode sorts them when it
    /// saves. The struct has its properties in the order of the model.
    private var attributesByName: [Attribute] { composite.attributes.sorted { $0.name < $1.name } }
    private var declaredName: String { model.structNames[composite.name] ?? composite.name }
    /// The struct's name in generated code.
    private var name: String { model.aliases[declaredName] ?? declaredName }

    /// All declarations of the composite.
    var declarations: [Declaration] {
        var result: [Declaration] = [.type(structDeclaration)]
        if let alias = model.alias(of: declaredName, access: access) { result.append(alias) }
        if !composite.attributes.isEmpty {
            result += [.type(columns(isOptional: false)), .type(columns(isOptional: true))]
        }
        return result + [.type(runtimeExtension)]
    }

    private var structDeclaration: TypeDeclaration {
        let documentation = EntityGenerator.documentation(composite.userInfo)
        var type = TypeDeclaration(
            documentation: documentation.isEmpty
                ? ["A value of the composite `\(composite.name)`."] : documentation,
            access: access, kind: .struct, name: declaredName)
        let conversions = composite.attributes.flatMap { model.conversions(of: $0) }
        // A user's own types only have to be equatable, and a transformer's value need not be codable.
        type.inherited = ["Sendable", conversions.allSatisfy(\.isHashable) ? "Hashable" : "Equatable"]
        if !conversions.contains(where: { if case .transformer = $0 { true } else { false } }) {
            type.inherited.append("Codable")
        }
        type.members = composite.attributes.map { attribute in
            .property(
                PropertyDeclaration(
                    documentation: EntityGenerator.documentation(attribute.userInfo), access: access,
                    name: SwiftName.property(attribute.name), type: model.type(of: attribute)))
        }
        type.members.append(initialiser)
        return type
    }

    private var initialiser: Declaration {
        .function(
            FunctionDeclaration(
                documentation: ["Creates a value; properties that have a default or may be nil can be omitted."],
                access: access, name: "init",
                parameters: attributesByName.map { attribute in
                    Parameter(
                        name: SwiftName.label(attribute.name), type: model.type(of: attribute),
                        defaultValue: model.defaultExpression(of: attribute))
                },
                body: composite.attributes.map { attribute in
                    let name = SwiftName.property(attribute.name)
                    return "self.\(name) = \(name)"
                }))
    }

    /// The attributes in the order of their columns, with the column that each begins with.
    private var positions: [(attribute: Attribute, position: Int)] {
        var position = 0
        return attributesByName.map { attribute in
            defer { position += model.graph.leaves(of: attribute).count }
            return (attribute, position)
        }
    }

    // MARK: Columns

    /// The leaves of a composite that is always present, or of one that may be nil together with each leaf.
    private func columns(isOptional: Bool) -> TypeDeclaration {
        let members = positions.compactMap { entry -> Declaration? in
            var attribute = entry.attribute
            let type: String
            let value: String
            if attribute.type == .composite {
                let inner = model.structName(of: attribute)
                type = "CompositeColumns<\(inner)\(isOptional || attribute.isOptional ? "?" : "")>"
                value = "_ashlarComposite(\(entry.position), isOptional: \(attribute.isOptional))"
            } else {
                attribute.isOptional = attribute.isOptional || isOptional
                let code = AttributeCode(attribute)
                guard let coding = code.coding(in: name) else { return nil }
                let decimal = attribute.type == .decimal ? ", isDecimal: true" : ""
                type = "Column<\(code.columnType)>"
                value = "Column(self, \(entry.position), \(coding)\(decimal))"
            }
            return .property(
                PropertyDeclaration(
                    access: access, name: SwiftName.property(attribute.name), type: type,
                    accessors: [Accessor(body: [value])]))
        }
        return TypeDeclaration(
            kind: .extension, name: "CompositeColumns", condition: "Composite == \(name)\(isOptional ? "?" : "")",
            members: members)
    }

    // MARK: Rows

    private var layout: [String] {
        let starts = Dictionary(positions.map { ($0.attribute.name, $0.position) }) { first, _ in first }
        if composite.attributes.isEmpty { return ["CompositeLayout([])"] }
        let leaves = composite.attributes.map { attribute in
            let code = AttributeCode(attribute)
            let type = model.coding(of: attribute) ?? ".\(code.describedType.rawValue)"
            let external = code.conversion == .external ? ", isExternal: true" : ""
            return ".init(\(starts[attribute.name] ?? 0), \(type), isOptional: \(attribute.isOptional)\(external))"
        }
        return ["CompositeLayout(["] + leaves.map { "    \($0)," } + ["])"]
    }

    /// The members that the runtime uses to process values in memory and to read the columns, beginning with the given
    /// one.
    private var runtimeExtension: TypeDeclaration {
        let starts = Dictionary(positions.map { ($0.attribute.name, $0.position) }) { first, _ in first }
        let arguments = attributesByName.map { attribute in
            "\(SwiftName.argument(attribute.name)): \(model.reading(attribute, at: starts[attribute.name] ?? 0, after: "first"))"
        }
        var body =
            ["Self("]
            + arguments.enumerated().map { index, text in
                "    \(text)" + (index == arguments.count - 1 ? ")" : ",")
            }
        if arguments.isEmpty { body = ["Self()"] }
        return TypeDeclaration(
            kind: .extension, name: name, inherited: ["CompositeValue"],
            members: [
                .property(
                    PropertyDeclaration(
                        access: access, modifiers: ["static"], isConstant: true, name: "_ashlarLayout",
                        type: "CompositeLayout", initialValue: layout)),
                .function(
                    FunctionDeclaration(
                        access: access, modifiers: ["static"], name: "func _ashlarDecode",
                        parameters: [Parameter(name: "_ row", type: "Row"), Parameter(name: "_ first", type: "Int32")],
                        result: "throws(RowError) -> Self", body: body)),
                .function(
                    FunctionDeclaration(
                        modifiers: ["static"], name: "func _ashlarAddKeyPaths",
                        parameters: [Parameter(name: "to paths", type: "inout PropertyKeyPaths")],
                        body: model.keyPaths(of: composite.attributes, root: name))),
            ] + composite.attributes.compactMap { AttributeCode($0).unknownTypeDeclaration })
    }
}

extension ModelLayout {
    /// The expression that reads an attribute's value from a row's columns, from a position on. The position is
    /// relative to another one if that is given.
    func reading(_ attribute: Attribute, at position: Int, after base: String? = nil) -> String {
        func column(_ position: Int) -> String {
            guard let base else { return "\(position)" }
            return position == 0 ? base : "\(base) + \(position)"
        }
        if attribute.type != .composite {
            return AttributeCode(attribute).reading(column(position), usesUnknownValue: true)
        }
        let name = structName(of: attribute)
        if !attribute.isOptional { return "try \(name)._ashlarDecode(row, \(column(position)))" }
        return "try row.isNull(\(column(position))) ? nil : \(name)._ashlarDecode(row, \(column(position + 1)))"
    }
}
