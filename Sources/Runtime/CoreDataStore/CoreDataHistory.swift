import SQLQuoting
import StoreDescription

/// The persistent history of a store: the meaning of the numbers in its rows, and the queries that read them.
///
/// A change has the number of its entity. An update has a bit for each property of the entity, including inherited
/// ones, in the order of their names; the first is the highest bit of the first byte. A deletion keeps the values of
/// the attributes that the model marks for this, also in the order of their names.
package struct CoreDataHistory: Sendable {
    /// The entity that changes in the history refer to.
    package struct Entity: Sendable {
        /// Our table of the objects.
        package var table: String
        /// The value that distinguishes the entity's rows in the table; nil for a root.
        package var discriminator: String?
        /// The properties that the bits of an update stand for, in their order.
        package var properties: [Property]
        /// The attributes whose values a deleted object leaves. Nil if Core Data's format is unknown, as for a
        /// composite, or a value that may be in a file.
        package var preserved: [StoredEntity.Attribute?]
    }

    /// A property with our columns that change with it. A relationship without a column in the table has its own name.
    package struct Property: Sendable, Hashable {
        package var name: String
        package var columns: [String]
    }

    /// The entities, by the numbers that the store has of them.
    package let entities: [Int64: Entity]
    /// The query for the transactions, in their order. It returns a number and a time. Then it returns, for each of
    /// author, context, bundle and process, the text itself, the number of a text in a list, and that text.
    package let transactions: String
    /// The query for the changes, in the order of their transactions. It returns the numbers of the change, the
    /// transaction, the entity and the object, then the kind, the bits, and the values that outlive the object.
    package let changes: String

    static let transactionTable = "ATRANSACTION"
    static let changeTable = "ACHANGE"
    private static let stringTable = "ATRANSACTIONSTRING"

    /// The history of a store with a layout; nil if the store has none.
    ///
    /// - Throws: ``CoreDataStoreError/unusableHistory(_:)`` if its tables are not those of a history.
    package init?(_ layout: CoreDataLayout, _ schema: CoreDataSchema) throws(CoreDataStoreError) {
        for table in [Self.transactionTable, Self.changeTable] {
            if let reason = schema.unusable[table] {
                throw .unusableHistory("\(table) is not a table of Core Data, as \(reason)")
            }
        }
        guard let transactionColumns = schema.tables[Self.transactionTable],
            let changeColumns = schema.tables[Self.changeTable]
        else { return nil }
        let needed = [
            (Self.transactionTable, transactionColumns, ["Z_PK", "ZTIMESTAMP"]),
            (Self.changeTable, changeColumns, ["Z_PK", "ZTRANSACTIONID", "ZENTITY", "ZENTITYPK", "ZCHANGETYPE"]),
        ]
        for (table, columns, names) in needed {
            for name in names where !columns.contains(name) {
                throw .unusableHistory("its table \(table) has no column \(name)")
            }
        }
        entities = Self.entities(layout)
        transactions = Self.transactions(
            Set(transactionColumns), hasStrings: schema.tables[Self.stringTable]?.contains("ZNAME") == true)
        changes = Self.changes(Set(changeColumns))
    }

    // MARK: Entities

    private static func entities(_ layout: CoreDataLayout) -> [Int64: Entity] {
        var result: [Int64: Entity] = [:]
        for entity in layout.entities.values where !entity.isAbstract {
            guard let number = layout.numbers[entity.name] else { continue }
            var columns: [String: [String]] = [:]
            var preserved: [String: StoredEntity.Attribute?] = [:]
            for declaring in layout.line(of: entity.name) {
                for attribute in declaring.attributes {
                    let name = attribute.path.first ?? attribute.keyPath
                    columns[name, default: []].append(attribute.column)
                    guard attribute.isPreserved else { continue }
                    let isPlain = attribute.path.count == 1 && attribute.type != nil && !attribute.isExternal
                    preserved.updateValue(isPlain ? attribute : nil, forKey: name)
                }
                for relationship in declaring.relationships {
                    columns[relationship.name] =
                        if case .column(let column) = relationship.storage { [column] } else { [relationship.name] }
                }
            }
            result[number] = Entity(
                table: entity.table, discriminator: entity.parent == nil ? nil : entity.name,
                properties: columns.sorted { $0.key < $1.key }.map { Property(name: $0, columns: $1) },
                preserved: preserved.sorted { $0.key < $1.key }.map(\.value))
        }
        return result
    }

    // MARK: Queries

    private static func transactions(_ columns: Set<String>, hasStrings: Bool) -> String {
        func column(_ name: String) -> String { columns.contains(name) ? "t.\(SQLQuotation.identifier(name))" : "NULL" }
        let texts = ["ZAUTHOR", "ZCONTEXTNAME", "ZBUNDLEID", "ZPROCESSID"].flatMap { name in
            let key = column(name + "TS")
            let listed =
                hasStrings
                ? "(SELECT n.\"ZNAME\" FROM \(source(stringTable)) AS n WHERE n.\"Z_PK\" = \(key))" : "NULL"
            return [column(name), key, listed]
        }
        return """
            SELECT t."Z_PK", t."ZTIMESTAMP", \(texts.joined(separator: ", "))
            FROM \(source(transactionTable)) AS t ORDER BY t."Z_PK"
            """
    }

    private static func changes(_ columns: Set<String>) -> String {
        var names = ["Z_PK", "ZTRANSACTIONID", "ZENTITY", "ZENTITYPK", "ZCHANGETYPE"].map {
            "c.\(SQLQuotation.identifier($0))"
        }
        names.append(columns.contains("ZCOLUMNS") ? "c.\"ZCOLUMNS\"" : "NULL")
        for number in 0..<columns.count {
            let name = "ZTOMBSTONE\(number)"
            if columns.contains(name) { names.append("c.\(SQLQuotation.identifier(name))") } else { break }
        }
        return """
            SELECT \(names.joined(separator: ", "))
            FROM \(source(changeTable)) AS c ORDER BY c."ZTRANSACTIONID", c."Z_PK"
            """
    }

    private static func source(_ table: String) -> String {
        "\(CoreDataCopy.sourceName).\(SQLQuotation.identifier(table))"
    }
}
