import SystemFoundation

/// The Swift types whose values columns hold without a conversion, and one case for all others.
enum StoredType: UInt8, Sendable {
    case bool, int16, int32, int64, double, float, date, string, data, externalData, uuid, url, decimal
    case optionalBool, optionalInt16, optionalInt32, optionalInt64, optionalDouble, optionalFloat, optionalDate
    case optionalString, optionalData, optionalExternalData, optionalUUID, optionalURL, optionalDecimal
    case identifier
    /// A type that requires a coding: a type of the program, or a composite.
    case coded
}

extension StoredType {
    /// The type of an attribute that has no coding.
    init(_ type: AttributeType, isOptional: Bool, isExternal: Bool) {
        self =
            switch type {
            case .boolean: isOptional ? .optionalBool : .bool
            case .integer16: isOptional ? .optionalInt16 : .int16
            case .integer32: isOptional ? .optionalInt32 : .int32
            case .integer64: isOptional ? .optionalInt64 : .int64
            case .double: isOptional ? .optionalDouble : .double
            case .float: isOptional ? .optionalFloat : .float
            case .date: isOptional ? .optionalDate : .date
            case .string: isOptional ? .optionalString : .string
            case .uuid: isOptional ? .optionalUUID : .uuid
            case .uri: isOptional ? .optionalURL : .url
            case .decimal: isOptional ? .optionalDecimal : .decimal
            case .binary, .transformable:
                if isExternal {
                    isOptional ? .optionalExternalData : .externalData
                } else {
                    isOptional ? .optionalData : .data
                }
            }
    }

    /// The optional of the type; nil if there is none, or if the coding determines it.
    var optional: StoredType? {
        switch self {
        case .bool: .optionalBool
        case .int16: .optionalInt16
        case .int32: .optionalInt32
        case .int64: .optionalInt64
        case .double: .optionalDouble
        case .float: .optionalFloat
        case .date: .optionalDate
        case .string: .optionalString
        case .data: .optionalData
        case .externalData: .optionalExternalData
        case .uuid: .optionalUUID
        case .url: .optionalURL
        case .decimal: .optionalDecimal
        default: nil
        }
    }

    /// The type in Swift; nil if the coding determines it.
    var swiftType: (any (Codable & Hashable).Type)? {
        switch self {
        case .bool: Bool.self
        case .int16: Int16.self
        case .int32: Int32.self
        case .int64: Int64.self
        case .double: Double.self
        case .float: Float.self
        case .date: Date.self
        case .string: String.self
        case .data, .externalData: Data.self
        case .uuid: UUID.self
        case .url: URL.self
        case .decimal: Decimal.self
        case .optionalBool: Bool?.self
        case .optionalInt16: Int16?.self
        case .optionalInt32: Int32?.self
        case .optionalInt64: Int64?.self
        case .optionalDouble: Double?.self
        case .optionalFloat: Float?.self
        case .optionalDate: Date?.self
        case .optionalString: String?.self
        case .optionalData, .optionalExternalData: Data?.self
        case .optionalUUID: UUID?.self
        case .optionalURL: URL?.self
        case .optionalDecimal: Decimal?.self
        case .identifier: PersistentIdentifier?.self
        case .coded: nil
        }
    }
}
