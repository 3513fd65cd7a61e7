package import AshlarSQLite
package import SystemFoundation

/// Keeps large values in files for who writes a store by statements of its own, in one transaction, as saves keep them.
package final class LargeValueFiles {
    private let writer: ExternalDataWriter

    /// Nil for a store in memory, whose values all belong into their rows.
    package init?(of connection: Connection) {
        guard let folder = ExternalDataFolder(of: connection.database) else { return nil }
        writer = ExternalDataWriter(folder: folder, threshold: ModelConfiguration.usualExternalStorageThreshold)
    }

    /// Writes a value into a file, and returns the bytes that its column holds, to be bound as they are; nil for one that
    /// belongs into its row.
    ///
    /// - Throws: ``ExternalDataError``.
    package func write(_ value: Data) throws -> Data? {
        guard let reference = try writer.write(value) else { return nil }
        writer.confirm()
        return reference
    }

    /// The transaction is about to be committed.
    ///
    /// - Throws: ``ExternalDataError`` where the disk does not have all of it.
    package func synchronize() throws { try writer.synchronize() }

    /// The transaction is committed.
    package func finish(_ connection: Connection) { writer.finish(connection) }

    /// The transaction was undone: the files go. Where that is not certain they stay until the store is next opened.
    package func rollBack(isCertain: Bool) { writer.rollBack(isCertain: isCertain) }
}
