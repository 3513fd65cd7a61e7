import AshlarSQLite
import Foundation
import RandomNumbers
import RandomSeeds
import StoreChecks
import Testing

@testable import Ashlar

/// Random sequences of changes over whole models with any relationships, rules and inheritance, compared with a graph
/// of plain values. `Scripts/random-models` does the same with random models.
@Suite struct GraphSequenceTests {
    private static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// Values of types that only the code of these models defines.
    private static var chosenValues: [String: [SQLiteValue]] {
        [
            "Animal.diet": Animal.Diet.allCases.map { .text($0.rawValue) },
            "Article.colors": [.blob(Data([3, 2, 1])), .blob(Data())],
            "Column.colors": [.blob(Data(repeating: 7, count: 6))],
            "Material.finish.gloss": [.integer(0), .integer(1)],
            "Material.grain": [.integer(1), .integer(3)],
            "Material.kind": MaterialKind.allCases.map { .text($0.rawValue) },
            "Material.strict": MaterialKind.allCases.map { .text($0.rawValue) },
            "Supply.kind": MaterialKind.allCases.map { .text($0.rawValue) },
            "Post.palette": [.blob(Data([4, 5, 6])), .blob(Data())],
        ]
    }

    /// Saves use one statement for each row, as is the default for so few rows, and then one statement for as many rows
    /// as possible.
    @Test(
        "rows 69, 83, 85, 88: contexts hold the graph of plain values",
        arguments: [
            "Models/Zoo", "Models/PhotoFeed", "Models/Newsroom",
            "Tests/AshlarTests/Models/Studio", "Tests/AshlarTests/Models/Depot", "Tests/AshlarTests/Models/Atlas",
        ], [8, 1])
    func sequences(_ path: String, _ leastPendingRows: Int) throws {
        let models: [any ManagedObjectModel.Type] = [
            ZooModel.self, PhotoFeedModel.self, NewsroomModel.self, StudioModel.self,
            DepotModel.self, AtlasModel.self,
        ]
        let name = path.split(separator: "/").last.map(String.init)
        let model = try #require(models.first { $0.modelDescription.name == name })
        var steps = 0
        let seeds = seeds()
        for seed in seeds {
            do {
                steps += try checkGraph(
                    of: model, modelPath: "\(Self.repository)/\(path).xcdatamodeld", seed: seed.number, sequences: 1,
                    chosenValues: Self.chosenValues,
                    prepare: { try $0.pool.write { $0.state.leastPendingRows = leastPendingRows } })
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
        #expect(steps > 50 * seeds.count)
    }
}
