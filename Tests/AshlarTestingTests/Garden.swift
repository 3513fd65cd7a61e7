import Ashlar
import Foundation

@testable import AshlarTesting

/// A model of four versions: the second is inferred, the third has scripts, and the fourth a stage.
enum Garden {
    static let path = "Tests/AshlarTestingTests/Models/Garden.xcdatamodeld"
    /// The changes that the scripts and the stage make, apart from new properties.
    static let changing: Set = ["Bed.title", "Note"]

    static func model() throws -> TestedModel { try TestedModel.read(GardenModel.self, at: path, from: #filePath) }

    static func store(_ version: String, objectsPerEntity: Int = 20, seed: UInt64 = 1) throws -> OlderStore {
        try OlderStore(
            of: GardenModel.self, modelAt: path, version: version, objectsPerEntity: objectsPerEntity, seed: seed)
    }
}

/// Plants get size classes, and notes without a text are deleted.
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

// MARK: Types of the program's own

enum ShedMaterial: String, CaseIterable {
    case wood, stone
}

/// An enumeration that does not list its cases.
enum ShedCondition: Int16 {
    case sound = 3
    case leaking = 7
}

struct ShedLayout: Codable, Equatable, Sendable {
    struct Shelf: Codable, Equatable, Sendable {
        var width: Double
        var label: String?
        var planks: [Shelf]
    }

    enum Roof: String, Codable, CaseIterable {
        case flat, pitched
    }

    var shelves: [Shelf]
    var tools: [String: Int]
    var inspections: [UUID: Date]
    var roof: Roof
    var area: Decimal
    var plan: URL
}

enum MarksTransformer: AttributeTransformer {
    struct Unreadable: Error {}

    static func data(from value: [String]) throws -> Data { Data(value.joined(separator: "|").utf8) }

    static func value(from data: Data) throws -> [String] {
        guard let text = String(data: data, encoding: .utf8), text.hasPrefix("text") else { throw Unreadable() }
        return text.split(separator: "|").map(String.init)
    }
}
