import DataModel
public import RelationalSchema

/// A version of a model that a custom stage of a migration leads to or from.
public struct StageVersion: Sendable {
    /// The version's name in the bundle.
    public var name: String
    /// The version's tables.
    public var schema: Schema
    /// The entities whose rows do not keep the numbers that they had in the version before.
    public var renumberedEntityNames: Set<String>

    /// Makes a version.
    public init(name: String, schema: Schema, renumberedEntityNames: Set<String>) {
        self.name = name
        self.schema = schema
        self.renumberedEntityNames = renumberedEntityNames
    }
}

/// Makes the types of one version of a model for the stages of its migrations: a struct for the rows of each entity.
struct VersionedSchemaGenerator {
    let version: StageVersion
    /// The name of the type that the version gets.
    let typeName: String
    /// The type that represents the model.
    let modelTypeName: String
    let access: AccessLevel

    private var layout: ModelLayout { ModelLayout(version.schema, name: "") }

    /// A column with the property that it is read into.
    private struct Field {
        var name: String
        var column: StoredColumn
        var attribute: Attribute?
    }

    /// The names of the types of versions: the part of each version's name that follows the model's, as in `Version2`.
    static func typeNames(_ versionNames: [String], model: String) -> [String: String] {
        var taken: Set<String> = []
        var result: [String: String] = [:]
        for name in versionNames {
            let rest = name.hasPrefix(model) ? name.dropFirst(model.count) : name[...]
            let word = rest.split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
            var type = "Version" + (word.isEmpty ? "1" : word)
            while !taken.insert(type).inserted { type += "_" }
            result[name] = type
        }
        return result
    }

    var declaration: Declaration {
        let layout = layout
        var members: [Declaration] = [
            .property(
                PropertyDeclaration(
                    access: access, modifiers: ["static"], name: "model", type: "any ManagedObjectModel.Type",
                    accessors: [Accessor(body: ["\(modelTypeName).self"])])),
            .property(
                PropertyDeclaration(
                    access: access, modifiers: ["static"], name: "versionName", type: "String",
                    accessors: [Accessor(body: [SwiftName.literal(version.name)])])),
        ]
        members += layout.entities.compactMap { entity in values(of: entity, layout).map { .type($0) } }
        return .type(
            TypeDeclaration(
                documentation: ["The version \(version.name), for the stages of migrations."], access: access,
                kind: .enum, name: typeName, inherited: ["VersionedSchema"], members: members))
    }

    private func values(of entity: Entity, _ layout: ModelLayout) -> TypeDeclaration? {
        guard let storage = version.schema.storage(of: entity) else { return nil }
        let fields = fields(of: storage)
        var members: [Declaration] = [
            .alias(access, name: "Version", type: "\(modelTypeName).\(typeName)"),
            .property(
                PropertyDeclaration(
                    documentation: ["The object's number in its table."], access: access, name: "rowID", type: "Int64",
                    initialValue: ["0"])),
        ]
        members += fields.map { field in
            let code = field.attribute.map { AttributeCode($0) }
            let initial = code.map(\.defaultExpression) ?? "nil"
            return .property(
                PropertyDeclaration(
                    access: access, name: field.name, type: code?.type ?? "Int64?",
                    initialValue: initial.map { [$0] } ?? []))
        }
        members += [.property(table(of: entity, storage, fields)), decoder(fields), binder(fields)]
        return TypeDeclaration(
            documentation: ["A row of `\(entity.name)`; a to-one relationship is the number of a row."],
            access: access, kind: .struct, name: layout.declaredName(entity),
            inherited: ["VersionedValues", "Hashable"],
            members: members)
    }

    private func fields(of storage: EntityStorage) -> [Field] {
        var taken: Set<String> = ["rowID", "Version"]
        return storage.ownColumns.compactMap { column in
            var attribute: Attribute?
            var name: String
            switch column.content {
            case .order: return nil
            case .toOne(let relationship): name = relationship.name
            case .attribute(let stored):
                guard !column.isDerived, let plain = Self.plain(stored) else { return nil }
                attribute = plain
                let names = column.leaf?.names ?? [stored.name]
                name = names.first ?? stored.name
                for part in names.dropFirst() { name += part.prefix(1).uppercased() + part.dropFirst() }
                if column.leaf?.isPresence == true { name += "IsPresent" }
            }
            name = SwiftName.property(name)
            while !taken.insert(name).inserted { name += "_" }
            return Field(name: name, column: column, attribute: attribute)
        }
    }

    /// The attribute as the store has it, without the types and transformers that the program may have changed since;
    /// nil for an attribute that is not in the row.
    private static func plain(_ attribute: Attribute) -> Attribute? {
        var plain = attribute
        plain.userInfo = UserInfo()
        plain.valueTransformerName = nil
        plain.customClassName = nil
        switch attribute.type {
        case .undefined, .objectID, .composite: return nil
        case .binary where attribute.allowsExternalBinaryDataStorage: return nil
        case .transformable:
            plain.type = .binary
            plain.defaultValueString = nil
        default: break
        }
        return plain
    }

    private func table(
        of entity: Entity, _ storage: EntityStorage, _ fields: [Field]
    ) -> PropertyDeclaration {
        var arguments = [
            "entity: \(SwiftName.literal(entity.name))", "name: \(SwiftName.literal(storage.tableName))",
            "columns: [\(fields.map { SwiftName.literal($0.column.name) }.joined(separator: ", "))]",
        ]
        if storage.hasDiscriminator {
            let hierarchy = version.schema.graph.hierarchy(of: entity).compactMap { version.schema.storage(of: $0) }
            let names = hierarchy.map { $0.discriminator.map { SwiftName.literal($0) } ?? "nil" }
            arguments.append("discriminators: [\(names.joined(separator: ", "))]")
        }
        if entity.isAbstract { arguments.append("isAbstract: true") }
        if version.renumberedEntityNames.contains(entity.name) { arguments.append("keepsRowIDs: false") }
        let lines = arguments.enumerated().map { "    \($1)" + ($0 == arguments.count - 1 ? ")" : ",") }
        return PropertyDeclaration(
            access: access, modifiers: ["static"], isConstant: true, name: "_ashlarTable", type: "VersionedTable",
            initialValue: ["VersionedTable("] + lines)
    }

    private func decoder(_ fields: [Field]) -> Declaration {
        var arguments = ["rowID: try row.int64(0)"]
        arguments += fields.enumerated().map { index, field in
            let column = String(index + 1)
            let value = field.attribute.map { AttributeCode($0).reading(column) } ?? "row.optionalInt64(\(column))"
            return "\(SwiftName.argument(field.name.filter { $0 != "`" })): \(value)"
        }
        let lines = arguments.enumerated().map { "    \($1)" + ($0 == arguments.count - 1 ? ")" : ",") }
        return .function(
            FunctionDeclaration(
                access: access, modifiers: ["static"], name: "func _ashlarDecode",
                parameters: [Parameter(name: "_ row", type: "Row")], result: "throws(RowError) -> Self",
                body: ["Self("] + lines))
    }

    private func binder(_ fields: [Field]) -> Declaration {
        .function(
            FunctionDeclaration(
                access: access, name: "func _ashlarBind",
                parameters: [Parameter(name: "to statement", type: "Statement")],
                body: fields.enumerated().map { index, field in
                    let position = String(index + 1)
                    return field.attribute.map {
                        AttributeCode($0).binding(
                            "self.\(field.name)", position, columnIsRequired: field.column.column.isRequired)
                    } ?? "statement.bind(self.\(field.name), \(position))"
                }))
    }
}
