import DataModel
import RelationalSchema

/// The entity as the runtime describes it.
extension EntityGenerator {
    var description: Declaration {
        var lines = ["EntityDescription("]
        var arguments = ["name: \(SwiftName.literal(entity.name))"]
        if let parent = layout.parent { arguments.append("parentName: \(SwiftName.literal(parent.name))") }
        if entity.isAbstract { arguments.append("isAbstract: true") }
        arguments.append("tableName: \(SwiftName.literal(layout.storage.tableName))")
        arguments.append("number: EntityNumber(root: \(layout.rootNumber), entity: \(layout.number))")
        arguments.append("modelClass: \(className).self")
        lines += arguments.map { "    \($0)," }
        lines.append("    columns: [")
        lines += layout.columns.map { "        \(columnDescription($0))," }
        lines.append("    ],")
        if !layout.relationships.isEmpty {
            lines.append("    relationships: [")
            lines += layout.relationships.flatMap(relationshipDescription).map { "        \($0)" }
            lines.append("    ],")
        }
        if layout.isInHierarchy {
            lines.append("    hasDiscriminator: true,")
            if !layout.isRoot {
                let names = layout.hierarchy.map { SwiftName.literal($0.name) }
                lines.append("    discriminators: [\(names.joined(separator: ", "))],")
            }
        }
        let own = layout.ownColumns.filter { !$0.isDerived }.map { String($0.index) }.joined(separator: ", ")
        lines.append("    ownColumns: [\(own)],")
        let constraints = uniquenessConstraints
        if !constraints.isEmpty { lines.append("    uniquenessConstraints: [\(constraints.joined(separator: ", "))],") }
        lines += fullTextDescriptions
        let indexes = indexDescriptions
        if !indexes.isEmpty { lines += ["    indexes: ["] + indexes.map { "        \($0)," } + ["    ],"] }
        lines.append("    model: \(model.typeName).self)")
        return .property(
            PropertyDeclaration(
                modifiers: ["private", "static"], isConstant: true, name: "_ashlar\(layout.plainClassName)Description",
                type: "EntityDescription", initialValue: lines))
    }

    /// The columns of each constraint that holds for the entity: its own and those of the entities above it.
    private var uniquenessConstraints: [String] {
        let indexes = model.indexes(ofTable: layout.storage.tableName).filter { $0.isUnique && covers($0.entityNames) }
        return indexes.map { index in
            let columns = index.elements.compactMap { element in
                layout.columns.first { $0.stored.name == element.columnName }?.index
            }
            return "[" + columns.map(String.init).joined(separator: ", ") + "]"
        }
    }

    private func columnDescription(_ column: EntityLayout.SelectedColumn) -> String {
        var arguments = [
            SwiftName.literal(column.stored.name), "property: \(SwiftName.literal(column.modelName))",
            "entity: \(SwiftName.literal(column.stored.entityName))",
        ]
        switch column.stored.content {
        case .attribute(let attribute):
            arguments.append("isOptional: \(attribute.isOptional)")
            arguments.append("type: .\(AttributeCode(attribute).describedType)")
            if let leaf = column.stored.leaf, leaf.isRequiredWhereComposite { arguments.append("isRequiredLeaf: true") }
            if AttributeCode(attribute).conversion == .external { arguments.append("isExternal: true") }
            if attribute.isDerived { arguments.append("isDerived: true") }
            if attribute.preservesValueAfterDeletion { arguments.append("isPreservedAfterDeletion: true") }
            let rules = attribute.isDerived ? [] : attribute.validationRules
            if !rules.isEmpty { arguments.append("rules: [\(rules.joined(separator: ", "))]") }
        case .toOne(let relationship), .order(_, let relationship):
            arguments.append("isOptional: \(relationship.isOptional)")
        }
        return "ColumnDescription(\(arguments.joined(separator: ", ")))"
    }

    private func relationshipDescription(_ laidOut: EntityLayout.LaidOutRelationship) -> [String] {
        let relationship = laidOut.relationship
        let rule =
            switch relationship.deletionRule {
            case .nullify: "nullify"
            case .cascade: "cascade"
            case .deny: "deny"
            case .noAction: "noAction"
            }
        var head =
            "\(SwiftName.literal(relationship.name)), destination: \(SwiftName.literal(laidOut.destination.name))"
        head += ", inverse: \(laidOut.inverse.map(String.init) ?? "nil")"
        if relationship.isToMany { head += ", isToMany: true" }
        if relationship.isOrdered { head += ", isOrdered: true" }
        if !relationship.isOptional { head += ", isOptional: false" }
        if relationship.isToMany, relationship.minimumCount > 0 {
            head += ", minimumModelCount: \(relationship.minimumCount)"
        }
        if relationship.isToMany, relationship.maximumCount > 0 {
            head += ", maximumModelCount: \(relationship.maximumCount)"
        }
        return [
            "RelationshipDescription(", "    \(head),",
            "    deletionRule: .\(rule), storage: \(storage(laidOut))),",
        ]
    }

    private func storage(_ laidOut: EntityLayout.LaidOutRelationship) -> String {
        func optional(_ name: String?) -> String { name.map(SwiftName.literal) ?? "nil" }
        switch laidOut.storage {
        case .column(let name):
            let index = layout.columns.first { $0.stored.name == name }?.index ?? 0
            return ".column(\(index))"
        case .inverseColumn(_, let name, let order):
            let columns = model.schema.storage(of: laidOut.destination).map { model.selectedColumns($0) } ?? []
            let index = columns.firstIndex { $0.name == name } ?? 0
            return ".inverseColumn(\(index), order: \(optional(order)))"
        case .joinTable(let table, let own, let other, let order):
            return ".joinTable(\(SwiftName.literal(table)), own: \(SwiftName.literal(own)), "
                + "other: \(SwiftName.literal(other)), order: \(optional(order)))"
        }
    }
}
