import DataModel

extension EntityGenerator {
    /// Whether `Codable` can be derived: a transformer's value need not be.
    private var isCodable: Bool { !conversions.contains { if case .transformer = $0 { true } else { false } } }

    /// Whether `Hashable` can be derived: a user's own types only have to be equatable.
    private var isHashable: Bool { conversions.allSatisfy(\.isHashable) }

    private var conversions: [AttributeCode.Conversion] {
        layout.ownColumns.compactMap { column in
            if case .attribute(let attribute) = column.stored.content { return AttributeCode(attribute).conversion }
            return nil
        }
    }

    /// The values struct. Its body has no initialiser: a written one would copy and destroy the whole value. Comparing,
    /// hashing and coding are the runtime's, which spares the compiler to derive them.
    var valuesExtension: TypeDeclaration {
        var inherited = ["EntityValues", isHashable ? "Hashable" : "Equatable"]
        if isCodable { inherited.append("Codable") }
        let values = TypeDeclaration(
            documentation: ["A row of `\(entity.name)` as a plain value; a to-one relationship is an identifier."],
            access: access, kind: .struct, name: "Values", inherited: inherited,
            members: layout.ownProperties.map { property in
                .property(
                    PropertyDeclaration(
                        documentation: property.attribute.map { Self.documentation($0.userInfo) } ?? [],
                        access: access, name: property.propertyName, type: type(of: property),
                        initialValue: property.attribute.flatMap(initialValue).map { [$0] } ?? []))
            } + visibleInitialiser + [.alias(access, name: "_AshlarModel", type: "_AshlarClass")])
        return TypeDeclaration(kind: .extension, name: className, members: [.type(values)] + unknownTypes)
    }

    /// The types whose unknown raw values have a case, for the runtime.
    private var unknownTypes: [Declaration] {
        layout.declaredProperties.compactMap { property in
            property.attribute.flatMap { AttributeCode($0).unknownTypeDeclaration }
        }
    }

    /// Swift's own memberwise initialiser is internal. A written one costs other modules little but the compiler much,
    /// so there is one only if it is requested.
    private var visibleInitialiser: [Declaration] {
        if access == .internal { return [] }
        let parameters = layout.ownProperties.map { property in
            let type = type(of: property)
            return Parameter(
                name: SwiftName.label(property.modelName), type: type,
                defaultValue: property.attribute.flatMap(initialValue) ?? (type.hasSuffix("?") ? "nil" : nil))
        }
        return [
            .function(
                FunctionDeclaration(
                    documentation: ["Creates a value; properties that have a default or may be nil can be omitted."],
                    access: access, name: "init", parameters: parameters,
                    body: layout.ownProperties.map { "self.\($0.propertyName) = \($0.propertyName)" }))
        ]
    }

    /// The model's default, so that the memberwise initialiser need not be given the value.
    private func initialValue(_ attribute: Attribute) -> String? {
        let expression =
            attribute.isDerived ? AttributeCode(attribute).initialExpression : model.defaultExpression(of: attribute)
        return expression == "nil" ? nil : expression
    }

    /// In a hierarchy, each class has values of its own; the constraint selects those of the nearest class.
    var valuesAccessor: TypeDeclaration {
        TypeDeclaration(
            kind: .extension, name: "PersistentModel", condition: "Self: \(className)",
            members: [
                .property(
                    PropertyDeclaration(
                        documentation: ["The object's row as a value that may cross to any task."], access: access,
                        name: "values", type: "\(className).Values",
                        accessors: [
                            Accessor(body: [
                                layout.isRoot ? "_ashlarValues" : "_ashlarCopiedValues(as: \(className).Values.self)"
                            ])
                        ]))
            ])
    }

    /// A class of a hierarchy inherits its root's `Values` as associated type, so its own need an overload.
    var fetchValuesOverload: TypeDeclaration {
        TypeDeclaration(
            kind: .extension, name: "ModelContext",
            members: [
                .function(
                    FunctionDeclaration(
                        documentation: [
                            "The rows that a descriptor asks for as plain values, without making objects.", "",
                            "- Throws: `StoreError` if the store cannot be read, or a value does not fit its type.",
                        ],
                        access: access, name: "func fetchValues",
                        parameters: [Parameter(name: "_ descriptor", type: "FetchDescriptor<\(className)>")],
                        result: "throws -> [\(className).Values]",
                        body: ["try _ashlarFetchValues(descriptor, as: \(className).Values.self)"]))
            ])
    }

    // MARK: Columns

