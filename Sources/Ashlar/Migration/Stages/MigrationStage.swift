/// What is done on the way from a version of a model to the next; SwiftData's `MigrationStage`.
///
/// What Ashlar planned is done in any case. A custom stage adds code of the program's own, which is run in the same
/// transaction: when it throws, the store is as it was before the whole migration.
public struct MigrationStage: Sendable {
    let source: any VersionedSchema.Type
    package let destination: any VersionedSchema.Type
    let willMigrate: (@Sendable (StageStore) throws -> Void)?
    let transforms: [AnyValuesTransform]
    let didMigrate: (@Sendable (StageStore) throws -> Void)?

    /// Whether code is run.
    var isCustom: Bool { willMigrate != nil || didMigrate != nil || !transforms.isEmpty }

    /// What was planned is enough.
    public static func lightweight(
        fromVersion source: any VersionedSchema.Type, toVersion destination: any VersionedSchema.Type
    ) -> MigrationStage {
        MigrationStage(source: source, destination: destination, willMigrate: nil, transforms: [], didMigrate: nil)
    }

    /// Code of the program's own is run too.
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
    ///   - source: The version that the stage begins with.
    ///   - destination: The version after it, which the stage leads to.
    ///   - willMigrate: What is done before the planned statements, on the older version.
    ///   - transforms: What rows of the newer version get from those of the older one, after the planned statements.
    ///   - didMigrate: What is done after all that, on the newer version.
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

/// What rows of an entity in a newer version get from the same rows in the older one.
///
/// It is called for every row of the newer version that was one of the older, with the values that the migration gave it,
/// and keeps no more than some hundred rows in memory. A row that the closure leaves as it was is not written.
public struct ValuesTransform<Source: VersionedSchema, Destination: VersionedSchema>: Sendable {
    let transform: AnyValuesTransform

    /// Makes a transform of the rows of an entity, which may have another name in the newer version.
    ///
    /// Rows are told by their numbers, so that it is refused for an entity whose rows get new ones, as those do that move
    /// into another's hierarchy.
    public init<Old: VersionedValues, New: VersionedValues>(
        _ old: Old.Type, _ new: New.Type, _ body: @escaping @Sendable (Old, inout New) throws -> Void
    ) where Old.Version == Source, New.Version == Destination {
        transform = AnyValuesTransform(old: old._ashlarTable, new: new._ashlarTable) { store, copy in
            try store.transform(copy, old, new, body)
        }
    }
}

/// A transform of any types.
struct AnyValuesTransform: Sendable {
    let old: VersionedTable
    let new: VersionedTable
    /// Runs it; the text names the table with the older rows.
    let run: @Sendable (StageStore, String) throws -> Void
}

/// The custom stages of a program's migrations; SwiftData's `SchemaMigrationPlan`.
///
///     let container = try ModelContainer(for: PhotoFeedModel.self, migrationPlan: PhotoFeedMigrations.self)
///
/// Versions without a stage are migrated as planned, so that only those need be named for which `ashlar.json` has
/// `migrationStages`.
public protocol SchemaMigrationPlan: Sendable {
    /// The versions that the stages are of. SwiftData's plans have them; Ashlar takes the versions from the model.
    static var schemas: [any VersionedSchema.Type] { get }
    /// The stages, in any order.
    static var stages: [MigrationStage] { get }
}

extension SchemaMigrationPlan {
    public static var schemas: [any VersionedSchema.Type] { stages.flatMap { [$0.source, $0.destination] } }
}
