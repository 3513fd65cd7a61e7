import Foundation

#if canImport(SQLite3)
    import SQLite3
#else
    import CSQLite
#endif

/// Brings a store of an older version up to date: the whole chain in one transaction, or nothing of it.
struct StoreMigrator {
    let model: ModelDescription
    let url: URL
    let isWritable: Bool
    var options = MigrationOptions()
    var busyTimeout: Duration = .seconds(5)
    var monitor = MigrationMonitor()
    var freeSpace = FreeSpace.system

    /// The metadata of the store afterwards. Throws a ``StoreError``, or a `CancellationError`, and leaves the store as it
    /// was then.
    ///
    /// A store that is what it was when it was last compared costs nothing but a look at SQLite's own count of changes
    /// to the schema.
    func bringUpToDate(_ connection: Connection, _ metadata: StoreMetadata) throws -> StoreMetadata {
        let position = try position(of: metadata)
        if let current = model.currentVersion, position < model.versions.count - 1 {
            guard isWritable, options.isAutomatic else {
                throw StoreError.migrationRequired(url, from: metadata.versionName, to: current.name)
            }
            return try change(connection)
        }
        let isCurrent = metadata.schemaHash == model.versions[position].schemaHash
        if isCurrent, try connection.integer("PRAGMA schema_version") == metadata.schemaVersion { return metadata }
        let comparison = try SchemaUpdater(model: model, url: url, connection: connection).compare()
        guard isWritable else { return metadata }
        if !isCurrent || !comparison.isSame { return try change(connection) }
        return try remember(metadata, connection)
    }

    /// Remembers that the schema was found to be right. It is no reason to wait for someone who writes.
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

    /// Migrates the store and updates its schema, as far as either is needed when the transaction has begun.
    private func change(_ connection: Connection) throws -> StoreMetadata {
        monitor.begin(url)
        // The pragma does nothing inside a transaction, and a rebuilt table must not set off its own actions.
        try connection.execute("PRAGMA foreign_keys = OFF")
        defer { connection.forgetStatements() }
        let result: Result<StoreMetadata, any Error>
        do {
            try begin(connection)
            result = .success(try connection.finishTransaction { try changeAll(connection) })
        } catch {
            result = .failure(error)
        }
        try connection.execute("PRAGMA foreign_keys = ON")
        connection.emptyWriteAheadLog()
        return try result.get()
    }

    /// Takes the lock for writing. Who waits for it mostly waits for a migration, which may take a while.
    private func begin(_ connection: Connection) throws {
        let patience = max(busyTimeout, options.waitingTime)
        let start = ContinuousClock.now
        let timeout = try connection.integer("PRAGMA busy_timeout") ?? 0
        sqlite3_busy_timeout(connection.database, 50)
        defer { sqlite3_busy_timeout(connection.database, Int32(clamping: timeout)) }
        while true {
            try monitor.checkCancellation()
            do {
                return try connection.execute("BEGIN IMMEDIATE")
            } catch {
                guard error.code == SQLITE_BUSY else { throw error }
                if ContinuousClock.now - start >= patience {
                    throw StoreError.locked(url, waited: patience, doing: "waiting to migrate the store")
                }
                monitor.update { $0.phase = .waiting }
            }
        }
    }

