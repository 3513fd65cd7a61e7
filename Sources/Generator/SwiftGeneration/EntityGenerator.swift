import DataModel
import RelationalSchema

/// Makes the declarations of one entity: its class, its values struct and its columns.
struct EntityGenerator {
    let layout: EntityLayout
    let model: ModelLayout
    let access: AccessLevel
    /// Whether optional attributes that use their scalar type are not optional in the class, as in Core Data's code.
    var usesScalarValueTypes = false
    /// The names of the version before.
    var formerNames = FormerNames()

    var entity: Entity { layout.entity }
    var className: String { layout.className }

    /// All declarations of the entity, in reading order.
    var declarations: [Declaration] {
        var result: [Declaration] = [.type(classDeclaration)]
        if let alias = model.alias(of: layout.declaredName, access: access) { result.append(alias) }
        let columns = columnsExtension
        result += [.type(valuesExtension), .type(columns)]
        if let indexes = fetchIndexExtension { result.append(.type(indexes)) }
        if layout.isInHierarchy { result.append(.type(valuesAccessor)) }
        if !layout.isRoot { result.append(.type(fetchValuesOverload)) }
        if let requests = fetchRequestsExtension { result.append(.type(requests)) }
        if let former = formerDeclarations(attributeAccessors + relationshipAccessors, columns.members) {
            result.append(former)
        }
        return result
    }

    static func documentation(_ userInfo: UserInfo) -> [String] {
        guard let text = userInfo["documentation"], !text.isEmpty else { return [] }
        return SwiftName.commentLines(text)
    }

    // MARK: Class

    private var classDeclaration: TypeDeclaration {
        var documentation = Self.documentation(entity.userInfo)
        if documentation.isEmpty { documentation = ["An object of the entity `\(entity.name)`."] }
        if layout.isCompletedByProgram {
            documentation += [
                "", "The program declares its class, which inherits from this one: `\(layout.declaredName)`.",
            ]
        }
        if entity.isAbstract {
            documentation += ["", "The entity is abstract: its objects belong to the entities below it."]
        }
        var type = TypeDeclaration(
            documentation: documentation, access: access, modifiers: isInheritedFrom ? [] : ["final"],
            kind: .class, name: layout.generatedClassName)
        let superclass = entity.userInfo[UserInfo.superclassKey] ?? "ManagedObject"
        type.inherited = layout.parentClassName.map { [$0] } ?? [superclass, "PersistentModel"]
        type.members += attributeAccessors + relationshipAccessors + transientProperties + fetchedProperties
        type.members += fullTextProperties
        // Those of an abstract entity are made as objects of the entities below it.
        if !entity.isAbstract { type.members.append(memberwiseInitialiser) }
        if !layout.isInHierarchy, !hasProperty("values") {
            type.members.append(
                .property(
                    PropertyDeclaration(
                        documentation: ["The object's row as a value that may cross to any task."], access: access,
                        name: "values", type: "Values", accessors: [Accessor(body: ["_ashlarValues"])])))
        }
        type.members.append(
            .property(
                PropertyDeclaration(
                    // All ways to the property are in generated code.
                    attributes: ["@safe @exclusivity(unchecked)"], modifiers: finality, name: layout.ownProperty,
                    type: layout.isRoot ? "Values" : "Own")))
        if layout.isCompletedByProgram {
            type.members.append(.alias(access, name: "Values", type: "\(className).Values"))
        }
        // A member of the values struct may have the class's name.
        type.members.append(.alias(access, name: "_AshlarClass", type: className))
        type.members.append(valuesInitialiser)
        if isDecodable {
            if !isParentDecodable { type.inherited.append("Decodable") }
            type.members.append(decodingInitialiser)
        }
        if !layout.isRoot { type.members.append(ownDeclaration) }
        type.members += overrides
        return type
    }

    /// The type of a property of the values struct.
    func type(of property: ValueProperty) -> String {
        property.attribute.map { model.type(of: $0) } ?? "PersistentIdentifier?"
    }

    /// Members of a class with subclasses are final one by one, because no subclass overrides them.
    var finality: [String] { isInheritedFrom ? ["final"] : [] }

