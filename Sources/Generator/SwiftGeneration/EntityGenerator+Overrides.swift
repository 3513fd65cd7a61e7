import DataModel
import RelationalSchema

/// The members that the runtime requires of every class.
extension EntityGenerator {
    var overrides: [Declaration] {
        var result: [Declaration] = [
            .property(
                PropertyDeclaration(
                    access: access, modifiers: ["override", "class"], name: "_ashlarEntity", type: "EntityDescription",
                    accessors: [Accessor(body: ["_ashlar\(layout.plainClassName)Description"])])),
            description,
        ]
        result += keyPathMembers
        if layout.hasChildren {
            result.append(
                function(
                    "class", "func _ashlarClass", [Parameter(name: "of row", type: "Row")],
                    "throws(RowError) -> ManagedObject.Type", classOfRow))
        }
        result.append(
            function(
                "class", "func _ashlarObject", [Parameter(name: "taking values", type: "UnsafeMutableRawPointer")],
                "-> ManagedObject",
                ["unsafe \(className)(_ashlarValues: values.bindMemory(to: Values.self, capacity: 1).move())"],
                attributes: ["@safe"]))
        result.append(
            function(
                "", "func _ashlarLend",
                [
                    Parameter(name: "_ depth", type: "Int"),
                    Parameter(name: "to body", type: "(UnsafeMutableRawPointer) -> Void"),
                ], "", lending, attributes: ["@safe"]))
        return result
    }

    func function(
        _ modifier: String, _ name: String, _ parameters: [Parameter], _ result: String, _ body: [String],
        attributes: [String] = []
    ) -> Declaration {
        .function(
            FunctionDeclaration(
                attributes: attributes, access: access, modifiers: ["override"] + (modifier.isEmpty ? [] : [modifier]),
                name: name,
                parameters: parameters, result: result, body: body))
    }

    /// If a class has a parent, its objects store the values that the class adds apart from the parent's.
    private var lending: [String] {
        let own = "unsafe _ashlarLend(&\(layout.ownProperty), to: body)"
        if layout.isRoot { return [own] }
        let depth = model.graph.ancestors(of: entity).count
        return ["if depth == \(depth) { \(own) } else { super._ashlarLend(depth, to: body) }"]
    }

    private var classOfRow: [String] {
        var body = ["switch row.optionalString(2) {"]
        for member in layout.hierarchy where !member.isAbstract {
            let discriminator = model.schema.storage(of: member)?.discriminator
            body.append("case \(discriminator.map(SwiftName.literal) ?? "nil"): return \(model.className(member)).self")
        }
        let expected = SwiftName.literal("the name of \(entity.name) or an entity below it")
        return body + ["default: throw RowError(column: 2, expected: \(expected))", "}"]
    }
}