    /// The properties for conditions and orders.
    var columnsExtension: TypeDeclaration {
        var members: [Declaration] = []
        for property in layout.declaredProperties {
            guard case .column(let column) = property.content else {
                members += property.attribute.map { [compositeColumns(property, $0)] } ?? []
                continue
            }
            switch column.stored.content {
            case .attribute(let attribute):
                let code = AttributeCode(attribute)
                guard let coding = code.coding(in: className) else { continue }
                let decimal = attribute.type == .decimal ? ", isDecimal: true" : ""
                let name = SwiftName.literal(column.stored.name)
                members.append(
                    .property(
                        PropertyDeclaration(
                            access: access, name: column.propertyName, type: "Column<\(code.columnType)>",
                            accessors: [Accessor(body: ["Column(self, \(column.index), \(name), \(coding)\(decimal))"])]
                        )))
            case .toOne(let relationship):
                guard let destination = model.graph.entity(named: relationship.destinationName),
                    let storage = model.schema.storage(of: destination)
                else { continue }
                let type = "Columns<\(model.className(destination))>"
                let call =
                    "_ashlarFollowing(\(SwiftName.literal(relationship.name)), column: \(column.index), "
                    + "columnName: \(SwiftName.literal(column.stored.name)), "
                    + "table: \(SwiftName.literal(storage.tableName)))"
                members.append(
                    .property(
                        PropertyDeclaration(
                            access: access, name: column.propertyName, type: type, accessors: [Accessor(body: [call])]))
                )
            case .order: continue
            }
        }
        members += referringColumns + boxFunctions + fullTextColumns
        let relation = layout.hasChildren ? "Model: \(className)" : "Model == \(className)"
        return TypeDeclaration(kind: .extension, name: "Columns", condition: relation, members: members)
    }

    /// The leaves of an attribute of a composite.
    private func compositeColumns(_ property: ValueProperty, _ attribute: Attribute) -> Declaration {
        var call = [
            "CompositeColumns(",
            "    self, first: \(property.columns.first?.index ?? 0), isOptional: \(attribute.isOptional),",
            "    names: [",
        ]
        call += property.columns.map { "        \(SwiftName.literal($0.stored.name))," }
        call.append("    ])")
        return .property(
            PropertyDeclaration(
                access: access, name: property.propertyName, type: "CompositeColumns<\(model.type(of: attribute))>",
                accessors: [Accessor(body: call)]))
    }

    /// The relationships whose references are in rows of the destination, or in a table of their own.
    private var referringColumns: [Declaration] {
        layout.relationships.filter(\.isOwn).compactMap { laidOut -> Declaration? in
            let destination = model.className(laidOut.destination)
            let type: String
            let call: String
            if laidOut.relationship.isToMany {
                type = "RelatedColumns<\(destination)>"
                call = "_ashlarRelated(\(laidOut.number))"
            } else if case .inverseColumn = laidOut.storage {
                type = "Columns<\(destination)>"
                call = "_ashlarFollowing(referring: \(laidOut.number))"
            } else {
                return nil
            }
            return .property(
                PropertyDeclaration(
                    access: access, name: SwiftName.property(laidOut.relationship.name), type: type,
                    accessors: [Accessor(body: [call])]))
        }
    }

    /// A function for each R-tree index: all of its attributes lie in their ranges.
    private var boxFunctions: [Declaration] {
        entity.indexes.filter { $0.kind == .rtree && SwiftName.isIdentifier($0.name) }.compactMap {
            index -> Declaration? in
            let name = "rtree$\(entity.name)$\(index.name)"
            guard let rtree = model.rtrees(ofTable: layout.storage.tableName).first(where: { $0.name == name }) else {
                return nil
            }
            let columns = rtree.columnNames.compactMap { name in layout.columns.first { $0.stored.name == name } }
            let pairs = columns.map { "(\($0.index), \(SwiftName.literal($0.stored.name)))" }
            let ranges = columns.map { SwiftName.property($0.parameterName) }
            return .function(
                FunctionDeclaration(
                    documentation: ["All attributes lie in their ranges; the R-tree index `\(index.name)` finds them."],
                    access: access, name: "func \(SwiftName.property(index.name))",
                    parameters: columns.map {
                        Parameter(name: SwiftName.label($0.parameterName), type: "ClosedRange<Double>")
                    },
                    result: "-> Condition",
                    body: [
                        "_ashlarBox(\(SwiftName.literal(rtree.name)), [\(pairs.joined(separator: ", "))], "
                            + "[\(ranges.joined(separator: ", "))])"
                    ]))
        }
    }
}
