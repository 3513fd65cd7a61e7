import AshlarSQLite
import SystemFoundation

/// A check of the files of a store's large values.
package struct LargeValueCheck {
    /// A value whose file is missing or has another length.
    package struct Problem {
        package var table: String
        package var column: String
        /// Nil in a table without `id$`.
        package var rowID: Int64?
        package var path: String
        /// The problem, such as `is missing`.
        package var text: String
    }

    private let folder: ExternalDataFolder

    /// - Parameter path: The path of the store's file, which may differ from that of the file that is read.
    package init(storePath path: String) { folder = ExternalDataFolder(storePath: path) }

    /// Whether a process is writing files, or was killed while it did.
    package var isWritten: Bool { ExternalDataWriter(folder: folder, threshold: .max).hasMarkers }

    /// The names of the files.
    package func names() throws -> Set<String> { try folder.names() }

    package func file(_ name: String) -> URL { folder.file(name) }

    /// Checks all files that rows refer to.
    ///
    /// - Parameters:
    ///   - names: The existing files. Afterwards, those that no row refers to.
    ///   - body: A closure that is called with each file that is missing or has another length.
    package func check(
        _ connection: Connection, unused names: inout Set<String>, _ body: (Problem) throws -> Void
    ) throws {
        var left = names
        try connection.forEachExternalReference(in: "main") { found in
            left.remove(found.reference.name)
            guard let text = folder.problem(of: found.reference) else { return }
            try body(
                Problem(
                    table: found.table, column: found.column, rowID: found.rowID,
                    path: folder.file(found.reference.name).path, text: text))
        }
        names = left
    }

    /// Returns whether a blob that begins like a reference to a file is one.
    package static func isReference(_ blob: Data) -> Bool {
        blob.withUnsafeBytes { TaggedBlob.reference($0) } != nil
    }
}
