/// The migration from one version of a model to the next, planned or with custom code.
///
/// The planned migration is done in any case. A custom stage adds code of the program in the same transaction. If the
/// code throws, the store is as it was before the whole migration.
///
///     let stage = MigrationStage.lightweight(
///         fromVersion: PhotoFeedModel.Version2.self, toVersion: PhotoFeedModel.Version3.self)
///
/// SwiftData's counterpart is `MigrationStage`.
public struct MigrationStage: Sendable {
    let source: any VersionedSchema.Type
    package let destination: any VersionedSchema.Type
    let willMigrate: (@Sendable (StageStore) throws -> Void)?
    let transforms: [AnyValuesTransform]
    let didMigrate: (@Sendable (StageStore) throws -> Void)?

    /// Whether the stage has custom code.
    var isCustom: Bool { willMigrate != nil || didMigrate != nil || !transforms.isEmpty }

    /// Returns a stage without custom code.
    ///
    ///     let stage = MigrationStage.lightweight(
    ///         fromVersion: PhotoFeedModel.Version2.self, toVersion: PhotoFeedModel.Version3.self)
    ///
    /// - Parameters:
    ///   - source: The stage's first version.
    ///   - destination: The version after it.
    public static func lightweight(
        fromVersion source: any VersionedSchema.Type, toVersion destination: any VersionedSchema.Type
    ) -> MigrationStage {
        MigrationStage(source: source, destination: destination, willMigrate: nil, transforms: [], didMigrate: nil)
    }

    /// Returns a stage with custom code.
    ///
    ///     let stage = MigrationStage.custom(
    ///         fromVersion: PhotoFeedModel.Version2.self, toVersion: PhotoFeedModel.Version3.self,
    ///         transforms: [
    ///             ValuesTransform(PhotoFeedModel.Version2.Post.self, PhotoFeedModel.Version3.Post.self) { old, new in
    ///                 new.title = old.caption.prefix { $0 != "\n" }.capitalized
    ///             }
    ///         ])
    ///
    /// - Parameters:
    ///   - source: The stage's first version.
    ///   - destination: The version after it.
    ///   - willMigrate: The code that runs before the planned statements, on the older version.
    ///   - transforms: The transforms of rows, which run after the planned statements.
    ///   - didMigrate: The code that runs last, on the newer version.
    public static func custom<Source: VersionedSchema, Destination: VersionedSchema>(
        fromVersion source: Source.Type, toVersion destination: Destination.Type,
        willMigrate: (@Sendable (MigratingStore<Source>) throws -> Void)? = nil,
        transforms: [ValuesTransform<Source, Destination>] = [],
        didMigrate: (@Sendable (MigratingStore<Destination>) throws -> Void)? = nil
    ) -> MigrationStage {
        MigrationStage(
            source: source, destination: destination,
            willMigrate: untyped(willMigrate), transforms: transforms.map(\.transform),
            didMigrate: untyped(didMigrate))
    }

    private static func untyped<Version>(
        _ body: (@Sendable (MigratingStore<Version>) throws -> Void)?
    ) -> (@Sendable (StageStore) throws -> Void)? {
        guard let body else { return nil }
        return { store in try body(MigratingStore(store: store)) }
    }
}

/// A transform that computes values of rows in a newer version from those in the older one.
///
/// It is called for each row of the newer version that existed in the older one, with the values after the planned
/// migration. Only a few hundred rows are in memory at a time. A row that the closure leaves unchanged is not written.
/// See ``MigrationStage/custom(fromVersion:toVersion:willMigrate:transforms:didMigrate:)``.
public struct ValuesTransform<Source: VersionedSchema, Destination: VersionedSchema>: Sendable {
    let transform: AnyValuesTransform

    /// Creates a transform of the rows of an entity, which may have another name in the newer version.
    ///
    ///     let transform = ValuesTransform(
    ///         PhotoFeedModel.Version2.Post.self, PhotoFeedModel.Version3.Post.self
    ///     ) { old, new in
    ///         new.title = old.caption
    ///     }
    ///
    /// Rows are matched by their numbers. So it is refused for an entity whose rows get new numbers, because it moves
    /// into another hierarchy.
    ///
    /// - Parameters:
    ///   - old: The struct of the entity in the older version.
    ///   - new: The struct of the entity in the newer version.
    ///   - body: Changes the new row.
    public init<Old: VersionedValues, New: VersionedValues>(
        _ old: Old.Type, _ new: New.Type, _ body: @escaping @Sendable (Old, inout New) throws -> Void
    ) where Old.Version == Source, New.Version == Destination {
        transform = AnyValuesTransform(old: old._ashlarTable, new: new._ashlarTable) { store, copy in
            try store.transform(copy, old, new, body)
        }
    }
}

/// A transform without its types.
struct AnyValuesTransform: Sendable {
    let old: VersionedTable
    let new: VersionedTable
    /// Runs the transform. The text names the table with the older rows.
    let run: @Sendable (StageStore, String) throws -> Void
}

/// The custom stages of a program's migrations.
///
/// Name only stages with custom code; other versions are migrated as planned.
///
///     enum PhotoFeedStages: SchemaMigrationPlan {
///         static var stages: [MigrationStage] {
///             [.lightweight(fromVersion: PhotoFeedModel.Version2.self, toVersion: PhotoFeedModel.Version3.self)]
///         }
///     }
///     let container = try ModelContainer(for: PhotoFeedModel.self, migrationPlan: PhotoFeedStages.self)
///
/// `ashlar.json` lists the versions that need a stage as `migrationStages`. SwiftData's counterpart is
/// `SchemaMigrationPlan`.
public protocol SchemaMigrationPlan: Sendable {
    /// The versions of the stages. Plans of SwiftData have them; Ashlar takes the versions from the model.
    static var schemas: [any VersionedSchema.Type] { get }
    /// The stages, in any order.
    static var stages: [MigrationStage] { get }
}

extension SchemaMigrationPlan {
    /// The versions of the stages. Plans of SwiftData have them; Ashlar takes the versions from the model.
    public static var schemas: [any VersionedSchema.Type] { stages.flatMap { [$0.source, $0.destination] } }
}
