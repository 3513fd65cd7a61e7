@_spi(Generated) import Ashlar
import GeneratorPipeline
import RelationalSchema
import SchemaMigration
import StoreDescription

extension ModelDescription {
    /// The parts of a planned model that the runtime needs to migrate its stores: all but the entities' classes.
    ///
    /// - Parameter describesEntities: Whether the entities are among them, without classes: from their columns follow the
    ///   triggers of a history.
    package convenience init(_ plan: ModelPlan, describesEntities: Bool = false) {
        let (schema, parts) = plan.schema.storeStatements
        self.init(
            name: plan.name, entities: describesEntities ? EntityDescription.withoutClasses(of: plan.schema) : [],
            versions: plan.versions.map { version in
                let hashes = version.hash.versionHashes.sorted { $0.key < $1.key }
                return Version(
                    name: version.name, versionHash: version.hash.versionHash, schemaHash: version.hash.schemaHash,
                    entityHashes: hashes.map { "\($0.key) \($0.value.prefix(16))" }.joined(separator: "\n"),
                    migration: version.migration.map { statement in
                        switch statement.purpose {
                        case .change: MigrationStatement(statement.operation, check: nil, isCustom: false)
                        case .custom: MigrationStatement(statement.operation, check: nil, isCustom: true)
                        case .check(let reason, let entity):
                            MigrationStatement(statement.operation, check: (reason, entity), isCustom: false)
                        }
                    },
                    parts: version.parts.map {
                        MigrationPart(from: $0.source, to: $0.destination, statements: $0.statements)
                    }, needsStage: version.needsStage,
                    virtualTables: version.virtualTables.map {
                        VirtualTable($0.name, columns: $0.columnNames, rows: $0.rows)
                    }, storedEntities: version.storedEntities)
            },
            schema: schema, firstSchema: plan.firstSchema?.statements,
            parts: parts.map { Part($0.entityNames, schema: $0.statements) })
    }

    /// The model as programs had it at each of its versions, from the oldest to the current one.
    ///
    /// - Parameter describesEntities: Whether the descriptions have the entities, without classes.
    package static func ofAllVersions(_ plan: ModelPlan, describesEntities: Bool = false) -> [ModelDescription] {
        let current = ModelDescription(plan, describesEntities: describesEntities)
        return plan.schemas.enumerated().map { index, schema in
            if index == current.versions.count - 1 { return current }
            // The stores that an older version was divided into are unknown; the current version determines whether it
            // was.
            let (statements, parts) =
                current.parts.isEmpty ? (schema.statements, []) : schema.dividedStatements
            return ModelDescription(
                name: current.name, entities: describesEntities ? EntityDescription.withoutClasses(of: schema) : [],
                versions: Array(current.versions[...index]), schema: statements,
                firstSchema: current.firstSchema,
                parts: parts.map { Part($0.entityNames, schema: $0.statements) })
        }
    }
}
