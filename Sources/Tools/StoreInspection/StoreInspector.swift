import Ashlar
import AshlarSQLite
import CoreDataStore
import FileErrors
import Foundation
import IndexAdvice

/// Inspects a database's file without changing it.
package struct StoreInspector {
    /// Whether everything that reads the whole file is left out: the bytes of tables and indexes, and SQLite's checks.
    package var isQuick = false
    /// The statements of a program, whose use of indexes is reported.
    package var recording: StatementRecording?

    package init() {}

    /// Inspects a file.
    ///
    /// - Throws: `StoreError` if there is no file, if it is not a database, or if its schema cannot be read. Other
    ///   parts that cannot be read are among the result's problems.
    package func inspect(_ url: URL) throws -> StoreInspection {
        let file = try UnchangedFile(url, copyingInto: FileManager.default.temporaryDirectory)
        do {
            let result = try withExtendedLifetime(file) {
                let connection = try file.connect()
                // The facts are all from one moment.
                try connection.execute("BEGIN")
                var reading = Reading(file: file, connection: connection, catalogue: try Catalogue(connection))
                try fill(&reading)
                return reading.result
            }
            try file.requireUnchanged(doing: "looking into the store")
            return result
        } catch let error as SQLiteError {
            try file.requireWhole()
            throw StoreError(error, url, doing: "looking into the file")
        }
    }

    /// The data to read, and its source.
    struct Reading {
        let file: UnchangedFile
        let connection: Connection
        let catalogue: Catalogue
        var sizes: PageSizes?
        var result: StoreInspection

        init(file: UnchangedFile, connection: Connection, catalogue: Catalogue) {
            self.file = file
            self.connection = connection
            self.catalogue = catalogue
            result = StoreInspection(kind: .sqlite, bytes: file.byteCount() ?? 0)
        }

        /// Runs a closure, and records the error if a fact cannot be determined.
        mutating func trying(_ what: String, _ body: (inout Reading) throws -> Void) {
            do {
                try body(&self)
            } catch {
                if let error = error as? SQLiteError, error.code == SQLITE_CORRUPT || error.code == SQLITE_NOTADB {
                    result.isDamaged = true
                }
                result.problems.append("Cannot read \(what): \(StoreInspector.reason(error)).")
            }
        }
    }

    private func fill(_ reading: inout Reading) throws {
        reading.trying("the store's metadata") { try $0.readMetadata() }
        if !isQuick {
            reading.trying("the sizes of its tables and indexes") {
                guard try PageSizes.areKnown($0.connection) else {
                    $0.result.problems.append(
                        "The sizes of its tables and indexes are unknown, as this SQLite is compiled without dbstat."
                    )
                    return
                }
                $0.sizes = try PageSizes($0.connection, $0.catalogue)
            }
        }
        reading.trying("its pages") { try $0.readPages() }
        reading.readTables()
        reading.trying("its entities") { try $0.readEntities() }
        reading.trying("its indexes") { try $0.readIndexes(recording) }
        reading.trying("its history") { try $0.readHistory() }
        reading.trying("its files of large values") { try $0.readExternalData() }
        if !isQuick { reading.trying("the results of SQLite's checks") { try $0.checkIntegrity() } }
    }

    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as SQLiteError: error.message
        case CoreDataStoreError.notACoreDataStore: "it is not a store of Core Data"
        case CoreDataStoreError.unusableTable(let table, let reason):
            "\(table) is not a table of Core Data, as \(reason)"
        case CoreDataStoreError.invalidEntityTable(let reason), CoreDataStoreError.invalidMetadata(let reason),
            CoreDataStoreError.unusableHistory(let reason):
            reason
        default: FileErrorReason.text(error)
        }
    }
}
