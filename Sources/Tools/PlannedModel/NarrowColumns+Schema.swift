@_spi(Generated) import Ashlar
import Foundation
import RelationalSchema
import SwiftGeneration

import class RelationalSchema.Schema

extension NarrowColumn {
    /// The columns of a schema that accept fewer values than SQLite allows, by tables and names: the columns of the
    /// program with the schema's classes, whose types the model names.
    package static func all(of schema: Schema) -> [String: [String: NarrowColumn]] {
        var columns: [String: [String: NarrowColumn]] = [:]
        let entities = EntityDescription.withoutClasses(of: schema)
        for (described, entity) in zip(DescribedEntity.all(of: schema), entities) {
            for column in entity.columns {
                let form = described.programForms[column.name]
                let narrow = NarrowColumn(column, isOfProgram: form != nil, form?.form)
                if let narrow { columns[entity.tableName, default: [:]][column.name] = narrow }
            }
        }
        return columns
    }
}

extension DescribedEntity.ProgramForm {
    fileprivate var form: ProgramType.Form? {
        switch self {
        case .any: nil
        case .json: .json
        case .archive(let name): ArchivedType.named(name).map { .archive(of: $0) }
        }
    }
}

/// The types that archives of Core Data's built-in transformer hold, by their names in Swift.
private enum ArchivedType {
    private static let scalars: [String: any ArchivableValue.Type] = [
        "ArchivedValue": ArchivedValue.self, "Bool": Bool.self, "Data": Data.self, "Date": Date.self,
        "Double": Double.self, "Float": Float.self, "Int": Int.self, "Int16": Int16.self, "Int32": Int32.self,
        "Int64": Int64.self, "String": String.self, "URL": URL.self, "UUID": UUID.self,
    ]

    /// The type of a name; nil if archives hold no such type.
    static func named(_ name: String) -> (any ArchivableValue.Type)? {
        var rest = name.filter { $0 != " " }[...]
        let type = next(&rest)
        return rest.isEmpty ? type : nil
    }

    private static func next(_ rest: inout Substring) -> (any ArchivableValue.Type)? {
        func take(_ text: String) -> Bool {
            guard rest.hasPrefix(text) else { return false }
            rest = rest.dropFirst(text.count)
            return true
        }
        if take("[") {
            guard let first = next(&rest) else { return nil }
            if take("]") { return array(of: first) }
            guard take(":"), let second = next(&rest), take("]") else { return nil }
            return dictionary(of: first, second)
        }
        if take("Set<") {
            guard let element = next(&rest), take(">") else { return nil }
            return set(of: element)
        }
        let name = rest.prefix { $0.isLetter || $0.isNumber }
        rest = rest.dropFirst(name.count)
        return scalars[String(name)]
    }

    private static func array<Element: ArchivableValue>(of type: Element.Type) -> any ArchivableValue.Type {
        [Element].self
    }

    private static func set<Element: ArchivableValue>(of type: Element.Type) -> any ArchivableValue.Type {
        Set<Element>.self
    }

    private static func dictionary<Key: ArchivableValue, Value: ArchivableValue>(
        of key: Key.Type, _ value: Value.Type
    ) -> any ArchivableValue.Type { [Key: Value].self }
}
