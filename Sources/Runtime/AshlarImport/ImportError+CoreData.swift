import Ashlar
import AshlarSQLite
import CoreDataStore
import SystemFoundation

extension ImportError {
    /// Returns the import's error for an error of reading an old store.
    static func reading(_ url: URL, _ error: any Error) -> any Error {
        switch error {
        case CoreDataStoreError.notACoreDataStore:
            return ImportError(
                .notACoreDataStore, url,
                "it has not the tables of a store that Core Data wrote. Give the file that the app opened.")
        case CoreDataStoreError.unusableTable(let table, let reason):
            return ImportError(.damaged, url, "\(table) is not a table of Core Data, as \(reason).")
        case CoreDataStoreError.invalidEntityTable(let reason), CoreDataStoreError.invalidMetadata(let reason):
            return ImportError(.damaged, url, "\(reason).")
        case CoreDataStoreError.unusableHistory(let reason):
            return ImportError(.damaged, url, "\(reason). Import it without its history (includesHistory).")
        case let error as SQLiteError:
            return sqlite(url, error)
        default: return error
        }
    }

    /// Returns the import's error for SQLite's error about an old store.
    private static func sqlite(_ url: URL, _ error: SQLiteError) -> any Error {
        switch error.code {
        case SQLITE_BUSY: return StoreError(error, url, doing: "reading the store to import")
        case SQLITE_NOTADB:
            var result = ImportError(.notACoreDataStore, url, "it is not an SQLite database.")
            result.sqliteError = error
            return result
        case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_AUTH, SQLITE_MISMATCH, SQLITE_TOOBIG, SQLITE_RANGE:
            var result = ImportError(
                .damaged, url,
                "SQLite cannot read it (\(error.message)). Restore it from a backup, or recover it first.")
            result.sqliteError = error
            return result
        default: return StoreError(error, url, doing: "importing the store")
        }
    }

    /// The error for a store that matches no version of the model.
    static func unknownVersion(
        _ url: URL, _ nearest: [CoreDataVersion.Difference], versionNames: [String]
    ) -> ImportError {
        var error = ImportError(
            .unknownVersion, url,
            "it matches none of the program's versions: \(versionNames.joined(separator: ", ")). Add its version to the "
                + "model's bundle. If the bundle has it, take 'oldestVersion' out of ashlar.json and say how that version becomes "
                + "the next, or import with the model that the store was written with.")
        error.nearest = nearest.map {
            VersionDifference(version: versionNames[$0.position], differences: $0.differences.map(\.text))
        }
        return error
    }
}

extension CoreDataDifference {
    /// The difference in words.
    fileprivate var text: String {
        switch self {
        case .missingEntity(let name): "the store has no entity \(name)"
        case .unknownEntity(let name): "the store has an entity \(name)"
        case .otherParent(let entity): "\(entity) is below another entity in the store"
        case .missingTable(let name): "the store has no table \(name)"
        case .unknownTable(let name): "the store has a table \(name)"
        case .unusableTable(let name, let reason): "\(name) is not a table of Core Data, as \(reason)"
        case .missingColumn(let table, let column): "the store has no column \(column) in \(table)"
        case .unknownColumn(let table, let column): "the store has a column \(column) in \(table)"
        case .missingJoinTable(let entity, let relationship): "the store has no table for \(entity).\(relationship)"
        }
    }
}
