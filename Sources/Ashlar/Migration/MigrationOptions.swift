public import SystemFoundation

/// How a store of an older version is brought up to date when it is opened.
///
///     configuration.migration.backup = directory.appendingPathComponent("before.store")
///
/// Core Data's `NSMigratePersistentStoresAutomaticallyOption` and
/// `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
public struct MigrationOptions: Sendable, Hashable {
    /// Whether an opening migrates. Without it, a store of an older version is ``StoreError/migrationRequired(_:from:to:)``.
    /// True unless set.
    public var isAutomatic: Bool
    /// Where a copy of the store, with its large values, is made before anything changes; none is made when nil. A copy
    /// that fails keeps the store from being migrated. An older copy of the same store is replaced by the new one when
    /// that is whole; any other file there is ``StoreError/fileExists(_:)``. The copy stays when the migration fails.
    public var backup: URL?
    /// Whether the room on the volumes is compared with what the migration is estimated to need, so that it does not
    /// begin what it cannot end. True unless set.
    public var checksFreeSpace: Bool
    /// Whether removed attributes and entities keep their columns and tables until
    /// ``ModelContainer/finishDeferredMigration()``, where nobody can tell. False unless set.
    public var defersRemovals: Bool
    /// How long an opening waits for another process that writes, which mostly is one that migrates; 10 minutes unless
    /// set. ``StoreOptions/busyTimeout`` holds where it is longer, and for all else.
    ///
    /// A migration lets others read the store as it was, but for one that writes tables of a large store anew while nobody
    /// else has it open: there, who opens the store waits until it is migrated.
    public var waitingTime: Duration
    /// The custom stages; none when nil. What ``ModelContainer/init(for:migrationPlan:configurations:)-(_,_,ModelConfiguration?)`` sets.
    public var plan: (any SchemaMigrationPlan.Type)? {
        get { planType?.type }
        set { planType = newValue.map { PlanType(type: $0) } }
    }
    /// What the store's ledger calls this program, such as `PhotoFeed 2.1 (417)`. When nil, the names and versions in
    /// the main bundle's Info.plist, or the executable's name where there is none.
    public var programName: String?
    /// Whether a store of a version that was edited in place is deleted and made anew, in debug builds. False unless set.
    ///
    ///     configuration.migration.rebuildsEditedVersions = true
    ///
    /// While a version is not released, changing it saves making a new one for each thought; the stores that were made of it
    /// fit it no more, and opening one throws ``StoreError/unknownVersion(_:version:differences:)``. With this the store goes,
    /// with all that is in it. In release builds it means nothing, and a store of a version that is not the model's stays.
    public var rebuildsEditedVersions = false
    /// How long a store is, in bytes, for which a change of the journal costs less than it saves.
    var rollbackJournalThreshold: Int64 = 4 << 20
    private var planType: PlanType?

    /// Makes options; what is not said has its default.
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

    /// A type that can be compared with others.
    private struct PlanType: Sendable, Hashable {
        let type: any SchemaMigrationPlan.Type

        static func == (left: PlanType, right: PlanType) -> Bool { left.type == right.type }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
    }

    /// What the ledger calls this program.
    var program: String {
        if let programName { return programName }
        let name =
            Program.bundleIdentifier ?? Program.information("CFBundleName")
            ?? URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
        let version = Program.information("CFBundleShortVersionString")
        let build = Program.information("CFBundleVersion").map { "(\($0))" }
        return [name, version, build].compactMap(\.self).joined(separator: " ")
    }
}
