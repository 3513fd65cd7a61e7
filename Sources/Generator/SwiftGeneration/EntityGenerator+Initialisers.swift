import DataModel

extension EntityGenerator {
    /// The initialiser that users call.
    ///
    /// A class whose parent has the same parameters overrides the parent's initialiser. A convenience initialiser
    /// declared in the class itself does so without `override`; one declared in an extension is an error. Only the
    /// initialiser without parameters needs `override`, because that of `ManagedObject` is a designated one.
    var memberwiseInitialiser: Declaration {
        var parameters: [Parameter] = []
        var relationshipLines: [String] = []
        for content in parameterOrder {
            switch content {
            case .attribute(let attribute):
                parameters.append(
                    Parameter(
                        name: SwiftName.label(attribute.name), type: model.type(of: attribute),
                        defaultValue: model.defaultExpression(of: attribute)))
            case .relationship(let laidOut):
                let (parameter, line) = parameterAndAssignment(of: laidOut)
                parameters.append(parameter)
                relationshipLines.append(line)
            }
        }
        let values = layout.ownProperties.map { property -> (String, String) in
            guard let attribute = property.attribute else { return (property.label, "nil") }
            return (
                property.label,
                attribute.isDerived ? AttributeCode(attribute).initialExpression : property.propertyName
            )
        }
        var body = ["self.init(", "    _ashlarValues: Values("]
        if values.isEmpty {
            body = ["self.init(_ashlarValues: Values())"]
        } else {
            var lines = arguments(values).map { "    " + $0 }
            lines[lines.count - 1] += ")"
            body += lines
        }
        body += relationshipLines
        let overrides = parameters.isEmpty && layout.parentClassName == nil
        return .function(
            FunctionDeclaration(
                documentation: ["Makes an object that is in no context; insert it into one to have it saved."],
                access: access, modifiers: (overrides ? ["override"] : []) + ["convenience"], name: "init",
                parameters: parameters, body: body))
    }

    /// Whether the class, or one above it, is to be decodable.
    var isDecodable: Bool { isParentDecodable || entity.userInfo[UserInfo.decodableKey] == "YES" }

    var isParentDecodable: Bool {
        model.graph.ancestors(of: entity).contains { $0.userInfo[UserInfo.decodableKey] == "YES" }
    }

    /// The initialiser that each class of a hierarchy must have in its body, and that no program could add.
    var decodingInitialiser: Declaration {
        .function(
            FunctionDeclaration(
                documentation: [
                    "Creates an object without a context from decoded `Values`, and then lets it decode the rest."
                ],
                access: access, modifiers: ["required", "convenience"], name: "init",
                parameters: [Parameter(name: "from decoder", type: "any Decoder")], result: "throws",
                body: [
                    "self.init(_ashlarValues: try Values(from: decoder))",
                    "try _ashlarDidDecode(from: decoder)",
                ]))
    }

    private enum ParameterContent {
        case attribute(Attribute)
        case relationship(EntityLayout.LaidOutRelationship)
    }

    /// The parameters of the initialiser: the properties of `Values` of each entity from the root on, in order, then
    /// the relationships without a column in the row.
    ///
    /// `Values` lies in memory in the order of the columns: attributes by name, then relationships by name. So class and
    /// `Values` agree, and no order of the model's file, which Xcode changes when it saves, shows in a program.
    private var parameterOrder: [ParameterContent] {
        (model.graph.ancestors(of: entity) + [entity]).flatMap { owner -> [ParameterContent] in
            let properties = layout.ownProperties.filter { $0.entityName == owner.name }
            let names = Set(properties.map(\.modelName))
            func laidOut(_ name: String) -> EntityLayout.LaidOutRelationship? {
                layout.relationships.first { $0.relationship.name == name }
            }
            let stored = properties.compactMap { property -> ParameterContent? in
                guard let attribute = property.attribute else {
                    return laidOut(property.modelName).map { .relationship($0) }
                }
                return attribute.isDerived ? nil : .attribute(attribute)
            }
            let others = owner.relationships.map(\.name).filter { !names.contains($0) }.sorted()
            return stored + others.compactMap { laidOut($0).map { .relationship($0) } }
        }
    }

    private func parameterAndAssignment(
        of laidOut: EntityLayout.LaidOutRelationship
    ) -> (parameter: Parameter, assignment: String) {
        let destination = model.className(laidOut.destination)
        let label = SwiftName.label(laidOut.relationship.name)
        let value = SwiftName.property(laidOut.relationship.name)
        if laidOut.relationship.isToMany {
            return (
                Parameter(name: label, type: "[\(destination)]", defaultValue: "[]"),
                "if !\(value).isEmpty { ToMany(\(value))._ashlarAssign(to: self, \(laidOut.number)) }"
            )
        }
        if laidOut.isRequiredParameter {
            return (Parameter(name: label, type: destination), "_ashlarSetToOne(\(laidOut.number), \(value))")
        }
        return (
            Parameter(name: label, type: "\(destination)?", defaultValue: "nil"),
            "if let \(value) { _ashlarSetToOne(\(laidOut.number), \(value)) }"
        )
    }
}
