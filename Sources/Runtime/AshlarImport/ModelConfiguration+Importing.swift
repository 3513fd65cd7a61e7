public import Ashlar
public import SystemFoundation

extension ModelConfiguration {
    /// The store of Core Data or SwiftData that is imported if this store does not exist yet; nil imports none.
    ///
    ///     configuration.importing = StoreImport(url: oldURL)
    ///
    /// It may be the file at ``url`` itself. The old store is not changed. If there is no old store either, the new one
    /// begins empty. Stores in memory and read-only stores import nothing. ``ModelContainer/importReports`` has the
    /// report. If the old store cannot be imported, opening throws ``/AshlarImport/ImportError``.
    /// ``ModelContainer/removeImportedStore(for:)`` removes the old store.
    public var importing: StoreImport? {
        get { storeImport?.base as? StoreImport }
        set { storeImport = newValue.map { AnyStoreImport($0) } }
    }

    /// Creates the configuration of a store in a file, into which a store of Core Data or SwiftData is imported.
    ///
    ///     let configuration = ModelConfiguration(url: url, importing: oldURL)
    ///
    /// - Parameters:
    ///   - name: The configuration's name. It defaults to the file's name without its extension.
    ///   - configuration: The configuration of the model whose entities the store holds.
    ///   - url: The file. Its folder must exist.
    ///   - oldURL: The file of the old store, which is imported if there is no new store yet; see ``importing``.
    ///   - allowsSave: Whether the store may be created, migrated and written.
    ///   - options: The options of SQLite and of the history.
    public init(
        _ name: String? = nil, configuration: ModelDescription.Configuration? = nil, url: URL,
        importing oldURL: URL?, allowsSave: Bool = true, options: StoreOptions = StoreOptions()
    ) {
        self.init(name, configuration: configuration, url: url, allowsSave: allowsSave, options: options)
        importing = oldURL.map { StoreImport(url: $0) }
    }
}

extension StoreImport: StoreImporting {
    package func makeStore(
        of configuration: ModelConfiguration, _ content: StoreContent, _ monitor: MigrationMonitor
    ) throws -> (any Sendable)? {
        try StoreImporter(content: content, configuration: configuration, source: self, monitor: monitor)
            .importIfNeeded()
    }
}
