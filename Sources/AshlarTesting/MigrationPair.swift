public import Ashlar
import AshlarSQLite
import Foundation

/// An older and a newer version of a model, between which a suite of tests migrates stores with random objects.
///
///     @Test(arguments: try MigrationPair.all(of: PhotoFeedModel.self, modelAt: "Models/PhotoFeed.xcdatamodeld"))
///     func migrates(_ pair: MigrationPair) throws {
///         try pair.check(with: PhotoFeedMigrations.self)
///     }
public struct MigrationPair: Sendable, Identifiable, CustomStringConvertible {
    /// The version that the stores are of.
    public let source: String
    /// The version that they become.
    public let destination: String

    private let model: TestedModel
    private let versions: (source: Int, destination: Int)

    /// Such as `PhotoFeed 2 → PhotoFeed 4`.
    public var description: String { "\(source) → \(destination)" }
    /// The description, which tells the pair from the others of its model.
    public var id: String { description }

    /// All pairs of an older and a newer version that the program's model knows: of `n` versions `n · (n − 1) / 2`.
    ///
    /// - Parameters:
    ///   - model: The program's model.
    ///   - path: The model's path, relative to the package that the test is in.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``MigrationTestError``.
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

    /// Makes stores of the older version, migrates them to the newer one, and checks what came of them as
    /// ``OlderStore/migrated(with:changing:)`` does. Stores of a version that is not the current one are read by SQL alone,
    /// as there are no classes.
    ///
    /// There is one store, with the seed 1; as many as the environment's `ASHLAR_TEST_EFFORT` says, each with a seed of its
    /// own; or the one with the seed that `ASHLAR_TEST_SEED` says, which an error names.
    ///
    /// - Parameters:
    ///   - plan: The program's migration plan, if it has one. Pairs that come by a version with a custom stage need it.
    ///   - objectsPerEntity: How many objects there are of each entity.
    ///   - values: Values to choose from in place of random ones, by `Entity.attribute`.
    ///   - changing: The entities and properties that scripts and custom stages change, by their names in the version that
    ///     these lead to.
    ///   - allowsRefusal: Whether a migration may refuse a store for what is in it, as it does where an attribute is
    ///     required now and has no default, or where a constraint is new. The store must be as it was then, and one with
    ///     half as many objects is tried.
    /// - Throws: ``MigrationTestError``.
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

    /// Migrates a store and checks it. Says whether it was migrated, or refused where that is allowed.
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