    private var isInheritedFrom: Bool { layout.hasChildren || layout.isCompletedByProgram }

    private func hasProperty(_ name: String) -> Bool {
        model.graph.attributes(of: entity).contains { $0.name == name }
            || model.graph.relationships(of: entity).contains { $0.name == name }
    }

    /// Reads a stored property, and reports the access if that is requested.
    private func reading(_ property: ValueProperty, _ attribute: Attribute, _ storage: String) -> [String] {
        guard let bit = property.columns.first?.bit else { return ["return \(storage)"] }
        if AttributeCode(attribute).isPlainMemory { return ["_ashlarAccess(\(bit), \(storage))"] }
        return ["_ashlarAccess(\(bit))", "return \(storage)"]
    }

    /// Changes a stored property, and records the change unless it is recorded already.
    private func writing(_ property: ValueProperty, _ attribute: Attribute, _ storage: String) -> Accessor {
        if property.columns.isEmpty { return Accessor(keyword: "_modify", body: ["yield &\(storage)"]) }
        let notice = "_ashlarWillChange(\(property.mask))"
        guard AttributeCode(attribute).isPlainMemory else {
            return Accessor(keyword: "_modify", body: [notice, "yield &\(storage)"])
        }
        return Accessor(
            keyword: "set",
            body: [
                "if _ashlarIsChanging(\(property.mask)) {",
                "    \(storage) = newValue",
                "} else {",
                "    \(notice)",
                "    \(storage) = newValue",
                "}",
            ])
    }

    /// Which columns a property has, and their bits in the mask of changes.
    private func note(of property: ValueProperty) -> String? {
        guard let first = property.columns.first, let last = property.columns.last else { return nil }
        let columns = property.columns.count == 1 ? "Column \(first.index)" : "Columns \(first.index) to \(last.index)"
        return "\(columns), bits \(property.mask)"
    }

    private func note(of relationship: EntityLayout.LaidOutRelationship) -> String {
        var text = "Relationship \(relationship.number)"
        if case .column(let name) = relationship.storage,
            let column = layout.columns.first(where: { $0.stored.name == name })
        {
            text += ", in column \(column.index)"
        }
        return text
    }

    private var attributeAccessors: [Declaration] {
        layout.declaredProperties.compactMap { property in
            guard let attribute = property.attribute else { return nil }
            let name = SwiftName.property(attribute.name)
            let storage = "\(layout.ownProperty).\(name)"
            var reading = reading(property, attribute, storage)
            var type = type(of: property)
            if let zero = scalarForNil(of: attribute) {
                type = AttributeCode(attribute).valueType
                reading[reading.count - 1] += " ?? \(zero)"
            }
            if let expression = attribute.derivationExpression {
                let notice = "Derived by the store from `\(expression)`, and read anew after each save."
                return .property(
                    PropertyDeclaration(
                        documentation: Self.documentation(attribute.userInfo) + [notice], access: access,
                        modifiers: finality, name: name, type: type, note: note(of: property),
                        accessors: [Accessor(body: reading)]))
            }
            return .property(
                PropertyDeclaration(
                    documentation: Self.documentation(attribute.userInfo), access: access, modifiers: finality,
                    name: name, type: type, note: note(of: property),
                    accessors: [
                        Accessor(keyword: "get", body: reading), writing(property, attribute, storage),
                    ]))
        }
    }

    /// Returns the class's value for nil of an attribute; nil if nil is kept.
    private func scalarForNil(of attribute: Attribute) -> String? {
        guard usesScalarValueTypes, attribute.isOptional, attribute.usesScalarValueType else { return nil }
        return AttributeCode(attribute).zero
    }

