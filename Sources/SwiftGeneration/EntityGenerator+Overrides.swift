import DataModel
import RelationalSchema

/// What the runtime asks of every class.
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
        if !layout.isRoot { result.append(composedValues) }
        result.append(
            function(
                "class", "func _ashlarObject", [Parameter(name: "_ row", type: "Row")],
                "throws(RowError) -> ManagedObject", objectBody))
        result.append(
            function(
                "class", "func _ashlarObject", [Parameter(name: "of snapshot", type: "AnyObject")], "-> ManagedObject",
                ["\(className)(_ashlarValues: ValuesBox<Values>.values(of: snapshot))"]))
        if let keyPaths { result.append(keyPaths) }
        if entity.isAbstract, !layout.hasChildren { return result + snapshotOverrides }
        return result + snapshotOverrides + columnOverrides
    }

    func function(
        _ modifier: String, _ name: String, _ parameters: [Parameter], _ result: String, _ body: [String]
    ) -> Declaration {
        .function(
            FunctionDeclaration(
                access: access, modifiers: ["override"] + (modifier.isEmpty ? [] : [modifier]), name: name,
                parameters: parameters, result: result, body: body))
    }

    /// All values of an object whose class has a parent, taken together from the classes' own.
    private var composedValues: Declaration {
        let inherited = layout.ownProperties.filter { $0.entityName != entity.name }
        let getter = layout.ownProperties.map { property -> (String, String) in
            let owner = property.entityName == entity.name ? layout.ownProperty : parentValues
            return (property.label, "\(owner).\(property.propertyName)")
        }
        var setter: [String] = inherited.isEmpty ? [] : ["var inherited = \(parentValues)"]
        setter += inherited.map { "inherited.\($0.propertyName) = newValue.\($0.propertyName)" }
        if !inherited.isEmpty { setter.append("\(parentValues) = inherited") }
        setter += layout.declaredProperties.map {
            "\(layout.ownProperty).\($0.propertyName) = newValue.\($0.propertyName)"
        }
        return .property(
            PropertyDeclaration(
                modifiers: finality, name: layout.valuesProperty, type: "Values",
                accessors: [
                    Accessor(keyword: "get", body: ["Values("] + arguments(getter)),
                    Accessor(keyword: "set", body: setter.isEmpty ? ["_ = newValue"] : setter),
                ]))
    }

    private var parentValues: String {
        layout.parent.flatMap { model.layout(of: $0) }?.valuesProperty ?? "_ashlarValues"
    }

    // MARK: Rows

    private func making(_ className: String) -> String {
        "\(className)(_ashlarValues: try \(className).Values._ashlarDecode(row))"
    }

    private var objectBody: [String] {
        guard layout.hasChildren else { return [making(className)] }
        var body = ["switch row.optionalString(2) {"]
        for member in layout.hierarchy where !member.isAbstract {
            let discriminator = model.schema.storage(of: member)?.discriminator
            body.append("case \(discriminator.map(SwiftName.literal) ?? "nil"):")
            body.append("    return \(making(model.className(member)))")
        }
        let expected = SwiftName.literal("the name of \(entity.name) or an entity below it")
        body += ["default:", "    throw RowError(column: 2, expected: \(expected))", "}"]
        return body
    }

    private var snapshotOverrides: [Declaration] {
        let values = layout.valuesProperty
        let row = Parameter(name: "_ row", type: "Row")
        let snapshot = Parameter(name: "_ snapshot", type: "AnyObject")
        var changes = [
            "let old = ValuesBox<Values>.values(of: snapshot)", "let new = \(values)", "var changes: UInt64 = 0",
        ]
        changes += layout.ownColumns.filter { !$0.isDerived }.map { column in
            let differ = column.difference("old", "new")
            return "if mask & \(column.mask) != 0, \(differ) { changes |= \(column.mask) }"
        }
        changes.append("return changes")
        if layout.ownColumns.allSatisfy(\.isDerived) { changes = ["0"] }
        return derivedOverrides + [
            function(
                "", "func _ashlarReload", [row], "throws(RowError)", ["\(values) = try Values._ashlarDecode(row)"]),
            function("", "func _ashlarSnapshot", [], "-> AnyObject?", ["ValuesBox(\(values))"]),
            function("", "func _ashlarRestore", [snapshot], "", ["\(values) = ValuesBox<Values>.values(of: snapshot)"]),
            function(
                "", "func _ashlarChanges",
                [Parameter(name: "since snapshot", type: "AnyObject"), Parameter(name: "in mask", type: "UInt64")],
                "-> UInt64", changes),
        ]
    }

    /// Reads what the store derives anew, and nothing else.
    private var derivedOverrides: [Declaration] {
        let derived = layout.declaredColumns.filter(\.isDerived)
        if derived.isEmpty { return [] }
        let inherited = layout.isRoot ? [] : ["try super._ashlarReloadDerived(row)"]
        let assignments = derived.map { column -> String in
            guard case .attribute(let attribute) = column.stored.content else { return "" }
            return
                "\(column.value(in: layout.ownProperty)) = \(AttributeCode(attribute).reading(String(column.position)))"
        }
        return [
            function(
                "", "func _ashlarReloadDerived", [Parameter(name: "_ row", type: "Row")], "throws(RowError)",
                inherited + assignments)
        ]
    }

    // MARK: Columns

    private var columnOverrides: [Declaration] {
        let written = layout.declaredColumns.filter { !$0.isDerived }
        let inheritedCount = layout.ownColumns.count { !$0.isDerived } - written.count
        let statement = Parameter(name: "to statement", type: "Statement")
        let column = Parameter(name: "_ column", type: "Int")
        var bindAll = layout.isRoot ? [] : ["super._ashlarBind(to: statement)"]
        bindAll += written.enumerated().map {
            $0.element.binding(layout.ownProperty, "\(inheritedCount + $0.offset + 1)")
        }
        if bindAll.isEmpty { return [] }
        let references = layout.declaredColumns.filter { if case .toOne = $0.stored.content { true } else { false } }
        var result: [Declaration] = [function("", "func _ashlarBind", [statement], "", bindAll)]
        if layout.declaredColumns.isEmpty { return result }
        result.append(
            function(
                "", "func _ashlarBind", [column, statement, Parameter(name: "_ position", type: "Int32")], "",
                cases(
                    written.map { ($0, $0.binding(layout.ownProperty, "position")) },
                    otherwise: "super._ashlarBind(column, to: statement, position)")))
        result.append(
            function(
                "", "func _ashlarValue", [column], "-> SQLiteValue",
                cases(
                    layout.declaredColumns.compactMap { column in
                        column.sqliteValue(layout.ownProperty).map { (column, $0) }
                    },
                    otherwise: "super._ashlarValue(column)")))
        if references.isEmpty { return result }
        result.append(
            function(
                "", "func _ashlarIdentifier", [column], "-> PersistentIdentifier?",
                cases(
                    references.map { ($0, $0.value(in: layout.ownProperty)) },
                    otherwise: "super._ashlarIdentifier(column)")))
        result.append(
            function(
                "", "func _ashlarSetIdentifier",
                [column, Parameter(name: "_ identifier", type: "PersistentIdentifier?")], "",
                cases(
                    references.map { ($0, "\($0.value(in: layout.ownProperty)) = identifier") },
                    otherwise: "super._ashlarSetIdentifier(column, identifier)")))
        return result
    }

    private func cases(_ entries: [(EntityLayout.SelectedColumn, String)], otherwise: String) -> [String] {
        if entries.isEmpty { return [otherwise] }
        return ["switch column {"] + entries.map { "case \($0.0.index): \($0.1)" } + ["default: \(otherwise)", "}"]
    }
}
