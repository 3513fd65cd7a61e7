import Ashlar
import GeneratorPipeline
import SchemaMigration

extension ModelDescription {
    /// What the runtime needs to know of a planned model to migrate its stores: all but the entities' classes.
    convenience init(_ plan: ModelPlan) {
        let (schema, parts) = plan.schema.storeStatements
        self.init(
            name: plan.name, entities: [],
            versions: plan.versions.map { version in
                let hashes = version.hash.versionHashes.sorted { $0.key < $1.key }
                return Version(
                    name: version.name, versionHash: version.hash.versionHash, schemaHash: version.hash.schemaHash,
                    entityHashes: hashes.map { "\($0.key) \($0.value.prefix(16))" }.joined(separator: "\n"),
                    migration: version.migration.map { statement in
                        switch statement.purpose {
                        case .change: .change(statement.sql)
                        case .custom: .custom(statement.sql)
                        case .check(let reason, let entity):
                            .check(statement.sql, reason: reason, entity: entity)
                        }
                    },
                    parts: version.parts.map {
                        MigrationPart(from: $0.source, to: $0.destination, statements: $0.statements)
                    }, needsStage: version.needsStage)
            },
            schema: schema, firstSchema: plan.firstSchema?.statements,
            parts: parts.map { Part($0.entityNames, schema: $0.statements) })
    }
}
