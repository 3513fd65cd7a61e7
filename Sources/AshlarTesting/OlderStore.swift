public import Ashlar
import AshlarSQLite
public import Foundation

/// A store of an older version of a model, to be migrated by a test: made up at random, or a copy of one that an earlier
/// release of the program wrote.
///
///     @Test func migratesWhatTheSecondReleaseWrote() throws {
///         let store = try OlderStore(
///             of: PhotoFeedModel.self, modelAt: "Models/PhotoFeed.xcdatamodeld", version: "PhotoFeed 2")
///         let container = try store.migrated(with: PhotoFeedMigrations.self)
///     }
///
/// The versions are those that the program's model knows; `ashlar.json` need not be told. The files of the test are gone
/// when the process ends.
public struct OlderStore: Sendable {
    /// Where the store is, which may be changed before it is migrated.
    public let url: URL
    /// The version that the store is of.
    public let versionName: String
    /// The seed of its random objects; nil for a copy of another store.
    public let seed: UInt64?

    let model: TestedModel
    let version: Int
    private let fixture: String?

    // MARK: Making a store

    /// Makes a store of an older version with random objects of all entities.
    ///
    /// All values are legal: of their types, within the bounds, matching the regular expressions, unique where they must
    /// be, and small enough for the sums that the store derives. So are all relationships, with the order of those that have
    /// one. What may be nil sometimes is. The same seed gives the same objects.
    ///
    /// - Parameters:
    ///   - model: The program's model.
    ///   - path: The model's path, relative to the package that the test is in.
    ///   - versionName: The version, such as `PhotoFeed 2`.
    ///   - objectsPerEntity: How many objects there are of each entity that is not abstract. There may be more where
    ///     relationships need them, and fewer where uniqueness constraints leave no values.
    ///   - seed: What the objects depend on. Where it is nil, it is what the environment's `ASHLAR_TEST_SEED` says, or 1.
    ///   - values: Values to choose from in place of random ones, as the store has them, by `Entity.attribute` of the
    ///     entity that declares the attribute. Needed where the program's own type neither lists its cases nor is
    ///     `Codable`.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``MigrationTestError``.
    public init(
        of model: any ManagedObjectModel.Type, modelAt path: String, version versionName: String,
        objectsPerEntity: Int = 20, seed: UInt64? = nil, values: [String: [SQLiteValue]] = [:],
        sourceFile: String = #filePath
    ) throws {
        let model = try TestedModel.read(model, at: path, from: sourceFile)
        try self.init(
            model, version: model.position(of: versionName), objectsPerEntity: objectsPerEntity,
            seed: seed ?? TestSeeds.chosen ?? 1, values: values)
    }

    init(
        _ model: TestedModel, version: Int, objectsPerEntity: Int, seed: UInt64, values: [String: [SQLiteValue]]
    ) throws {
        self.model = model
        self.version = version
        self.seed = seed
        versionName = model.versionNames[version]
        fixture = nil
        let objects = try RandomObjects(
            model.schemas[version], versionName: versionName, count: objectsPerEntity, seed: seed, chosenValues: values,
            programValues: ProgramValues(model, version: version),
            limits: SumLimits(model, version: version, objectsPerEntity: objectsPerEntity))
        url = try TemporaryFolder.make().appendingPathComponent("older.store")
        try saying(destination: version) {
            _ = try ModelContainer(
                describedBy: model.descriptions[version], configuration: ModelConfiguration(url: url))
            try objects.write(to: Connection(toWrite: url))
        }
    }

    /// Copies a store that an earlier release of the program wrote, with its large values. The original stays as it is.
    ///
    /// - Parameters:
    ///   - fixture: The path of the store, relative to the package that the test is in.
    ///   - model: The program's model.
    ///   - path: The model's path, relative to the package.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``MigrationTestError``, or what copying the store throws.
    public init(
        copying fixture: String, of model: any ManagedObjectModel.Type, modelAt path: String,
        sourceFile: String = #filePath
    ) throws {
        self.model = try TestedModel.read(model, at: path, from: sourceFile)
        let source = URL(fileURLWithPath: PackageFolder(of: sourceFile).resolve(fixture))
        self.fixture = source.path
        seed = nil
        let metadata = try ModelContainer.metadata(ofStoreAt: source)
        let versions = self.model.descriptions[self.model.current].versions
        guard let version = versions.lastIndex(where: { $0.versionHash == metadata.versionHash }) else {
            throw MigrationTestError.unknownFixture(
                path: source.path, version: metadata.versionName, model: model.modelDescription.name)
        }
        self.version = version
        versionName = versions[version].name
        url = try TemporaryFolder.make().appendingPathComponent("older.store")
        try ModelContainer.backUpStore(at: source, to: url)
    }

