import AshlarSQLite
import FileErrors
import Foundation
import SQLQuoting

/// What a store that Core Data wrote says of itself, in its table `Z_METADATA`.
package struct CoreDataMetadata: Sendable, Hashable {
    /// The store's UUID, which is in the URI of each of its objects.
    package var storeIdentifier: String
    /// What the model's author called the version: `1.0.0` in a store of SwiftData's, mostly nothing in others.
    package var versionIdentifiers: [String]
    /// The names of the entities that the metadata has hashes of.
    package var entityNames: Set<String>
    /// The number of the release of Core Data that wrote the metadata.
    package var frameworkVersion: Int?
    /// The names of what the program itself keeps there.
    package var userKeys: [String]

    /// Reads the metadata of a store. Throws ``CoreDataStoreError/invalidMetadata(_:)`` for what is none.
    package init(_ connection: Connection, in schemaName: String = "main") throws {
        let table =
            "\(SQLQuotation.identifier(schemaName)).\(SQLQuotation.identifier(CoreDataSchema.metadataTable))"
        let rows = try connection.rows("SELECT \"Z_UUID\", \"Z_PLIST\" FROM \(table) ORDER BY \"Z_VERSION\" LIMIT 2")
        guard rows.count == 1 else {
            throw CoreDataStoreError.invalidMetadata("it has \(rows.isEmpty ? "no row" : "more than one row")")
        }
        guard case .text(let identifier) = rows[0][0], UUID(uuidString: identifier) != nil else {
            throw CoreDataStoreError.invalidMetadata("Z_UUID is no UUID")
        }
        guard case .blob(let bytes) = rows[0][1] else {
            throw CoreDataStoreError.invalidMetadata("Z_PLIST is no property list")
        }
        let list: Any
        do {
            list = try PropertyListSerialization.propertyList(from: bytes, options: [], format: nil)
        } catch {
            throw CoreDataStoreError.invalidMetadata("Z_PLIST is no property list: \(FileErrorReason.text(error))")
        }
        guard let values = list as? [String: Any] else {
            throw CoreDataStoreError.invalidMetadata("Z_PLIST is no dictionary")
        }
        storeIdentifier = identifier
        versionIdentifiers = (values["NSStoreModelVersionIdentifiers"] as? [Any] ?? []).compactMap { $0 as? String }
            .filter { !$0.isEmpty }
        entityNames = Set((values["NSStoreModelVersionHashes"] as? [String: Any] ?? [:]).keys)
        frameworkVersion = (values["NSPersistenceFrameworkVersion"] as? NSNumber)?.intValue
        userKeys = values.keys.filter { !$0.hasPrefix("NS") && !$0.hasPrefix("_NS") }.sorted()
    }
}
