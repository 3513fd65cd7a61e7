import DataModel
import Foundation
import RelationalSchema
import StoreDescription

/// The Swift code for an attribute: its type, and the expressions that read, write and compare it.
struct AttributeCode {
    /// The relation between the value and the content of its column.
    enum Conversion: Hashable {
        /// The column holds the value itself.
        case none
        /// The column holds the raw value of a user's type.
        case rawValue
        /// The column holds the value's JSON.
        case json
        /// The column holds the output of a transformer.
        case transformer(String)
        /// The column holds a keyed archive of the value.
        case archive
        /// The column holds the value, or the name of a file with it.
        case external

        /// Whether values are known to be `Hashable`: a user's own types only have to be equatable.
        var isHashable: Bool { self == .none || self == .archive || self == .external }
    }

    let attribute: Attribute
    let conversion: Conversion
    /// The type of a value that is not nil.
    let valueType: String

    init(_ attribute: Attribute) {
        self.attribute = attribute
        let isBytes = attribute.type == .binary || attribute.type == .transformable
        if let swiftType = attribute.swiftTypeName {
            let isText = attribute.type == .string && attribute.userInfo["ashlar.encoding"] == "json"
            conversion = isBytes || isText ? .json : .rawValue
            valueType = swiftType
        } else if let type = attribute.archivedTypeName {
            conversion = .archive
            valueType = type
        } else if attribute.type == .transformable, let name = Self.transformerType(attribute) {
            conversion = .transformer(name)
            valueType = "\(name).Value"
        } else {
            conversion = attribute.type == .binary && attribute.allowsExternalBinaryDataStorage ? .external : .none
            valueType = Self.scalarType(attribute.type)
        }
    }

    /// Whether a value is bytes in its place, without references to anything.
    var isPlainMemory: Bool {
        if conversion != .none { return false }
        switch attribute.type {
        case .boolean, .integer16, .integer32, .integer64, .double, .float, .decimal, .date, .uuid: return true
        default: return false
        }
    }

    /// The value of Core Data's scalar properties for nil; nil if the type has none.
    var zero: String? {
        if conversion != .none { return nil }
        return switch attribute.type {
        case .boolean: "false"
        case .integer16, .integer32, .integer64, .double, .float: "0"
        default: nil
        }
    }

    /// The type of the property.
    var type: String {
        if attribute.type == .undefined { return "Any?" }
        return attribute.isOptional ? optional(valueType) : valueType
    }

    private func optional(_ type: String) -> String {
        type.contains(" ") || type.hasPrefix("any ") ? "(\(type))?" : type + "?"
    }

    /// The Swift type of a user's transformer; nil for a name that cannot be one, whose bytes stay unchanged.
    private static func transformerType(_ attribute: Attribute) -> String? {
        guard let name = attribute.transformerTypeName else { return nil }
        // A name that the author wrote for Ashlar is used unchanged; it may have type arguments, for instance.
        if attribute.userInfo["ashlar.transformer"] == name { return name }
        return name.split(separator: ".").allSatisfy { SwiftName.isIdentifier(String($0)) } ? name : nil
    }

    private static func scalarType(_ type: AttributeType) -> String {
        switch type {
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Bool"
        case .date: "Date"
        case .binary, .transformable: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .undefined, .composite, .objectID: "Any"
        }
    }

    private var accessor: String {
        let name =
            switch attribute.type {
            case .integer16, .integer32: "integer"
            case .integer64: "int64"
            case .decimal: "decimal"
            case .double: "double"
            case .float: "float"
            case .string: "string"
            case .boolean: "bool"
            case .date: "date"
            case .uuid: "uuid"
            case .uri: "url"
            case .binary, .transformable, .undefined, .composite, .objectID: "data"
            }
        guard attribute.isOptional else { return name }
        return name == "uuid" || name == "url"
            ? "optional" + name.uppercased() : "optional" + name.prefix(1).uppercased() + name.dropFirst()
    }

    /// Whether reading a value can find one that the type does not allow.
    private var canFail: Bool {
        guard attribute.isOptional else { return true }
        switch attribute.type {
        case .integer16, .integer32, .decimal, .uuid, .uri, .binary, .transformable: return true
        default: return false
        }
    }

    /// The expression that reads the value from a column of a row.
    ///
    /// - Parameter usesUnknownValue: Whether a raw value that the type does not have is read as the case for it.
    func reading(_ column: String, usesUnknownValue: Bool = false) -> String {
        let plain: String
        if conversion == .rawValue, attribute.type == .integer16 || attribute.type == .integer32 {
            // The raw value's type must be stated, because it cannot be inferred from anything else.
            let type = Self.scalarType(attribute.type)
            plain = "try row.\(accessor)(\(column)) as \(type)\(attribute.isOptional ? "?" : "")"
        } else {
            plain = "\(canFail ? "try " : "")row.\(accessor)(\(column))"
        }
        switch conversion {
        case .none, .external: return plain
        case .rawValue:
            guard usesUnknownValue, let unknownValue else { return "try row.rawRepresentable(\(column), \(plain))" }
            return "row.rawRepresentable(\(column), \(plain), orUnknown: .\(unknownValue))"
        case .json: return attribute.isOptional ? "try row.optionalCoded(\(column))" : "try row.coded(\(column))"
        case .transformer(let name):
            let function = attribute.isOptional ? "optionalTransformed" : "transformed"
            return "try row.\(function)(\(column), by: \(name).self)"
        case .archive:
            let function = attribute.isOptional ? "optionalTransformed" : "transformed"
            return "try row.\(function)(\(column), by: \(archiveTransformer).self)"
        }
    }