    private func changeAll(_ connection: Connection) throws -> StoreMetadata {
        // Another process may have done it while this one waited.
        guard var metadata = try StoreMetadata(connection) else { throw StoreError.foreignDatabase(url) }
        let source = metadata
        let work = try prepare(connection, metadata)
        let updater = SchemaUpdater(model: model, url: url, connection: connection)
        guard let current = model.currentVersion, !work.isNothing else { return metadata }
        try makeRoom(work, metadata, connection)
        let ledger = MigrationLedger(connection: connection, program: options.program)
        var history = try HistoryMigration(model, connection)
        if let rehearsal = work.rehearsal {
            try dropAddedObjects(connection)
            // The migrations were planned for the schema that the version has now, which the store's need not be.
            if work.isOther { try monitor.watching(connection) { try updater.dropObjects() } }
            if work.isOther, work.isCustom, let objects = rehearsal.startObjects {
                try monitor.watching(connection) { try updater.create(objects) }
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
        try metadata.write(to: connection)
        if work.rehearsal != nil {
            monitor.update { $0.phase = .checking }
            try monitor.watching(connection) {
                try checkReferences(connection, work, from: source.versionName, to: current.name)
            }
        }
        return metadata
    }

    // MARK: Before anything changes

    /// What a store needs.
    struct Work {
        /// Nil when the store is of the current version.
        var rehearsal: MigrationRehearsal?
        /// What the statements read and write as they are.
        var estimate: MigrationEstimate
        /// What they read and write once each table is rewritten at most once, which is what room is needed for.
        var room: MigrationEstimate
        /// The first part of the chain, collapsed.
        var firstPart: MigrationChain.CollapsedPart?
        /// The code that the program adds.
        var stages = MigrationStages()
        /// How the schema differs, of a store that is of the current version.
        var comparison: SchemaComparison?
        /// Whether the schema has not the hash that its version has now.
        var isOther: Bool

        /// Whether what a person wrote is run, which expects triggers to be there.
        var isCustom: Bool { !stages.versions.isEmpty || rehearsal?.chain.hasCustomStatements == true }
        /// Whether the store is as it should be.
        var isNothing: Bool { rehearsal == nil && !isOther && comparison?.isSame ?? true }
    }

    /// Looks what is to be done, and whether it can be, without changing anything.
    func prepare(_ connection: Connection, _ metadata: StoreMetadata) throws -> Work {
        let start = try position(of: metadata)
        let isOther = metadata.schemaHash != model.versions[start].schemaHash
        let chain = MigrationChain(model, from: start, isTolerant: isOther)
        if chain.isEmpty {
            let comparison = try SchemaUpdater(model: model, url: url, connection: connection).compare()
            var estimate = try MigrationEstimate(
                comparison.objectsToCreate.compactMap { comparison.expected.objects[$0]?.sql }, connection)
            try estimate.addRebuilding(of: comparison.tablesToRebuild)
            return Work(
                rehearsal: nil, estimate: estimate, room: estimate, comparison: comparison, isOther: isOther)
        }
        let stages = try MigrationStages(options.plan, of: model, from: start, url)
        let rehearsal = try MigrationRehearsal(
            chain, of: url, connection, isTolerant: isOther, defersRemovals: options.defersRemovals)
        let estimate = try MigrationEstimate(rehearsal.chain.statements, connection)
        let firstPart = try rehearsal.chain.parts(borders: stages.versions).first.map {
            try rehearsal.chain.collapse($0, on: connection)
        }
        return Work(
            rehearsal: rehearsal, estimate: estimate,
            room: try room(rehearsal.chain, firstPart, estimate, connection), firstPart: firstPart, stages: stages,
            comparison: nil, isOther: isOther)
    }

    /// What the first part of a chain needs once it is collapsed, and the others as they are, whose tables are not there.
    private func room(
        _ chain: MigrationChain, _ firstPart: MigrationChain.CollapsedPart?, _ estimate: MigrationEstimate,
        _ connection: Connection
    ) throws(SQLiteError) -> MigrationEstimate {
        guard let firstPart, firstPart.isShorter else { return estimate }
        let others = chain.steps[firstPart.range.upperBound...]
        return try MigrationEstimate((firstPart.steps + others).map(\.statement.sql), connection)
    }

    /// Sees to it that there is room, and makes the backup.
    private func makeRoom(_ work: Work, _ metadata: StoreMetadata, _ connection: Connection) throws {
        let isRewriting = work.rehearsal != nil || work.comparison?.tablesToRebuild.isEmpty == false
        let backup = isRewriting ? options.backup : nil
        if options.checksFreeSpace {
            var needs = [(url.deletingLastPathComponent(), work.room.storeBytes)]
            needs.append((FreeSpace.temporaryFolder, work.room.temporaryBytes))
            if let backup { needs.append((backup.deletingLastPathComponent(), try connection.usedBytes())) }
            try freeSpace.require(needs)
        }
        guard let backup else { return }
        monitor.update { $0.phase = .backingUp }
        try MigrationBackup(
            source: StoreFile(url: url), target: StoreFile(url: backup), storeIdentifier: metadata.storeIdentifier
        ).make(monitor)
    }

    // MARK: What was added by hand

    /// Drops triggers and views that someone added, which must neither run nor keep tables from being changed.
    private func dropAddedObjects(_ connection: Connection) throws(SQLiteError) {
        for object in try MigrationRehearsal.addedObjects(connection).reversed() where object.kind != .index {
            let kind = object.kind == .view ? "VIEW" : "TRIGGER"
            try connection.execute("DROP \(kind) \(object.name.quotedIdentifier)")
        }
    }

    /// Makes what someone added again, as the rehearsal left it.
    private func restore(_ objects: [MigrationRehearsal.AddedObject], _ connection: Connection) throws {
        let present = Set(try MigrationRehearsal.addedObjects(connection).map(\.name))
        for object in objects where !present.contains(object.name) {
            do {
                try connection.execute(object.sql)
            } catch {
                guard error.code == SQLITE_ERROR || error.code == SQLITE_CONSTRAINT else { throw error }
                throw StoreError.migrationObstructed(
                    url, object: "the \(object.kind) \(object.name)", reason: error.message)
            }
        }
    }

    // MARK: Afterwards

    /// References that led nowhere before do not keep the store from being migrated.
    private func checkReferences(
        _ connection: Connection, _ work: Work, from: String, to: String
    ) throws {
        let tables = work.stages.versions.isEmpty ? work.estimate.writtenTables : nil
        let found = try ReferenceCheck(of: tables, orTo: work.estimate.reducedTables, connection)
        if found.dangling.isEmpty { return }
        // Another connection sees the store as it was before.
        let before = try ReferenceCheck(of: nil, Connection(path: url.path, flags: SQLITE_OPEN_READWRITE))
        let broken = found.tablesWithMore(than: before)
        if !broken.isEmpty { throw StoreError.migrationBrokeReferences(url, from: from, to: to, tables: broken) }
    }
}

extension Connection {
    /// Moves the write-ahead log, which a migration makes long, into the file, unless somebody reads the store.
    fileprivate func emptyWriteAheadLog() {
        guard let timeout = try? integer("PRAGMA busy_timeout") else { return }
        sqlite3_busy_timeout(database, 0)
        // Whatever keeps it from being done, a later checkpoint does it.
        sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        sqlite3_busy_timeout(database, Int32(clamping: timeout))
    }
}
