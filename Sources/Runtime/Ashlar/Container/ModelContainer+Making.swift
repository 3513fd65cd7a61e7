import AshlarSQLite
import SystemFoundation

extension ModelContainer {
    /// Makes an empty store of a model of which no classes are known, for who writes rows with SQL.
    ///
    /// - Throws: ``StoreError``, also where there is a file already.
    package static func makeStore(at url: URL, for model: ModelDescription) throws {
        if FileSystem.exists(url.path) { throw StoreError.fileExists(url) }
        _ = try StoreOpener(
            StoreContent(allOf: model), ModelConfiguration(url: url), monitor: MigrationMonitor(report: nil)
        ).open()
    }
}
