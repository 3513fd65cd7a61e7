import AshlarSQLite
import SystemFoundation

/// A check of the files of a store's large values.
package struct LargeValueCheck {
    /// A value whose file is not there, or not as it was written.
    package struct Problem {
        package var table: String
        package var column: String
        /// Nil in a table without `id$`.
        package var rowID: Int64?
        package var path: String
        /// Such as `is missing`.
        package var text: String
    }

    private let folder: ExternalDataFolder

    /// - Parameter path: The path of the store's file, which need not be the one that is read.
    package init(storePath path: String) { folder = ExternalDataFolder(storePath: path) }

    /// Whether somebody writes files at this moment, or was killed while doing so.
    package var isWritten: Bool { ExternalDataWriter(folder: folder, threshold: .max).hasMarkers }

    /// The names of the files.
    package func names() throws -> Set<String> { try folder.names() }

    package func file(_ name: String) -> URL { folder.file(name) }

    /// Looks at all files that rows refer to.
    ///
    /// - Parameters:
    ///   - names: The files that are there, of which those are left afterwards that no row refers to.
    ///   - body: Is called with each that is missing or has another length.
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

    /// Returns whether a blob that begins as a reference to a file is one.
    package static func isReference(_ blob: Data) -> Bool {
        blob.withUnsafeBytes { TaggedBlob.reference($0) } != nil
    }
}
