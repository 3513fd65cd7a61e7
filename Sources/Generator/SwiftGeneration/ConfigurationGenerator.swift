import DataModel
import RelationalSchema
import SchemaMigration

/// Makes the code for a model with configurations: a name for each, and which SQL concerns which entities.
struct ConfigurationGenerator {
    let layout: ModelLayout
    let access: AccessLevel
    /// The statements that make an empty store, in the order to which the parts refer.
    let schemaStatements: [String]
    private let parts: [Schema.Part]
    private let configurations: [(configuration: Configuration, name: String)]

    init(layout: ModelLayout, access: AccessLevel) {
        self.layout = layout
        self.access = access
        configurations = Self.named(layout.graph.model.configurations)
        (schemaStatements, parts) = layout.schema.storeStatements
    }

    /// Whether the model has configurations.
    var isNeeded: Bool { !configurations.isEmpty }

    private static func named(_ configurations: [Configuration]) -> [(Configuration, String)] {
        var taken: Set<String> = []
        return configurations.map { configuration in
            var name = SwiftName.function(configuration.name)
            while !taken.insert(name).inserted { name += "_" }
            return (configuration, name)
        }
    }

    /// The type with a member for each configuration. The name must not hide an entity's class.
    private var typeName: String {
        layout.entities.contains { layout.declaredName($0) == "Configuration" } ? "Configuration_" : "Configuration"
    }

    var declarations: [Declaration] {
        if !isNeeded { return [] }
        let members = configurations.map { configuration, name in
            Declaration.property(
                PropertyDeclaration(
                    documentation: ["The configuration \(configuration.name) of the model."], access: access,
                    modifiers: ["static"], isConstant: true, name: name, type: "ModelDescription.Configuration",
                    initialValue: [
                        "ModelDescription.Configuration(",
                        "    \(SwiftName.literal(configuration.name)), entities: \(Self.list(configuration.entityNames)))",
                    ]))
        }
        return [
            .type(
                TypeDeclaration(
                    documentation: [
                        "The configurations of the model, for stores that hold a part of the entities:",
                        "`ModelConfiguration(\"…\", configuration: \(layout.typeName).\(typeName).\(configurations[0].name))`.",
                    ],
                    access: access, kind: .enum, name: typeName, members: members))
        ]
    }

    /// The further arguments of the model's description.
    var descriptionArguments: [String] {
        if !isNeeded { return [] }
        let names = configurations.map { "\(typeName).\($0.name)" }
        var lines = ["    configurations: [\(names.joined(separator: ", "))],", "    parts: ["]
        lines += parts.map {
            "        ModelDescription.Part(\(Self.list($0.entityNames)), schema: \(Self.range($0.statements))),"
        }
        return lines + ["    ])"]
    }

    /// The argument of a version that assigns its statements to entities.
    static func arguments(for parts: [DividedMigration.Part]) -> [String] {
        ["        parts: ["]
            + parts.flatMap { part in
                [
                    "            ModelDescription.MigrationPart(",
                    "                from: \(list(part.source)),",
                    "                to: \(list(part.destination)),",
                    "                statements: \(range(part.statements))),",
                ]
            } + ["        ]"]
    }

    private static func list(_ names: [String]) -> String {
        "[\(names.map(SwiftName.literal).joined(separator: ", "))]"
    }

    private static func range(_ range: Range<Int>) -> String { "\(range.lowerBound)..<\(range.upperBound)" }
}
