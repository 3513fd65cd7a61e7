public import SystemFoundation

/// The options for migrating a store of an older version when it is opened.
///
///     configuration.migration.backup = directory.appendingPathComponent("before.store")
///
/// Core Data's counterparts are `NSMigratePersistentStoresAutomaticallyOption` and
/// `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
public struct MigrationOptions: Sendable, Hashable {
    /// Whether opening a store migrates it. It defaults to true.
    ///
    /// Otherwise opening a store of an older version throws ``StoreError/migrationRequired(_:from:to:)``.
    public var isAutomatic: Bool
    /// The place of a copy of the store, with its large values, that is made before a migration; nil, the default,
    /// makes none.
    ///
    ///     configuration.migration.backup = directory.appendingPathComponent("before.store")
    ///
    /// If the copy fails, the store is not migrated. The copy replaces an older one of the same store when it is
    /// complete. Any other file at its place is an error, ``StoreError/fileExists(_:)``. The copy stays if the
    /// migration fails.
    public var backup: URL?
    /// Whether the free space is compared with the estimated need before a migration. It defaults to true.
    ///
    /// If it is too small, opening throws ``StoreError/insufficientSpace(_:needed:available:)``.
    public var checksFreeSpace: Bool
    /// Whether removed attributes and entities keep their columns and tables at first. It defaults to false.
    ///
    /// It speeds up the migration of large stores. ``ModelContainer/finishDeferredMigration()`` removes them later.
    public var defersRemovals: Bool
    /// The time that opening a store waits for another process that writes or migrates. It defaults to 10 minutes.
    ///
    /// A longer ``StoreOptions/busyTimeout`` takes precedence, and it applies to everything else. During most
    /// migrations, others can read the store as it was. If a migration rewrites tables of a large store that no one
    /// else has open, an opening waits until it ends.
    public var waitingTime: Duration
    /// The custom stages of migrations; nil for none.
    ///
    /// ``ModelContainer/init(for:migrationPlan:configurations:)-(_,_,ModelConfiguration?)`` sets it.
    ///
    ///     configuration.migration.plan = PhotoFeedMigrations.self
    public var plan: (any SchemaMigrationPlan.Type)? {
        get { planType?.type }
        set { planType = newValue.map { PlanType(type: $0) } }
    }
    /// The name of this program in the store's record of migrations, such as `PhotoFeed 2.1 (417)`.
    ///
    /// It defaults to the name and version in the main bundle's Info.plist, or to the executable's name.
    public var programName: String?
    /// Whether debug builds delete and recreate a store whose version was edited in place. It defaults to false.
    ///
    /// Use it while you design a version that is not released. Without it, opening such a store throws
    /// ``StoreError/unknownVersion(_:version:differences:)``. All data of the store is lost. Release builds ignore it.
    ///
    ///     configuration.migration.rebuildsEditedVersions = true
    public var rebuildsEditedVersions = false
    /// The size in bytes from which a store is migrated with a rollback journal. For smaller stores, the change of the
    /// journal costs more than it saves.
    var rollbackJournalThreshold: Int64 = 4 << 20
    private var planType: PlanType?

    /// Creates options; each parameter has the default of its property.
    ///
    ///     let options = MigrationOptions(defersRemovals: true)
    public init(
        isAutomatic: Bool = true, backup: URL? = nil, checksFreeSpace: Bool = true, defersRemovals: Bool = false,
        waitingTime: Duration = .seconds(600), programName: String? = nil
    ) {
        self.isAutomatic = isAutomatic
        self.backup = backup
        self.checksFreeSpace = checksFreeSpace
        self.defersRemovals = defersRemovals
        self.waitingTime = waitingTime
        self.programName = programName
    }

    /// A type of a migration plan that can be compared.
    private struct PlanType: Sendable, Hashable {
        let type: any SchemaMigrationPlan.Type

        static func == (left: PlanType, right: PlanType) -> Bool { left.type == right.type }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
    }

    /// The name of this program in the ledger.
    package var program: String {
        if let programName { return programName }
        let name =
            Program.bundleIdentifier ?? Program.information("CFBundleName")
            ?? URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
        let version = Program.information("CFBundleShortVersionString")
        let build = Program.information("CFBundleVersion").map { "(\($0))" }
        return [name, version, build].compactMap(\.self).joined(separator: " ")
    }
}