    private var relationshipAccessors: [Declaration] {
        layout.relationships.filter(\.isOwn).map { laidOut in
            let relationship = laidOut.relationship
            let destination = model.className(laidOut.destination)
            let getter: String
            let setter: String
            if relationship.isToMany {
                getter = "ToMany(_ownerForAshlar: self, \(laidOut.number))"
                setter = "newValue._ashlarAssign(to: self, \(laidOut.number))"
            } else {
                var arguments = ["\(laidOut.number)"]
                if case .column = laidOut.storage {
                    arguments.append("\(layout.ownProperty).\(SwiftName.property(relationship.name))")
                }
                getter = "_ashlarToOne(\(arguments.joined(separator: ", ")))"
                setter = "_ashlarSetToOne(\(laidOut.number), newValue)"
            }
            return .property(
                PropertyDeclaration(
                    documentation: Self.documentation(relationship.userInfo), access: access, modifiers: finality,
                    name: SwiftName.property(relationship.name),
                    type: relationship.isToMany ? "ToMany<\(destination)>" : "\(destination)?",
                    note: note(of: laidOut),
                    accessors: [
                        Accessor(keyword: "get", body: [getter]), Accessor(keyword: "set", body: [setter]),
                    ]))
        }
    }

    private var transientProperties: [Declaration] {
        let inherited = model.graph.ancestors(of: entity).flatMap(\.attributes).filter(\.isTransient).count
        return entity.attributes.filter(\.isTransient).enumerated().flatMap { index, attribute -> [Declaration] in
            let initial = model.defaultExpression(of: attribute)
            let type = model.type(of: attribute)
            let valueType = initial == nil || initial == "nil" ? type.optionalType : type
            let notice = "Not stored: the value lives as long as the object."
            let number = inherited + index
            let storage = "_ashlarTransient\(number)"
            return [
                .property(
                    PropertyDeclaration(
                        documentation: Self.documentation(attribute.userInfo) + [notice], access: access,
                        modifiers: finality, name: SwiftName.property(attribute.name), type: valueType,
                        accessors: [
                            Accessor(
                                keyword: "get", body: ["_ashlarAccess(transient: \(number))", "return \(storage)"]),
                            Accessor(
                                keyword: "_modify",
                                body: ["_ashlarWillChange(transient: \(number))", "yield &\(storage)"]),
                        ])),
                .property(
                    PropertyDeclaration(
                        modifiers: ["private"] + finality, name: storage, type: valueType,
                        initialValue: [initial ?? "nil"])),
            ]
        }
    }

    private var valuesInitialiser: Declaration {
        var body: [String] = []
        if layout.isRoot {
            body = ["_ashlarValues = values", "super.init()"]
        } else {
            body.append("\(layout.ownProperty) = Own(")
            body += arguments(layout.declaredProperties.map { ($0.label, "values.\($0.propertyName)") })
            body.append("super.init(_ashlarValues: \(layout.parentClassName ?? "ManagedObject").Values(")
            let inherited = layout.ownProperties.filter { $0.entityName != entity.name }
            var lines = arguments(inherited.map { ($0.label, "values.\($0.propertyName)") })
            if !lines.isEmpty { lines[lines.count - 1] += ")" }
            body += lines
        }
        return .function(
            FunctionDeclaration(
                name: "init", parameters: [Parameter(name: "_ashlarValues values", type: "Values")], body: body))
    }

    /// Arguments of a call whose parenthesis is opened on the line before: one on each line, and the closing
    /// parenthesis.
    func arguments(_ pairs: [(String, String)]) -> [String] {
        if pairs.isEmpty { return [")"] }
        return pairs.enumerated().map { index, pair in
            "    \(pair.0): \(pair.1)" + (index == pairs.count - 1 ? ")" : ",")
        }
    }

    private var ownDeclaration: Declaration {
        .type(
            TypeDeclaration(
                documentation: ["The values that the entity adds to those of its parent."], kind: .struct,
                name: "Own",
                members: layout.declaredProperties.map { property in
                    .property(PropertyDeclaration(name: property.propertyName, type: type(of: property)))
                }))
    }
}

extension EntityLayout.SelectedColumn {
    /// The Swift name of the property.
    var propertyName: String { SwiftName.property(modelName) }

    var modelName: String {
        switch stored.content {
        case .attribute(let attribute): attribute.name
        case .toOne(let relationship): relationship.name
        case .order(_, let relationship): relationship.name
        }
    }

    /// The name of the parameter for the column: `homeLatitude` for `home.latitude`.
    var parameterName: String {
        guard let names = stored.leaf?.names, let first = names.first else { return modelName }
        return first + names.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

extension String {
    /// The optional form of a type, once.
    var optionalType: String { hasSuffix("?") ? self : self + "?" }
}
