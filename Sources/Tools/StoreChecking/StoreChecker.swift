import Ashlar
import AshlarSQLite
import Foundation

/// Finds data of a store that violates the model.
package struct StoreChecker: Sendable {
    /// The result of the checks.
    package struct Result: Sendable {
        package var findings: [StoreFinding]
        /// The parts that were not checked, with the reasons.
        package var notes: [String]
        /// The files of large values that no row refers to; nil if these were not searched.
        var unusedFiles: Set<String>?

        package var isDamaged: Bool { findings.contains { $0.kind == .damagedFile } }
    }

    let model: CheckedModel

    package init(_ model: CheckedModel) { self.model = model }

    /// Checks a store as it is at one moment, and changes nothing. Writers are not kept waiting.
    ///
    /// - Throws: `StoreError` if the file cannot be read or is not a store of the version.
    package func check(_ url: URL) throws -> Result {
        let file = try UnchangedFile(url, copyingInto: FileManager.default.temporaryDirectory)
        do {
            let names = try LargeValueCheck(storePath: url.path).names()
            let result = try withExtendedLifetime(file) {
                let connection = try file.connect()
                try connection.execute("BEGIN")
                return try check(connection, url, files: names)
            }
            try file.requireUnchanged(doing: "checking the store")
            return result
        } catch let error as SQLiteError {
            try file.requireWhole()
            throw StoreError(error, url, doing: "checking the store")
        }
    }

    /// Checks the data that a connection reads in its transaction.
    ///
    /// - Parameter isLocked: Whether no other connection can write meanwhile.
    package func check(_ connection: Connection, _ url: URL, files: Set<String>, isLocked: Bool = false) throws
        -> Result
    {
        guard let metadata = try StoreMetadata(connection) else { throw StoreError.foreignDatabase(url) }
        let store = CheckedStore(model, connection, path: url.path, metadata, files: files, isLocked: isLocked)
        let steps: [any StoreCheckStep] = [
            FileCheck(), SchemaCheck(), NumberCheck(), ValueCheck(), ReferenceCheck(), UniquenessCheck(),
            ComputedCheck(),
            StoredHistoryCheck(), LargeValuesCheck(),
        ]
        for step in steps {
            do {
                try step.run(store)
            } catch let error as SQLiteError {
                guard error.code == SQLITE_CORRUPT || error.code == SQLITE_NOTADB else { throw error }
                store.add(
                    StoreFinding(
                        kind: .damagedFile,
                        text: "The check of \(step.subject) could not read everything: \(error.message).",
                        remedy: FileCheck.remedy))
            }
        }
        return Result(findings: store.findings, notes: store.notes, unusedFiles: store.unusedFiles)
    }
}
