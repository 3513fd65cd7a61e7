package import AshlarSQLite
package import SystemFoundation

/// Stores large values in files, as saves do, for callers that write a store with their own statements in one
/// transaction.
package final class LargeValueFiles {
    private let writer: ExternalDataWriter

    /// Nil for a store in memory, whose rows hold all values.
    package init?(of connection: Connection) {
        guard let folder = ExternalDataFolder(of: connection.database) else { return nil }
        writer = ExternalDataWriter(folder: folder, threshold: ModelConfiguration.usualExternalStorageThreshold)
    }

    /// Writes a value into a file, and returns the bytes to bind to its column without a tag; nil for a value that is
    /// small enough for its row.
    ///
    /// - Throws: ``ExternalDataError``.
    package func write(_ value: Data) throws -> Data? {
        guard let reference = try writer.write(value) else { return nil }
        writer.confirm()
        return reference
    }

    /// Writes the names of the files to the disk. Call it before the commit.
    ///
    /// - Throws: ``ExternalDataError`` if that fails.
    package func synchronize() throws { try writer.synchronize() }

    /// Deletes the files without references. Call it after the commit.
    package func finish(_ connection: Connection) { writer.finish(connection) }

    /// Deletes the files of a transaction that was rolled back. If that is not certain, they stay until the store is
    /// next opened.
    package func rollBack(isCertain: Bool) { writer.rollBack(isCertain: isCertain) }
}