    // MARK: Migrating it

    /// Migrates a copy of the store to the program's version, as opening it does, and checks what came of it:
    ///
    /// - SQLite finds the file sound, and every reference leads somewhere.
    /// - The schema is that of a new store.
    /// - No object is gone that the migration does not delete, and none was added.
    /// - Values and relationships are what they were, through all renames and changes of type; what is new has its default.
    /// - Derived attributes, R-trees and full-text indexes are what the objects make them.
    /// - Every object can be fetched, and every property of it read.
    ///
    /// Where SQL or Swift of the program's own runs on the way, it may add objects and fill what is new in the version that
    /// it leads to. What it changes besides is to be named, else it is taken for a mistake.
    ///
    /// - Parameters:
    ///   - plan: The program's migration plan, if it has one.
    ///   - changing: The entities (`Post`) and properties (`Post.title`) that scripts and custom stages change, by their
    ///     names in the version that these lead to. Objects of an entity that is named may also be deleted.
    /// - Returns: A container of the copy.
    /// - Throws: ``MigrationTestError/wrong(_:_:)`` with all that is not as it should be, and
    ///   ``MigrationTestError/failed(_:_:)`` where the store cannot be migrated.
    public func migrated(
        with plan: (any SchemaMigrationPlan.Type)? = nil, changing: Set<String> = []
    ) throws -> ModelContainer {
        let before = try contents()
        let check = MigratedStoreCheck(model, from: version, to: model.current, before: before, changing: changing)
        let copy = try copy(for: check)
        let container = try open(copy, as: model.current, plan)
        try verify(copy, check, container)
        return container
    }

    /// What the store holds.
    func contents() throws -> StoreContents {
        try StoreContents(Connection(toWrite: url), model.schemas[version])
    }

    func migration(to destination: Int) -> TestedMigration {
        TestedMigration(
            source: versionName, destination: model.versionNames[destination], seed: seed, fixture: fixture)
    }

    /// Makes the copy that is to be migrated.
    func copy(for check: MigratedStoreCheck) throws -> URL {
        let copy = url.deletingLastPathComponent().appendingPathComponent("\(UUID().uuidString).store")
        try saying(destination: check.destination) { try ModelContainer.backUpStore(at: url, to: copy) }
        return copy
    }

    /// Migrates a copy to a version, by opening it as the program of that version does. Only the current one has classes.
    func open(
        _ copy: URL, as destination: Int, _ plan: (any SchemaMigrationPlan.Type)?
    ) throws -> ModelContainer {
        try saying(destination: destination) {
            var configuration = ModelConfiguration(url: copy)
            if destination == model.current {
                configuration.migration.plan = plan
                return try ModelContainer(describedBy: model.descriptions[destination], configuration: configuration)
            }
            configuration.migration.plan = plan.map { _ in EarlierPlan.self }
            let later = Set(model.versionNames[(destination + 1)...])
            let shortened = plan.map { EarlierPlan.Shortened(plan: $0, laterVersionNames: later) }
            return try EarlierPlan.$shortened.withValue(shortened) {
                try ModelContainer(describedBy: model.descriptions[destination], configuration: configuration)
            }
        }
    }

    /// Throws what is not as it should be in a migrated store.
    func verify(_ copy: URL, _ check: MigratedStoreCheck, _ container: ModelContainer) throws {
        let destination = check.destination
        try saying(destination: destination) {
            var problems = try check.problems(ofStoreAt: copy)
            if problems.isEmpty {
                let contents = try StoreContents(Connection(toWrite: copy), model.schemas[destination])
                problems = ObjectReading(container, contents).problems
            }
            if !problems.isEmpty { throw MigrationTestError.wrong(migration(to: destination), problems) }
        }
    }

    /// Runs a closure, and says of which migration an error is.
    private func saying<Result>(destination: Int, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as MigrationTestError {
            throw error
        } catch {
            throw MigrationTestError.failed(migration(to: destination), error)
        }
    }
}
