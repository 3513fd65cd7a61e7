import Ashlar
import AshlarSQLite
import CoreDataStore
import StoreDescription
import SystemFoundation

/// Fills a store of the old store's version, and brings it up to date.
struct ImportedVersion {
    let match: CoreDataVersion
    let content: StoreContent
    let old: CoreDataSource
    let source: StoreImport
    let metadata: CoreDataMetadata
    let configuration: ModelConfiguration
    let monitor: MigrationMonitor
    let isTrial: Bool

    init(
        _ match: CoreDataVersion, of content: StoreContent, importing old: CoreDataSource, as source: StoreImport,
        _ metadata: CoreDataMetadata, into configuration: ModelConfiguration,
        monitor: MigrationMonitor, isTrial: Bool
    ) {
        (self.match, self.content, self.old, self.source) = (match, content, old, source)
        self.metadata = metadata
        (self.configuration, self.monitor, self.isTrial) = (configuration, monitor, isTrial)
    }

    private var model: ModelDescription { content.model }
    private var version: ModelDescription.Version { model.versions[match.position] }
    var url: URL { configuration.url }

    /// Whether the store derives values, so that its triggers must exist before its rows. Otherwise, indexes, triggers
    /// and virtual tables are created after the rows, which takes a third of the time.
    private var derivesValues: Bool {
        match.layout.entities.values.contains { $0.attributes.contains(where: \.isDerived) }
    }

    /// Fills the store, in the transaction that reads the old one, and migrates it.
    ///
    /// - Throws: ``ImportError`` if the old store has data that the version does not allow; the new one is empty then.
    func fill(_ connection: Connection) throws -> ImportReport {
        monitor.update { $0.phase = .importing(version: version.name) }
        var report = ImportReport(source: old.url, storeIdentifier: metadata.storeIdentifier, version: version.name)
        let schema = try ImportedSchema(
            of: model, position: match.position, entities: match.layout.entities, hasObjects: derivesValues,
            importing: old.url)
        let files = ImportedFiles(
            from: old.externalDataFolder, to: ExternalDataFolder(storePath: url.path),
            folder: ImportedFolder(of: StoreFile(url: url).resolved))
        try files.register(on: connection)
        try schema.make(on: connection)
        let filler = ImportFiller(
            match: match, schema: schema, old: old.url, repairs: source.repairsData, files: files,
            connection: connection,
            monitor: monitor)
        let history = try source.includesHistory ? CoreDataHistory(match.layout, match.schema) : nil
        do {
            try filler.fill(&report)
            try history.map { try ImportedHistory($0, on: connection, monitor: monitor).fill(&report) }
            if !source.repairsData, !report.findings.isEmpty { throw invalidData(report) }
            if derivesValues { try filler.compareDerivedValues(&report) }
        } catch {
            // Another version may be tried on the same connection.
            if connection.isInAutocommit == false, error is ImportError { try schema.drop(from: connection) }
            throw error
        }
        report.externalFiles = files.count
        report.externalBytes = files.byteCount
        try filler.restoreMarks(match.schema)
        let stored = try describe(connection)
        try connection.execute("COMMIT")
        try connection.execute("DETACH DATABASE \(CoreDataCopy.sourceName)")
        do {
            try bringUpToDate(connection, stored)
        } catch StoreError.missingMigrationStage(_, _, let version) where isTrial {
            report.missingStage = version
        }
        if history != nil, try ImportedHistory.isLost(connection) {
            report.loseHistory(model.currentVersion?.name ?? "")
            if !source.repairsData { throw lostHistory(report) }
        }
        return report
    }

    private func invalidData(_ report: ImportReport) -> ImportError {
        var error = ImportError(
            .invalidData, old.url,
            "\(report.findingCount) values, references or rows violate the version \"\(report.version)\". Import it "
                + "with repairsData (ashlar import --repair), which repairs each as its line says, or fix them first.")
        error.report = report
        return error
    }

    private func lostHistory(_ report: ImportReport) -> ImportError {
        var error = ImportError(
            .lostHistory, old.url,
            "its history cannot be followed through the migration from \"\(report.version)\". Import it without the history, or "
                + "with repairsData (ashlar import --repair), after which the history begins anew.")
        error.report = report
        return error
    }

    /// Writes the store's metadata. Its schema is not yet that of its version, which the hash shows.
    private func describe(_ connection: Connection) throws -> StoreMetadata {
        try connection.execute("PRAGMA application_id = \(StoreMetadata.applicationIdentifier)")
        var metadata = StoreMetadata(model: model, version: version)
        metadata.storeIdentifier = self.metadata.storeIdentifier
        metadata.entityHashes = version.entityHashes(of: Set(match.layout.entities.keys))
        metadata.schemaHash = ""
        try metadata.write(to: connection)
        try ImportedOrigin(versionHash: version.versionHash).write(to: connection)
        try MigrationLedger(connection: connection, program: configuration.migration.program).add(
            .imported, to: metadata, detail: "from \(old.url.lastPathComponent)")
        return metadata
    }

    private func bringUpToDate(_ connection: Connection, _ stored: StoreMetadata) throws {
        // A migration changes pages that are there by now, which shall not be kept in memory.
        _ = try connection.rows("PRAGMA main.journal_mode = TRUNCATE")
        var configuration = configuration
        // The old store serves as the backup.
        configuration.migration.backup = nil
        _ = try StoreMigrator(of: stored, content, configuration, isWritable: true, monitor: monitor)
            .bringUpToDate(connection, stored)
        _ = try connection.rows("PRAGMA main.journal_mode = MEMORY")
    }
}
