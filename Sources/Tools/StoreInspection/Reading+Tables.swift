import Ashlar
import AshlarSQLite
import CoreDataStore
import SQLQuoting

extension StoreInspector.Reading {
    /// Reads the metadata, and determines the program that wrote the file.
    mutating func readMetadata() throws {
        if let metadata = try StoreMetadata(connection) {
            result.kind = .ashlar
            result.identifier = metadata.storeIdentifier
            result.modelName = metadata.modelName
            result.modelVersion = metadata.versionName
            result.userKeys = try connection.rows(
                """
                SELECT substr("key", 6) FROM "ashlar$metadata" WHERE "key" >= 'user:' AND "key" < 'user;' ORDER BY "key"
                """
            ).compactMap { if case .text(let key) = $0[0] { key } else { nil } }
        } else if try connection.isCoreDataStore() {
            result.kind = .coreData
            let metadata = try CoreDataMetadata(connection)
            let names = metadata.versionIdentifiers
            if !names.isEmpty, names.allSatisfy(Self.isVersionOfSwiftData),
                metadata.frameworkVersion ?? 0 >= Self.firstFrameworkOfSwiftData,
                catalogue.table(named: "ATRANSACTION") != nil
            {
                result.kind = .swiftData
            }
            result.identifier = metadata.storeIdentifier
            result.versionIdentifiers = names
            result.frameworkVersion = metadata.frameworkVersion
            result.userKeys = metadata.userKeys
        } else if catalogue.tables.isEmpty {
            result.kind = .empty
        }
    }

    /// Releases of Core Data before that of iOS 17 have smaller numbers, and no SwiftData above them.
    private static let firstFrameworkOfSwiftData = 1300

    /// `Schema.Version` has three numbers. So have versions of some Core Data models.
    private static func isVersionOfSwiftData(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// Reads the tables, except the shadow tables of virtual tables.
    mutating func readTables() {
        result.views = catalogue.schema.objects(.view).map(\.name).sorted()
        result.triggers = catalogue.schema.objects(.trigger).count
        for table in catalogue.tables where table.kind != .shadow {
            let size = sizes?[table.name]
            var found = StoreInspection.Table(
                name: table.name, role: role(of: table), bytes: size?.bytes, overflowBytes: size?.overflow)
            trying("the number of rows of \(table.name)") { reading in
                found.rows = try reading.connection.integer(
                    "SELECT count(*) FROM main.\(SQLQuotation.identifier(table.name))")
            }
            result.tables.append(found)
        }
    }

    func role(of table: Catalogue.Table) -> StoreInspection.Table.Role {
        if table.kind == .virtual {
            let sql = table.sql.lowercased()
            return sql.contains("using rtree") ? .rtree : sql.contains("using fts") ? .fullText : .other
        }
        let name = table.name
        if name.hasPrefix("sqlite_") { return .internal }
        switch result.kind {
        case .ashlar:
            if Self.historyTables.contains(name) { return .history }
            if name.hasPrefix("ashlar$") { return .internal }
            if table.columns.contains("id$") { return .objects }
            return table.columns.contains("source$") ? .pairs : .internal
        case .coreData, .swiftData:
            if ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(name) { return .history }
            if CoreDataLayout.systemColumns.isSubset(of: table.columns) {
                return name.hasPrefix("Z") ? .objects : .internal
            }
            if ["Z_METADATA", "Z_MODELCACHE", "Z_PRIMARYKEY"].contains(name) { return .internal }
            return name.hasPrefix("Z_") ? .pairs : .other
        case .sqlite, .empty: return .other
        }
    }

    private static let historyTables: Set<String> = [
        "ashlar$change", "ashlar$tombstone", "ashlar$transaction", "ashlar$historyEntity", "ashlar$historyColumn",
        "ashlar$historyState",
    ]

    // MARK: Entities

    /// The entities with their objects, by name.
    mutating func readEntities() throws {
        switch result.kind {
        case .ashlar: try readEntitiesOfOurs()
        case .coreData, .swiftData: try readEntitiesOfCoreData()
        case .sqlite, .empty: break
        }
        result.entities.sort { $0.name < $1.name }
    }

    private mutating func readEntitiesOfOurs() throws {
        var rows: [String: (table: String, rows: Int64)] = [:]
        for table in result.tables where table.role == .objects {
            let columns = catalogue.table(named: table.name)?.columns ?? []
            guard columns.contains("entity$") else {
                rows[table.name] = (table.name, table.rows ?? 0)
                continue
            }
            for (name, count) in try counts(by: "entity$", in: table.name) {
                // Objects of the root entity name no entity.
                if name.isNull { rows[table.name] = (table.name, count) }
                if case .text(let name) = name { rows[name] = (table.name, count) }
            }
        }
        for name in try StoreMetadata(connection)?.entityNames ?? [] {
            let isRoot = result.tables.contains { $0.role == .objects && $0.name == name }
            let found = rows[name]
            result.entities.append(
                StoreInspection.Entity(
                    name: name, table: isRoot ? name : found?.table, rows: found?.rows ?? 0,
                    bytes: isRoot ? sizes?[name]?.bytes : nil))
        }
    }

    private mutating func readEntitiesOfCoreData() throws {
        let schema = try CoreDataSchema(connection)
        let names = Dictionary(schema.entities.values.map { ($0.number, $0.name) }) { first, _ in first }
        var rows: [Int64: Int64] = [:]
        for table in result.tables where table.role == .objects {
            for (number, count) in try counts(by: "Z_ENT", in: table.name) {
                if case .integer(let number) = number { rows[number, default: 0] += count }
            }
        }
        for entity in schema.entities.values {
            var root = entity
            // A chain that leads back to itself was not made by Core Data.
            for _ in 0..<schema.entities.count {
                guard let parent = names[root.parentNumber].flatMap({ schema.entities[$0] }) else { break }
                root = parent
            }
            let table = CoreDataLayout.tableName(ofRoot: root.name)
            let isThere = schema.tables[table] != nil
            result.entities.append(
                StoreInspection.Entity(
                    name: entity.name, parent: names[entity.parentNumber], table: isThere ? table : nil,
                    rows: rows[entity.number] ?? 0, bytes: root.name == entity.name ? sizes?[table]?.bytes : nil))
        }
    }

    private func counts(by column: String, in table: String) throws(SQLiteError) -> [(SQLiteValue, Int64)] {
        let column = SQLQuotation.identifier(column)
        return try connection.rows(
            "SELECT \(column), count(*) FROM main.\(SQLQuotation.identifier(table)) GROUP BY \(column)"
        ).map { row in
            guard case .integer(let count) = row[1] else { return (row[0], 0) }
            return (row[0], count)
        }
    }
}
