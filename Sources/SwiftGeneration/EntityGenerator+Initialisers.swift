import DataModel

extension EntityGenerator {
    /// The initialiser that users call.
    ///
    /// A class whose parent has the same parameters would override it. That needs no word for a convenience
    /// initialiser of the class itself, and is an error for one of an extension. Only without any parameters it
    /// overrides the initialiser of `ManagedObject`, which is no convenience initialiser.
    var memberwiseInitialiser: Declaration {
        var parameters: [Parameter] = []
        var relationshipLines: [String] = []
        for attribute in model.graph.attributes(of: entity) where attribute.isStored && !attribute.isDerived {
            guard layout.ownProperties.contains(where: { $0.modelName == attribute.name }) else { continue }
            parameters.append(
                Parameter(
                    name: SwiftName.label(attribute.name), type: model.type(of: attribute),
                    defaultValue: model.defaultExpression(of: attribute)))
        }
        for laidOut in layout.relationships {
            let relationship = laidOut.relationship
            let destination = model.className(laidOut.destination)
            let label = SwiftName.label(relationship.name)
            let value = SwiftName.property(relationship.name)
            if relationship.isToMany {
                parameters.append(Parameter(name: label, type: "[\(destination)]", defaultValue: "[]"))
                relationshipLines.append(
                    "if !\(value).isEmpty { ToMany(\(value))._ashlarAssign(to: self, \(laidOut.number)) }")
            } else if laidOut.isRequiredParameter {
                parameters.append(Parameter(name: label, type: destination))
                relationshipLines.append("_ashlarSetToOne(\(laidOut.number), \(value))")
            } else {
                parameters.append(Parameter(name: label, type: "\(destination)?", defaultValue: "nil"))
                relationshipLines.append("if let \(value) { _ashlarSetToOne(\(laidOut.number), \(value)) }")
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
}
