import DataModel
import RelationalSchema
import StoreDescription

/// The entity as the runtime describes it.
extension EntityGenerator {
    var description: Declaration {
        var lines = ["EntityDescription("]
        var arguments = ["name: \(SwiftName.literal(entity.name))"]
        if let parent = layout.parentClassName { arguments.append("parent: \(parent)._ashlarEntity") }
        if entity.isAbstract { arguments.append("isAbstract: true") }
        arguments.append("tableName: \(SwiftName.literal(layout.storage.tableName))")
        arguments.append("rootNumber: \(layout.rootNumber), number: \(layout.number)")
        arguments.append("modelClass: \(className).self")
        arguments.append("values: \(className).Values.self")
        lines += arguments.map { "    \($0)," }
        lines.append("    columns: \"\"\"")
        lines += columnLines.map { "        \($0)" }
        lines.append("        \"\"\",")
        lines += layoutArguments.map { "    \($0)," }
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
        if !constraints.isEmpty {
            let lists = constraints.map { "[" + $0.map(String.init).joined(separator: ", ") + "]" }
            lines.append("    uniquenessConstraints: [\(lists.joined(separator: ", "))],")
        }
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
    var uniquenessConstraints: [[Int]] {
        let indexes = model.indexes(ofTable: layout.storage.tableName).filter { $0.isUnique && covers($0.entityNames) }
        return indexes.map { index in
            index.elements.compactMap { element in
                layout.columns.first { $0.stored.name == element.columnName }?.index
            }
        }
    }

    /// The columns as the runtime reads them.
    var columnLines: [String] { layout.columns.map { columnLine($0).text } }

    /// A column as the runtime reads it.
    private func columnLine(_ column: EntityLayout.SelectedColumn) -> ColumnLine {
        var line: ColumnLine
        switch column.stored.content {
        case .attribute(let attribute):
            let code = AttributeCode(attribute)
            line = ColumnLine(column.stored.name, .attribute(code.describedType), isOptional: attribute.isOptional)
            line.isRequiredInComposite = column.stored.leaf?.isRequiredWhereComposite ?? false
            line.isExternal = code.conversion == .external
            line.isDerived = attribute.isDerived
            line.isPreserved = attribute.preservesValueAfterDeletion
        case .toOne(let relationship), .order(_, let relationship):
            // A model with a relationship without a destination has errors, so that no code is generated from it.
            let numbers = model.graph.entity(named: relationship.destinationName).map { destination in
                (UInt16(clamping: model.rootNumber(destination)), UInt16(clamping: model.number(destination)))
            }
            let (root, entity) = numbers ?? (0, 0)
            line = ColumnLine(
                column.stored.name, .reference(root: root, entity: entity), isOptional: relationship.isOptional)
        }
        line.property = column.modelName
        if column.stored.entityName != entity.name { line.entity = column.stored.entityName }
        return line
    }

    /// The bounds of values by the numbers of the columns.
    private var rules: [String] {
        layout.columns.compactMap { column in
            guard case .attribute(let attribute) = column.stored.content, !attribute.isDerived else { return nil }
            let rules = attribute.validationRules
            return rules.isEmpty ? nil : "\(column.index): [\(rules.joined(separator: ", "))]"
        }
    }

    /// The parts of the layout that the list of columns does not contain.
    private var layoutArguments: [String] {
        let declared = layout.declaredProperties
        let codings = declared.compactMap { property -> String? in
            guard let first = property.columns.first, let coding = property.attribute.flatMap(model.coding) else {
                return nil
            }
            return "\(first.index): \(coding)"
        }
        let empty = declared.filter(\.columns.isEmpty).compactMap { property in
            property.attribute.flatMap(model.coding).map { "\(SwiftName.literal(property.modelName)): \($0)" }
        }
        let renamed = layout.ownProperties.filter { $0.propertyName.filter { $0 != "`" } != $0.modelName }.map {
            "\(SwiftName.literal($0.modelName)): \(SwiftName.literal($0.propertyName))"
        }
        let logged = loggedColumns.map { SwiftName.literal($0) }
        return [
            ("rules", rules), ("codings", codings), ("emptyComposites", empty), ("renamedProperties", renamed),
            ("syncRules", syncRules), ("loggedColumns", logged),
        ]
        .compactMap {
            $1.isEmpty ? nil : "\($0): [\($1.joined(separator: ", "))]"
        }
    }

    /// The columns whose large values are read from a log on demand.
    var loggedColumns: [String] {
        layout.columns.compactMap { column in
            guard case .attribute(let attribute) = column.stored.content, attribute.readsLoggedValues else {
                return nil
            }
            return column.stored.name
        }
    }

    /// The model's rules for changes in several stores, by properties; under an empty name for the entity itself.
    private var syncRules: [String] {
        var rules: [(String, String)] = []
        if let rule = entity.userInfo[UserInfo.syncKey] { rules.append(("", rule)) }
        for column in layout.columns {
            let userInfo: UserInfo
            switch column.stored.content {
            case .attribute(let attribute): userInfo = attribute.userInfo
            case .toOne(let relationship): userInfo = relationship.userInfo
            case .order: continue
            }
            if let rule = userInfo[UserInfo.syncKey] { rules.append((column.modelName, rule)) }
        }
        return rules.map { "\(SwiftName.literal($0)): \(SwiftName.literal($1))" }
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
        var lines = [
            "RelationshipDescription(", "    \(head),",
            "    deletionRule: .\(rule), storage: \(storage(laidOut))),",
        ]
        if case .inverseColumn(_, let name, _) = laidOut.storage {
            let column = SwiftName.commentLines("\(laidOut.destination.name).\(name)").joined(separator: " ")
            lines[2] += "  // column \(column)"
        }
        return lines
    }

    /// The position of a relationship's foreign key in the table that has it; nil if a table of links has it.
    func columnNumber(of laidOut: EntityLayout.LaidOutRelationship) -> Int? {
        switch laidOut.storage {
        case .column(let name): return layout.columns.first { $0.stored.name == name }?.index
        case .inverseColumn(_, let name, _):
            let columns = model.schema.storage(of: laidOut.destination).map { model.selectedColumns($0) } ?? []
            return columns.firstIndex { $0.name == name }
        case .joinTable: return nil
        }
    }

    private func storage(_ laidOut: EntityLayout.LaidOutRelationship) -> String {
        func optional(_ name: String?) -> String { name.map(SwiftName.literal) ?? "nil" }
        switch laidOut.storage {
        case .column: return ".column(\(columnNumber(of: laidOut) ?? 0))"
        case .inverseColumn(_, _, let order):
            return ".inverseColumn(\(columnNumber(of: laidOut) ?? 0), order: \(optional(order)))"
        case .joinTable(let table, let own, let other, let order):
            return ".joinTable(\(SwiftName.literal(table)), own: \(SwiftName.literal(own)), "
                + "other: \(SwiftName.literal(other)), order: \(optional(order)))"
        }
    }
}
