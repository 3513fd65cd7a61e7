import AshlarSQLite
import FileErrors
import SQLQuoting
import SystemFoundation

/// The metadata of a store of Core Data, in its table `Z_METADATA`.
package struct CoreDataMetadata: Sendable, Hashable {
    /// The store's UUID, which is in the URI of each of its objects.
    package var storeIdentifier: String
    /// The names that the model's author gave the version: `1.0.0` in a store of SwiftData, usually none in others.
    package var versionIdentifiers: [String]
    /// The names of the entities that the metadata has hashes of.
    package var entityNames: Set<String>
    /// The number of the release of Core Data that wrote the metadata.
    package var frameworkVersion: Int?
    /// The names of the values that the program itself keeps there.
    package var userKeys: [String]

    /// Reads the metadata of a store.
    ///
    /// - Throws: ``CoreDataStoreError/invalidMetadata(_:)`` if it is invalid, or `SQLiteError`.
    package init(_ connection: Connection, in schemaName: String = "main") throws {
        let table =
            "\(SQLQuotation.identifier(schemaName)).\(SQLQuotation.identifier(CoreDataSchema.metadataTable))"
        let rows = try connection.rows("SELECT \"Z_UUID\", \"Z_PLIST\" FROM \(table) ORDER BY \"Z_VERSION\" LIMIT 2")
        guard rows.count == 1 else {
            throw CoreDataStoreError.invalidMetadata("it has \(rows.isEmpty ? "no row" : "more than one row")")
        }
        guard case .text(let identifier) = rows[0][0], UUID(uuidString: identifier) != nil else {
            throw CoreDataStoreError.invalidMetadata("Z_UUID is not a UUID")
        }
        guard case .blob(let bytes) = rows[0][1] else {
            throw CoreDataStoreError.invalidMetadata("Z_PLIST is not a property list")
        }
        let values: Values
        do {
            values = try PropertyListDecoder().decode(Values.self, from: bytes)
        } catch DecodingError.typeMismatch {
            throw CoreDataStoreError.invalidMetadata("Z_PLIST is not a dictionary")
        } catch {
            throw CoreDataStoreError.invalidMetadata("Z_PLIST is not a property list: \(FileErrorReason.text(error))")
        }
        storeIdentifier = identifier
        versionIdentifiers = values.versionIdentifiers.filter { !$0.isEmpty }
        entityNames = values.entityNames
        frameworkVersion = values.frameworkVersion
        userKeys = values.keys.filter { !$0.hasPrefix("NS") && !$0.hasPrefix("_NS") }.sorted()
    }
}

/// The decoded part of the property list. A value of an unexpected type is ignored.
private struct Values: Decodable {
    private(set) var keys: [String] = []
    private(set) var versionIdentifiers: [String] = []
    private(set) var entityNames: Set<String> = []
    private(set) var frameworkVersion: Int?

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A text among other values.
    private struct Text: Decodable {
        var text: String?

        init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        keys = values.allKeys.map(\.stringValue)
        let identifiers = try? values.decode([Text].self, forKey: Key(stringValue: "NSStoreModelVersionIdentifiers"))
        versionIdentifiers = identifiers?.compactMap(\.text) ?? []
        let hashes = try? values.nestedContainer(
            keyedBy: Key.self, forKey: Key(stringValue: "NSStoreModelVersionHashes"))
        entityNames = Set(hashes?.allKeys.map(\.stringValue) ?? [])
        let version = Key(stringValue: "NSPersistenceFrameworkVersion")
        frameworkVersion =
            (try? values.decode(Int.self, forKey: version))
            ?? (try? values.decode(Double.self, forKey: version)).flatMap { Int(exactly: $0.rounded(.towardZero)) }
    }
}
