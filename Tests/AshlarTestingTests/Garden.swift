import Ashlar

@testable import AshlarTesting

/// A model of four versions: the second is inferred, the third has scripts, and the fourth a stage.
enum Garden {
    static let path = "Tests/AshlarTestingTests/Models/Garden.xcdatamodeld"
    /// What the scripts and the stage change besides what is new.
    static let changing: Set = ["Bed.title", "Note"]

    static func model() throws -> TestedModel { try TestedModel.read(GardenModel.self, at: path, from: #filePath) }

    static func store(_ version: String, objectsPerEntity: Int = 20, seed: UInt64 = 1) throws -> OlderStore {
        try OlderStore(
            of: GardenModel.self, modelAt: path, version: version, objectsPerEntity: objectsPerEntity, seed: seed)
    }
}

/// Plants get classes of sizes, and notes without a text go.
enum GardenMigrations: SchemaMigrationPlan {
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: GardenModel.Version3.self, toVersion: GardenModel.Version4.self,
                didMigrate: { store in
                    try store.update(GardenModel.Version4.Plant.self) {
                        $0.sizeClass = $0.size > 15 ? "large" : "small"
                    }
                    try store.delete(GardenModel.Version4.Note.self) { $0.text.isEmpty }
                })
        ]
    }
}
