public import Ashlar
import AshlarSQLite
import Foundation

/// A pair of an older and a newer version of a model, between which a test migrates stores with random objects.
///
/// Use the pairs as the arguments of a test, so that every migration is tested.
///
///     @Test(arguments: try MigrationPair.all(of: PhotoFeedModel.self, modelAt: "Models/PhotoFeed.xcdatamodeld"))
///     func migrates(_ pair: MigrationPair) throws {
///         try pair.check(with: PhotoFeedMigrations.self)
///     }
public struct MigrationPair: Sendable, Identifiable, CustomStringConvertible {
    /// The name of the older version.
    public let source: String
    /// The name of the newer version.
    public let destination: String

    private let model: TestedModel
    private let versions: (source: Int, destination: Int)

    /// The pair as text, such as `PhotoFeed 2 → PhotoFeed 4`.
    public var description: String { "\(source) → \(destination)" }
    /// The pair as text, which identifies it within its model.
    public var id: String { description }

    /// Returns all pairs of an older and a newer version of the program's model: `n · (n − 1) / 2` for `n` versions.
    ///
    ///     let pairs = try MigrationPair.all(of: PhotoFeedModel.self, modelAt: "Models/PhotoFeed.xcdatamodeld")
    ///
    /// - Parameters:
    ///   - model: The program's model.
    ///   - path: The model's path, relative to the package of the test.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``MigrationTestError`` if the model cannot be read or is another one.
    public static func all(
        of model: any ManagedObjectModel.Type, modelAt path: String, sourceFile: String = #filePath
    ) throws -> [MigrationPair] {
        let model = try TestedModel.read(model, at: path, from: sourceFile)
        return model.versionNames.indices.dropFirst().flatMap { destination in
            (0..<destination).map { MigrationPair(model, from: $0, to: destination) }
        }
    }

    init(_ model: TestedModel, from source: Int, to destination: Int) {
        self.model = model
        self.source = model.versionNames[source]
        self.destination = model.versionNames[destination]
        versions = (source, destination)
    }

    /// Creates stores of the older version, migrates them to the newer one, and checks the result.
    ///
    /// The checks are those of ``OlderStore/migrated(with:changing:)``. Stores of a version that is not the current one
    /// are read only with SQL, because there are no classes.
    ///
    ///     try pair.check(with: PhotoFeedMigrations.self, changing: ["Post.title"])
    ///
    /// One store is created, with the seed 1. The environment variable `ASHLAR_TEST_EFFORT` sets another number of
    /// stores, each with its own seed. `ASHLAR_TEST_SEED` sets the seed of a single store; errors name it.
    ///
    /// - Parameters:
    ///   - plan: The program's migration plan. Pairs with a custom stage between them need it.
    ///   - objectsPerEntity: The number of objects of each entity.
    ///   - values: Values to choose from in place of random ones, by `Entity.attribute`.
    ///   - changing: The entities and properties that scripts and custom stages change, by their names in the newer
    ///     version of the step.
    ///   - allowsRefusal: Whether a migration may refuse a store because of its data, for example if an attribute is
    ///     now required. The store must then be unchanged, and one with half as many objects is tried.
    /// - Throws: ``MigrationTestError`` if the migration fails or its result is wrong.
    public func check(
        with plan: (any SchemaMigrationPlan.Type)? = nil, objectsPerEntity: Int = 20,
        values: [String: [SQLiteValue]] = [:], changing: Set<String> = [], allowsRefusal: Bool = false
    ) throws {
        for seed in TestSeeds.all {
            var count = objectsPerEntity
            while true {
                let store = try OlderStore(
                    model, version: versions.source, objectsPerEntity: count, seed: seed, values: values)
                defer { try? FileManager.default.removeItem(at: store.url.deletingLastPathComponent()) }
                if try check(store, plan, changing, allowsRefusal: allowsRefusal && count > 0) { break }
                count /= 2
            }
        }
    }

    /// Migrates a store and checks it. Returns true if it was migrated, or false after an allowed refusal.
    private func check(
        _ store: OlderStore, _ plan: (any SchemaMigrationPlan.Type)?, _ changing: Set<String>, allowsRefusal: Bool
    ) throws -> Bool {
        let before = try store.contents()
        let check = MigratedStoreCheck(
            model, from: versions.source, to: versions.destination, before: before, changing: changing)
        let copy = try store.copy(for: check)
        do {
            let container = try store.open(copy, as: versions.destination, plan)
            try store.verify(copy, check, container)
            return true
        } catch MigrationTestError.failed(let migration, let error as StoreError) where allowsRefusal {
            guard case .migrationRefused = error else { throw MigrationTestError.failed(migration, error) }
            let connection = try Connection(toWrite: copy)
            let after = try? StoreContents(connection, model.schemas[versions.source])
            if after != before { throw MigrationTestError.changedByRefusal(migration, error) }
            return false
        }
    }
}
