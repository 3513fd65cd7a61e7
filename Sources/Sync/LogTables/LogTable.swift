import Ashlar
@_spi(Hub) import AshlarSync
import PlannedModel
import RelationalSchema
import StoreDescription
import SwiftGeneration

import class RelationalSchema.Schema

/// A table of a log's rows, with the types that its columns have for a person.
@_spi(Hub) public struct LogTable: Sendable, Hashable {
    /// A column.
    public struct Column: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// The type of its values.
        public var type: ColumnType
    }

    /// The type of a column's values.
    public enum ColumnType: Sendable, Hashable {
        case boolean, integer, real, decimal, text, json, date, uuid, bytes
        /// The number of an object, which is the key of another table.
        case reference
        /// The name of the row's entity; null for objects of the root, whose name is given.
        case entity(root: String)
    }

    /// The name of the table.
    public var name: String
    /// The columns, the key's first.
    public var columns: [Column]
    /// The number of columns that are the key.
    public var keyCount: Int

    init(_ table: LogRows.Table, _ types: ColumnTypes) {
        name = table.name
        keyCount = table.keyCount
        columns = table.columns.enumerated().map { index, name in
            Column(
                name: name, type: index < table.keyCount ? .reference : types.type(of: name, in: table.name))
        }
    }
}

/// The types of the columns of a version of a model.
struct ColumnTypes {
    private var types: [String: [String: LogTable.ColumnType]] = [:]
    private var roots: [String: String] = [:]

    init(_ entities: [StoredEntity], _ schema: Schema) {
        for entity in entities {
            if entity.parent == nil { roots[entity.table] = entity.name }
            for attribute in entity.attributes {
                types[entity.table, default: [:]][attribute.column] = attribute.type.map { Self.type($0) } ?? .boolean
            }
            for relationship in entity.relationships {
                if case .column(let name) = relationship.storage {
                    types[entity.table, default: [:]][name] = .reference
                }
            }
        }
        for entity in DescribedEntity.all(of: schema) {
            for (column, form) in entity.programForms {
                if case .json = form { types[entity.tableName, default: [:]][column] = .json }
            }
        }
    }

    /// The type of a column. Those that no property has are keys of orders, which are integers.
    func type(of column: String, in table: String) -> LogTable.ColumnType {
        if let known = types[table]?[column] { return known }
        return column == "entity$" ? .entity(root: roots[table] ?? table) : .integer
    }

    private static func type(_ type: ColumnLine.AttributeType) -> LogTable.ColumnType {
        switch type {
        case .integer16, .integer32, .integer64: .integer
        case .decimal: .decimal
        case .double, .float: .real
        case .string, .uri: .text
        case .boolean: .boolean
        case .date: .date
        case .binary, .transformable: .bytes
        case .uuid: .uuid
        }
    }
}
