import AshlarSQLite
import SystemFoundation

extension ModelContainer {
    /// Creates an empty store by a model description, which needs no classes, for callers that write rows with SQL.
    ///
    /// - Throws: ``StoreError``, for example if a file exists.
    package static func makeStore(at url: URL, for model: ModelDescription) throws {
        if FileSystem.exists(url.path) { throw StoreError.fileExists(url) }
        _ = try StoreOpener(
            StoreContent(allOf: model), ModelConfiguration(url: url), monitor: MigrationMonitor(report: nil)
        ).open()
    }
}
