public import Ashlar
import AshlarSQLite
public import Foundation

/// A store of an older version of a model, for a test of its migration.
///
/// It has random objects, or is a copy of a store that an earlier release of the program wrote.
///
///     @Test func migratesWhatTheSecondReleaseWrote() throws {
///         let store = try OlderStore(
///             of: PhotoFeedModel.self, modelAt: "Models/PhotoFeed.xcdatamodeld", version: "PhotoFeed 2")
///         let container = try store.migrated(with: PhotoFeedMigrations.self)
///     }
///
/// All versions of the program's model are available, without an entry in `ashlar.json`. The files are removed at the
/// end of the process.
public struct OlderStore: Sendable {
    /// The store's file, which may be changed before the migration.
    public let url: URL
    /// The name of the store's version.
    public let versionName: String
    /// The seed of the random objects; nil for a copy of another store.
    public let seed: UInt64?

    let model: TestedModel
    let version: Int
    private let fixture: String?

    // MARK: Making a store

    /// Creates a store of an older version with random objects of all entities.
    ///
    /// All values and relationships are valid: types, bounds, patterns, uniqueness, required relationships and their
    /// order. Optional values are sometimes nil. The same seed gives the same objects.
    ///
    ///     let store = try OlderStore(
    ///         of: PhotoFeedModel.self, modelAt: "Models/PhotoFeed.xcdatamodeld", version: "PhotoFeed 2", seed: 7)
    ///
    /// - Parameters:
    ///   - model: The program's model.
    ///   - path: The model's path, relative to the package of the test.
    ///   - versionName: The version, such as `PhotoFeed 2`.
    ///   - objectsPerEntity: The number of objects of each entity that is not abstract. Relationships may require more,
    ///     and uniqueness constraints fewer.
    ///   - seed: The seed of the random objects. It defaults to the environment variable `ASHLAR_TEST_SEED`, or 1.
    ///   - values: Values to choose from in place of random ones, as the store holds them, by `Entity.attribute` of the
    ///     declaring entity. They are necessary for types of the program that neither list their cases nor are
    ///     `Codable`.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``MigrationTestError`` if the model or the version is unknown, or no valid objects can be created.
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

    /// Copies a store that an earlier release of the program wrote, with its large values. The original is not changed.
    ///
    ///     let store = try OlderStore(
    ///         copying: "Tests/Fixtures/Release1.store", of: PhotoFeedModel.self,
    ///         modelAt: "Models/PhotoFeed.xcdatamodeld")
    ///
    /// - Parameters:
    ///   - fixture: The path of the store, relative to the package of the test.
    ///   - model: The program's model.
    ///   - path: The model's path, relative to the package.
    ///   - sourceFile: The file of the test.
    /// - Throws: ``MigrationTestError`` if the model or the version is unknown, or an error of copying the store.
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

    /// Migrates a copy of the store to the program's version, as opening it does, and checks the result.
    ///
    ///     let store = try OlderStore(
    ///         of: PhotoFeedModel.self, modelAt: "Models/PhotoFeed.xcdatamodeld", version: "PhotoFeed 2")
    ///     let container = try store.migrated(with: PhotoFeedMigrations.self, changing: ["Post.title"])
    ///
    /// It checks the following:
    ///
    /// - The file is sound for SQLite, and every reference has a destination.
    /// - The schema is that of a new store.
    /// - No object was added, or removed unless the migration deletes it.
    /// - Values and relationships are unchanged, through all renames and changes of type. New properties have their
    ///   defaults.
    /// - Derived attributes, R-trees and full-text indexes match the objects.
    /// - Every object can be fetched, and every property read.
    ///
    /// SQL or Swift code of the program may add objects, and fill properties that are new in its version. Other changes
    /// must be named, or else they are errors.
    ///
    /// - Parameters:
    ///   - plan: The program's migration plan, if it has one.
    ///   - changing: The entities (`Post`) and properties (`Post.title`) that scripts and custom stages change, by
    ///     their names in the newer version of the step. Objects of a named entity may also be deleted.
    /// - Returns: A container of the copy.
    /// - Throws: ``MigrationTestError/wrong(_:_:)`` with all problems, or ``MigrationTestError/failed(_:_:)`` if the
    ///   store cannot be migrated.
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

    /// Returns the contents of the store.
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

    /// Migrates a copy to a version, by opening it as the program of that version does. Only the current one has
    /// classes.
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

    /// Throws the problems of a migrated store.
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

    /// Runs a closure, and adds the migration to an error.
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
