import AshlarSQLite
import SystemFoundation

/// Brings a store of an older version up to date in a single transaction.
package struct StoreMigrator {
    let model: ModelDescription
    let url: URL
    let isWritable: Bool
    var options = MigrationOptions()
    var busyTimeout: Duration = .seconds(5)
    var monitor = MigrationMonitor()
    var freeSpace = FreeSpace.system

    /// Updates the store, and returns its metadata afterwards.
    ///
    /// If the schema did not change since it was last compared, this costs only a read of SQLite's own count of schema
    /// changes. If the count was read with the metadata, it is not read again.
    ///
    /// - Throws: ``StoreError`` or `CancellationError`. The store is unchanged then.
    package func bringUpToDate(
        _ connection: Connection, _ metadata: StoreMetadata, schemaVersion: Int64? = nil
    ) throws -> StoreMetadata {
        let position = try position(of: metadata, in: connection)
        if let current = model.currentVersion, position < model.versions.count - 1 {
            guard isWritable, options.isAutomatic else {
                throw StoreError.migrationRequired(url, from: metadata.versionName, to: current.name)
            }
            return try change(connection, metadata)
        }
        let isCurrent = metadata.schemaHash == model.versions[position].schemaHash
        if isCurrent, metadata.schemaVersion == (try schemaVersion ?? connection.integer("PRAGMA schema_version")) {
            return metadata
        }
        let comparison = try SchemaUpdater(model: model, url: url, connection: connection).compare()
        guard isWritable else { return metadata }
        if !isCurrent || !comparison.isSame { return try change(connection, metadata) }
        return try remember(metadata, connection)
    }

    /// Records that the schema matches the model. If another connection writes, does nothing instead of waiting.
    private func remember(_ metadata: StoreMetadata, _ connection: Connection) throws -> StoreMetadata {
        do {
            return try connection.transaction {
                var metadata = metadata
                try metadata.writeSchemaVersion(to: connection)
                return metadata
            }
        } catch let error as SQLiteError where error.code == SQLITE_BUSY {
            // The next opening compares again.
            return metadata
        }
    }

    // MARK: The transaction

    /// Migrates the store and updates its schema, with the journal that costs less.
    private func change(_ connection: Connection, _ metadata: StoreMetadata) throws -> StoreMetadata {
        // Tables, indexes and triggers are recreated from texts in the file, which may be untrusted.
        try connection.confined {
            // Triggers of an older version may maintain an R-tree that the model no longer has.
            try connection.setTrustsSchema(true)
            let changed = Result { try changeConfined(connection, metadata) }
            try connection.setTrustsSchema(model.needsTrustedSchema)
            return try changed.get()
        }
    }

    private func changeConfined(_ connection: Connection, _ metadata: StoreMetadata) throws -> StoreMetadata {
        if let preparation = try preparationForRollbackJournal(connection, metadata) {
            do {
                let changed = try withRollbackJournal(connection) { try change(connection, preparation) }
                if let changed { return changed }
            } catch is SnapshotNeeded {
                // With the log, another connection sees the earlier state.
            }
        }
        let changed = Result { try change(connection) }
        connection.emptyWriteAheadLog()
        return try changed.get()
    }

    /// Migrates the store and updates its schema, as far as the transaction finds necessary when it has begun.
    private func change(_ connection: Connection, _ preparation: Preparation? = nil) throws -> StoreMetadata {
        monitor.begin(url)
        // The pragma does nothing inside a transaction. Rebuilding a table must not trigger the actions of its foreign
        // keys.
        try connection.execute("PRAGMA foreign_keys = OFF")
        defer { connection.forgetStatements() }
        let result: Result<StoreMetadata, any Error>
        do {
            try begin(connection)
            result = .success(try connection.finishTransaction { try changeAll(connection, preparation) })
        } catch {
            result = .failure(error)
        }
        try connection.execute("PRAGMA foreign_keys = ON")
        return try result.get()
    }

    /// Takes the lock for writing. Usually it waits for another migration, which may take a while.
    private func begin(_ connection: Connection) throws {
        try monitor.checkCancellation()
        do {
            // With a log, this is the same as IMMEDIATE. Without one, it keeps out readers that would block the commit.
            try connection.patiently(monitor, atMost: patience) { try connection.execute("BEGIN EXCLUSIVE") }
        } catch let error as SQLiteError where error.code == SQLITE_BUSY {
            throw StoreError.locked(url, waited: patience, doing: "waiting to migrate the store")
        }
    }

    private func changeAll(_ connection: Connection, _ preparation: Preparation?) throws -> StoreMetadata {
        // Another process may have migrated the store while this one waited.
        guard var metadata = try StoreMetadata(connection) else { throw StoreError.foreignDatabase(url) }
        let source = metadata
        let work =
            if let preparation, try preparation.holds(metadata, connection) {
                preparation.work
            } else {
                try prepare(connection, metadata, hasLog: connection.hasWriteAheadLog)
            }
        let schemaVersion = try connection.integer("PRAGMA schema_version")
        let updater = SchemaUpdater(model: model, url: url, connection: connection)
        guard let current = model.currentVersion, !work.isNothing else { return metadata }
        try makeRoom(work, metadata, connection)
        try metadata.noteUsedIdentifiers(connection)
        let ledger = MigrationLedger(connection: connection, program: options.program)
        var history = try HistoryMigration(model, connection)
        if let rehearsal = work.rehearsal {
            try dropAddedObjects(connection)
            // The migrations were planned for the version's current indexes and triggers, which may differ from the
            // store's.
            if work.isOther { try monitor.watching(connection) { try updater.dropObjects() } }
            if work.isOther, work.isCustom, let objects = rehearsal.startObjects {
                let version = model.versions[rehearsal.chain.start]
                try monitor.watching(connection) { try updater.create(objects, of: version) }
            }
            let runner = MigrationRunner(
                url: url, connection: connection, monitor: monitor, stages: work.stages, firstPart: work.firstPart)
            try runner.run(rehearsal.chain, work.estimate, ledger, &history)
        }
        monitor.update { $0.phase = .updatingSchema }
        try monitor.watching(connection) { try updater.update() }
        try history?.finish()
        if let rehearsal = work.rehearsal {
            try restore(rehearsal.addedObjects, connection)
        } else {
            try ledger.add(.schemaUpdate, from: metadata.versionName, to: current)
        }
        metadata.setVersion(current, of: model)
        if metadata.versionHash != source.versionHash,
            try connection.integer("PRAGMA schema_version") == schemaVersion
        {
            try connection.countSchemaChange()
        }
        try metadata.write(to: connection)
        if work.rehearsal != nil {
            monitor.update { $0.phase = .checking }
            try monitor.watching(connection) {
                try checkReferences(connection, work, from: source.versionName, to: current.name)
            }
        }
        return metadata
    }

    // MARK: Preparing

    /// The work to do on a store.
    struct Work {
        /// The rehearsal of the migration; nil if the store has the current version.
        var rehearsal: MigrationRehearsal?
        /// The reads and writes of the statements before they are collapsed.
        var estimate: MigrationEstimate
        /// The reads and writes if each table is rewritten at most once, which determine the free space.
        var room: MigrationEstimate
        /// The first part of the chain, collapsed.
        var firstPart: MigrationChain.CollapsedPart?
        /// The program's custom stages.
        var stages = MigrationStages()
        /// The differences of the schema, if the store has the current version.
        var comparison: SchemaComparison?
        /// Whether the hash of the store's schema differs from that of its version in the model.
        var isOther: Bool
        /// Whether the store is copied because it follows a log; see ``FollowedCopy``.
        var isFollowing: Bool

        /// Whether custom code runs, which expects triggers to exist.
        var isCustom: Bool { !stages.versions.isEmpty || rehearsal?.chain.hasCustomStatements == true }
        /// Whether there is nothing to do.
        var isNothing: Bool { rehearsal == nil && !isOther && comparison?.isSame ?? true }
    }

    /// Determines the work, and whether it can be done, without changing anything.
    ///
    /// - Parameter hasLog: Whether the work would be done with a write-ahead log.
    func prepare(_ connection: Connection, _ metadata: StoreMetadata, hasLog: Bool = true) throws -> Work {
        let start = try position(of: metadata, in: connection)
        let isOther = metadata.schemaHash != model.versions[start].schemaHash
        let chain = MigrationChain(model, from: start, isTolerant: isOther)
        let isFollowing = try FollowedCopy.isNeeded(connection, metadata)
        if chain.isEmpty {
            let comparison = try SchemaUpdater(model: model, url: url, connection: connection).compare()
            var estimate = try MigrationEstimate(
                comparison.objectsToCreate.compactMap { comparison.expected.objects[$0]?.work }, connection,
                hasLog: hasLog)
            try estimate.addRebuilding(of: comparison.tablesToRebuild)
            return Work(
                rehearsal: nil, estimate: estimate, room: estimate, comparison: comparison, isOther: isOther,
                isFollowing: isFollowing)
        }
        let stages = try MigrationStages(options.plan, of: model, from: start, url)
        let rehearsal = try MigrationRehearsal(
            chain, of: url, connection, isTolerant: isOther, defersRemovals: options.defersRemovals)
        let estimate = try MigrationEstimate(rehearsal.chain.work, connection, hasLog: hasLog)
        let firstPart = try rehearsal.chain.parts(borders: stages.versions).first.map {
            try rehearsal.chain.collapse($0, on: connection)
        }
        return Work(
            rehearsal: rehearsal, estimate: estimate,
            room: try room(rehearsal.chain, firstPart, estimate, connection, hasLog: hasLog), firstPart: firstPart,
            stages: stages,
            comparison: nil, isOther: isOther, isFollowing: isFollowing)
    }

    /// Returns the need of a chain whose first part is collapsed. The other parts are estimated before they are
    /// collapsed, because their tables do not exist yet.
    private func room(
        _ chain: MigrationChain, _ firstPart: MigrationChain.CollapsedPart?, _ estimate: MigrationEstimate,
        _ connection: Connection, hasLog: Bool
    ) throws(SQLiteError) -> MigrationEstimate {
        guard let firstPart, firstPart.isShorter else { return estimate }
        var whole = chain
        whole.steps = firstPart.steps + chain.steps[firstPart.range.upperBound...]
        return try MigrationEstimate(whole.work, connection, hasLog: hasLog)
    }

    /// Throws if there is too little free space for the migration, including the backup.
    func requireRoom(_ work: Work, _ connection: Connection) throws {
        guard options.checksFreeSpace else { return }
        var needs = [(url.deletingLastPathComponent(), work.room.storeBytes)]
        needs.append((FreeSpace.temporaryFolder, work.room.temporaryBytes))
        if let backup = backup(before: work) {
            needs.append((backup.deletingLastPathComponent(), try connection.usedBytes()))
        }
        if work.isFollowing { needs.append((url.deletingLastPathComponent(), try connection.usedBytes())) }
        try freeSpace.require(needs)
    }

    /// Returns the place of the backup, if rows are rewritten.
    private func backup(before work: Work) -> URL? {
        let isRewriting = work.rehearsal != nil || work.comparison?.tablesToRebuild.isEmpty == false
        return isRewriting ? options.backup : nil
    }

    /// Checks the free space, and makes the backup.
    private func makeRoom(_ work: Work, _ metadata: StoreMetadata, _ connection: Connection) throws {
        try requireRoom(work, connection)
        let backup = backup(before: work)
        if backup == nil, !work.isFollowing { return }
        monitor.update { $0.phase = .backingUp }
        let source = StoreFile(url: url)
        if work.isFollowing { try FollowedCopy(of: source).make(metadata.storeIdentifier, monitor) }
        guard let backup else { return }
        try MigrationBackup(
            source: source, target: StoreFile(url: backup), storeIdentifier: metadata.storeIdentifier
        ).make(monitor)
    }

    // MARK: Objects that were added by hand

    /// Drops triggers and views that were added by hand. They must neither run nor prevent changes of tables.
    private func dropAddedObjects(_ connection: Connection) throws(SQLiteError) {
        for object in try MigrationRehearsal.addedObjects(connection).reversed() where object.kind != .index {
            let kind = object.kind == .view ? "VIEW" : "TRIGGER"
            try connection.execute("DROP \(kind) \(object.name.quotedIdentifier)")
        }
    }

    /// Recreates the objects that were added by hand, as the rehearsal determined.
    private func restore(_ objects: [MigrationRehearsal.AddedObject], _ connection: Connection) throws {
        let present = Set(try MigrationRehearsal.addedObjects(connection).map(\.name))
        for object in objects where !present.contains(object.name) {
            do {
                try connection.make(object.definition, of: url)
            } catch let error as SQLiteError {
                guard error.code == SQLITE_ERROR || error.code == SQLITE_CONSTRAINT else { throw error }
                throw StoreError.migrationObstructed(
                    url, object: "the \(object.kind) \(object.name)", reason: error.message)
            }
        }
    }

    // MARK: Afterwards

    /// Throws if the migration broke references. References that were already broken do not prevent it.
    private func checkReferences(
        _ connection: Connection, _ work: Work, from: String, to: String
    ) throws {
        let tables = work.stages.versions.isEmpty ? work.estimate.writtenTables : nil
        let found = try ReferenceCheck(of: tables, orTo: work.estimate.reducedTables, connection)
        if found.dangling.isEmpty { return }
        if try !connection.hasWriteAheadLog { throw SnapshotNeeded() }
        // Another connection still sees the earlier state of the store.
        let before = try ReferenceCheck(of: nil, Connection(path: url.path, flags: SQLITE_OPEN_READWRITE))
        let broken = found.tablesWithMore(than: before)
        if !broken.isEmpty { throw StoreError.migrationBrokeReferences(url, from: from, to: to, tables: broken) }
    }
}

extension StoreMigrator {
    /// Creates the migrator of a store with all or some of a model's entities.
    package init(
        of metadata: StoreMetadata, _ content: StoreContent, _ configuration: ModelConfiguration, isWritable: Bool,
        monitor: MigrationMonitor
    ) throws(StoreError) {
        self.init(
            model: try content.model(for: metadata, at: configuration.url, isWritable: isWritable),
            url: configuration.url, isWritable: isWritable, options: configuration.migration,
            busyTimeout: configuration.options.busyTimeout, monitor: monitor)
    }
}