    /// The statement that binds a value to a parameter. If the column allows NULL, some rows have it although the
    /// attribute is required.
    func binding(_ value: String, _ position: String, columnIsRequired: Bool) -> String {
        let function = canBeNoNumber && !attribute.isOptional && !columnIsRequired ? "bindRequired" : "bind"
        return switch conversion {
        case .none: "statement.\(function)(\(value), \(position))"
        case .rawValue: "statement.\(function)(\(value)\(attribute.isOptional ? "?" : "").rawValue, \(position))"
        case .json: "statement.bindCoded\(attribute.type == .string ? "Text" : "")(\(value), \(position))"
        case .transformer(let name): "statement.bind(\(value), \(position), by: \(name).self)"
        case .archive: "statement.bind(\(value), \(position), by: \(archiveTransformer).self)"
        case .external: "statement.bindExternal(\(value), \(position))"
        }
    }

    /// Whether the type has values that the store cannot keep.
    private var canBeNoNumber: Bool {
        switch attribute.type {
        case .double, .float, .date, .decimal: true
        default: false
        }
    }

    /// The case of the runtime's `AttributeType`.
    var describedType: ColumnLine.AttributeType {
        switch conversion {
        case .json, .transformer, .archive, .external: return .transformable
        case .none, .rawValue: break
        }
        return attribute.type.stored ?? .transformable
    }

    private var archiveTransformer: String { "SecureUnarchiveFromDataTransformer<\(valueType)>" }

    /// The expression of the runtime's `AttributeCoding`; nil if the attribute's type determines how it is stored.
    var attributeCoding: String? {
        switch conversion {
        case .none, .external: nil
        case .rawValue:
            ".rawValue(\(unknownType.map { "orUnknown: \($0)" } ?? valueType).self\(defaultArgument))"
        case .json:
            attribute.type == .string ? ".jsonText(\(valueType).self\(defaultArgument))" : ".json(\(valueType).self)"
        case .transformer(let name): ".transformed(by: \(name).self)"
        case .archive: ".transformed(by: \(archiveTransformer).self)"
        }
    }

    /// The case that raw values are read as which the type does not have, as an expression after a point.
    private var unknownValue: String? {
        conversion == .rawValue ? attribute.unknownValueName.map(SwiftName.member) : nil
    }

    /// The name of the type that gives the runtime that case, within the attribute's class or composite.
    private var unknownType: String? {
        unknownValue == nil
            ? nil : "_AshlarUnknown" + attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
    }

    /// The declaration of that type.
    var unknownTypeDeclaration: Declaration? {
        guard let unknownType, let unknownValue else { return nil }
        return .type(
            TypeDeclaration(
                documentation: [
                    "The value of `\(attribute.name)` for stored raw values that its type does not have."
                ],
                kind: .enum, name: unknownType, inherited: ["UnknownRawValue"],
                members: [
                    .property(
                        PropertyDeclaration(
                            modifiers: ["static"], name: "_ashlarUnknown", type: valueType,
                            accessors: [Accessor(body: [".\(unknownValue)"])]))
                ]))
    }

    /// Whether conditions can use the column.
    var hasCoding: Bool { coding(in: "") != nil }

    /// The expression of the column's coding, in the class or composite with a name; nil for an attribute that
    /// conditions cannot use.
    func coding(in owner: String) -> String? {
        let scalar = Self.scalarType(attribute.type)
        let name =
            switch scalar {
            case "UUID", "URL": scalar.lowercased()
            default: scalar.prefix(1).lowercased() + scalar.dropFirst()
            }
        switch conversion {
        case .none:
            return attribute.isOptional ? "ColumnCoding<\(scalar)>.\(name).optional" : ".\(name)"
        case .rawValue:
            let unknown = unknownType.map { ", orUnknown: \(owner).\($0).self" } ?? ""
            return attribute.isOptional
                ? "ColumnCoding<\(valueType)>.rawValue(.\(name)\(unknown)).optional" : ".rawValue(.\(name)\(unknown))"
        case .external: return attribute.isOptional ? ".external" : nil
        case .json, .transformer, .archive: return nil
        }
    }

    /// The type of the column in conditions.
    var columnType: String { conversion == .external ? "ExternalValue?" : type }
}
