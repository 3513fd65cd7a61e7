import AshlarTesting
import Foundation
import Testing

@testable import Ashlar

/// Random objects of every entity of every model are valid: saves succeed, and SQLite's checks find no problem.
@Suite struct RandomInsertionTests {
    /// Newsroom has a constraint over a derived attribute, and Tally a derived sum. Kitchen is missing: its types do
    /// not list their values, so no objects can be made.
    static let models: [any ManagedObjectModel.Type] = [
        AtlasModel.self, AtticModel.self, DepotModel.self, HarborModel.self, LibraryModel.self,
        NewsroomModel.self, OutpostModel.self, PhotoFeedModel.self, StudioModel.self, TallyModel.self,
        TortureModel.self, ZooModel.self,
    ]

    @Test(arguments: models.indices, [1, 2] as [UInt64])
    func allEntitiesHaveLegalObjects(_ index: Int, _ seed: UInt64) throws {
        let model = Self.models[index]
        var made = 0
        for entity in model.modelDescription.entities {
            guard let type = entity.modelClass as? any PersistentModel.Type else { continue }
            let container = try ModelContainer.inMemory(for: model)
            do {
                made += try insert(type, 12, container, seed)
            } catch RandomObjectsError.noLegalValue(let property, _) {
                // The property has a type of the program that does not list its values.
                #expect(entity.columns.contains { "\($0.entity).\($0.property)" == property } || !property.isEmpty)
            } catch RandomObjectsError.noLegalObject(_, let reason) {
                #expect(reason.contains("abstract") && entity.isAbstract, "\(model) \(entity.name): \(reason)")
            } catch {
                Issue.record("\(model) \(entity.name), seed \(seed): \(error)")
            }
            let broken = try container.pool.read { try $0.rows("PRAGMA foreign_key_check") }
            #expect(broken.isEmpty, "\(model) \(entity.name)")
            let soundness = try container.pool.read { try $0.rows("PRAGMA integrity_check") }
            #expect(soundness == [[.text("ok")]], "\(model) \(entity.name)")
        }
        #expect(made > 0, "\(model)")
    }

    private func insert<Model: PersistentModel>(
        _ type: Model.Type, _ count: Int, _ container: ModelContainer, _ seed: UInt64
    ) throws -> Int {
        let context = ModelContext(container)
        let objects = try context.insertRandom(count, of: type, seed: seed)
        #expect(objects.count == count)
        try context.save()
        // Further objects have other unique values than the first ones.
        try context.insertRandom(count, of: type, seed: seed)
        try context.save()
        #expect(try ModelContext(container).fetchCount(Model.all) >= 2 * count)
        return objects.count
    }
}
