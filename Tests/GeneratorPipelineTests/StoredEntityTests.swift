import Foundation
import GeneratorPipeline
import RelationalSchema
import StoreDescription
import Testing

/// The generated code for versions in order describes the stored entities of each version.
@Suite struct StoredEntityTests {
    @Test(arguments: ["AshlarTests/Models/Outpost", "PublicAPITests/Models/Library", "ImportTests/Models/Museum"])
    func everyVersion(_ path: String) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let model = tests.appendingPathComponent(path + ".xcdatamodeld").path
        var configuration = GeneratorConfiguration()
        configuration.migrationStages = path.hasPrefix("PublicAPI") ? ["Library": ["Library 2"]] : nil
        let (plan, diagnostics) = ModelPlan.make(modelPath: model, configuration: configuration)
        let found = try #require(plan, "\(diagnostics)")
        #expect(found.versions.count > 1)
        var entities: [StoredEntity] = []
        for (version, schema) in zip(found.versions, found.schemas) {
            entities = try #require(StoredEntity.entities(after: entities, version.storedEntities))
            #expect(entities == schema.storedEntities, "\(version.name)")
        }
    }
}
