public import Foundation

/// Why a store could not be opened, read or written. Whatever it says, the file is as it was.
public enum StoreError: Error, Sendable {
    /// The SQLite library on this machine is older than Ashlar needs.
    case sqliteTooOld(found: String, needed: String)
    /// The folder of the store does not exist or cannot be written.
    case missingFolder(URL)
    /// There is no file, and the configuration does not allow saving, so none was made.
    case missingFile(URL)
    /// The file cannot be read.
    case unreadable(URL, reason: String)
    /// The file is no SQLite database.
    case notADatabase(URL)
    /// The file ends too early: it was copied or written in part.
    case truncated(URL, length: UInt64, expected: UInt64)
    /// The file is an SQLite database that another program made.
    case foreignDatabase(URL)
    /// The store belongs to another model.
    case otherModel(URL, found: String, expected: String)
    /// The store was written by a newer release of Ashlar.
    case newerFormat(URL, found: Int, supported: Int)
    /// The store's version of the model is none that this program knows: it may be newer than the program.
    case unknownVersion(URL, version: String, differences: [String])
    /// The store must be migrated, or written, and cannot be: its file, its folder or the configuration forbids it.
    case readOnly(URL, reason: String)
    /// An object stands in the way of a migration: it has no value for what became required, say.
    case migrationRefused(URL, from: String, to: String, entity: String, rowID: Int64, reason: String)
    /// A step of a migration failed, and the store was left as it was.
    case migrationFailed(URL, from: String, to: String, error: SQLiteError)
    /// The rows that a migration made break relationships, so that it was undone.
    case migrationBrokeReferences(URL, from: String, to: String, tables: [String])
    /// A column of a row holds no value of its property's type.
    case invalidValue(entity: String, property: String, rowID: Int64, expected: String)
    /// SQLite failed while something was done.
    case sqlite(SQLiteError, doing: String)
    /// The object that an identifier names is not in the store.
    case missingObject(PersistentIdentifier)
}

extension StoreError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .sqliteTooOld(let found, let needed):
            "SQLite \(found) is too old: Ashlar needs \(needed) or later. Install a newer libsqlite3."
        case .missingFolder(let url):
            "The folder \(url.deletingLastPathComponent().path) does not exist or cannot be written, so the store "
                + "\(url.lastPathComponent) was not made. Create the folder first."
        case .missingFile(let url):
            "There is no store at \(url.path), and the configuration does not allow saving, so none was made."
        case .unreadable(let url, let reason):
            "The store \(url.path) cannot be read: \(reason). Check the permissions of the file and its folders."
        case .notADatabase(let url):
            "\(url.path) is not an SQLite database. It was left as it is; choose another place for the store."
        case .truncated(let url, let length, let expected):
            "The store \(url.path) is damaged: it has \(length) of its \(expected) bytes. It was left as it is; "
                + "put a backup in its place."
        case .foreignDatabase(let url):
            "\(url.path) is an SQLite database of another program. It was left as it is; choose another place."
        case .otherModel(let url, let found, let expected):
            "The store \(url.path) belongs to the model \(found), not to \(expected)."
        case .newerFormat(let url, let found, let supported):
            "The store \(url.path) has format \(found); this program reads formats up to \(supported). Update it."
        case .unknownVersion(let url, let version, let differences):
            "The store \(url.path) was made with the version \"\(version)\" of its model, which this program does not "
                + "know. It may be newer than the program." + differences.map { "\n  \($0)" }.joined()
        case .readOnly(let url, let reason): "The store \(url.path) cannot be written: \(reason)."
        case .migrationRefused(let url, let from, let to, let entity, let rowID, let reason):
            "The migration of \(url.path) from \"\(from)\" to \"\(to)\" was refused because of row \(rowID) of "
                + "\(entity): \(reason). The store was left as it was."
        case .migrationFailed(let url, let from, let to, let error):
            "The migration of \(url.path) from \"\(from)\" to \"\(to)\" failed and was undone. \(error)"
        case .migrationBrokeReferences(let url, let from, let to, let tables):
            "The migration of \(url.path) from \"\(from)\" to \"\(to)\" was undone: it would leave rows of "
                + "\(tables.joined(separator: ", ")) that refer to missing rows."
        case .invalidValue(let entity, let property, let rowID, let expected):
            "\(entity).\(property) of row \(rowID) does not hold \(expected)."
        case .sqlite(let error, let doing): "\(error) (while \(doing))"
        case .missingObject(let identifier): "There is no object \(identifier) in the store."
        }
    }
}
