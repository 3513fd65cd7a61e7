import SystemFoundation

/// Encoding and decoding of values as in code that the compiler derives: nil is omitted.
///
/// Each type has its own case with a direct call. Coders handle numbers and texts specially. The generic call creates
/// another coder for each value, and takes twice as long.
extension ValueSlot {
    func encode(
        _ address: UnsafeRawPointer, to container: inout KeyedEncodingContainer<PropertyKey>, _ key: PropertyKey
    ) throws {
        switch type {
        case .bool: try container.encode(address.value(Bool.self), forKey: key)
        case .int16: try container.encode(address.value(Int16.self), forKey: key)
        case .int32: try container.encode(address.value(Int32.self), forKey: key)
        case .int64: try container.encode(address.value(Int64.self), forKey: key)
        case .double: try container.encode(address.value(Double.self), forKey: key)
        case .float: try container.encode(address.value(Float.self), forKey: key)
        case .date: try container.encode(address.value(Date.self), forKey: key)
        case .string: try container.encode(address.value(String.self), forKey: key)
        case .data, .externalData: try container.encode(address.value(Data.self), forKey: key)
        case .uuid: try container.encode(address.value(UUID.self), forKey: key)
        case .url: try container.encode(address.value(URL.self), forKey: key)
        case .decimal: try container.encode(address.value(Decimal.self), forKey: key)
        case .optionalBool: try container.encodeIfPresent(address.value(Bool?.self), forKey: key)
        case .optionalInt16: try container.encodeIfPresent(address.value(Int16?.self), forKey: key)
        case .optionalInt32: try container.encodeIfPresent(address.value(Int32?.self), forKey: key)
        case .optionalInt64: try container.encodeIfPresent(address.value(Int64?.self), forKey: key)
        case .optionalDouble: try container.encodeIfPresent(address.value(Double?.self), forKey: key)
        case .optionalFloat: try container.encodeIfPresent(address.value(Float?.self), forKey: key)
        case .optionalDate: try container.encodeIfPresent(address.value(Date?.self), forKey: key)
        case .optionalString: try container.encodeIfPresent(address.value(String?.self), forKey: key)
        case .optionalData, .optionalExternalData: try container.encodeIfPresent(address.value(Data?.self), forKey: key)
        case .optionalUUID: try container.encodeIfPresent(address.value(UUID?.self), forKey: key)
        case .optionalURL: try container.encodeIfPresent(address.value(URL?.self), forKey: key)
        case .optionalDecimal: try container.encodeIfPresent(address.value(Decimal?.self), forKey: key)
        case .identifier: try container.encodeIfPresent(address.value(PersistentIdentifier?.self), forKey: key)
        case .coded: try encodeCoded(address, to: &container, key)
        }
    }

    private func encodeCoded(
        _ address: UnsafeRawPointer, to container: inout KeyedEncodingContainer<PropertyKey>, _ key: PropertyKey
    ) throws {
        guard let coding, !isOptional || !coding.isNil(at: address) else { return }
        let value = coding.any(at: address)
        guard let encodable = value as? any Encodable else {
            let description = "\(Swift.type(of: value)) is not Encodable"
            throw EncodingError.invalidValue(
                value, .init(codingPath: container.codingPath + [key], debugDescription: description))
        }
        try container.encode(encodable, forKey: key)
    }

    func decode(
        _ container: KeyedDecodingContainer<PropertyKey>, _ key: PropertyKey, into address: UnsafeMutableRawPointer
    ) throws {
        switch type {
        case .bool: address.initialize(Bool.self, to: try container.decode(Bool.self, forKey: key))
        case .int16: address.initialize(Int16.self, to: try container.decode(Int16.self, forKey: key))
        case .int32: address.initialize(Int32.self, to: try container.decode(Int32.self, forKey: key))
        case .int64: address.initialize(Int64.self, to: try container.decode(Int64.self, forKey: key))
        case .double: address.initialize(Double.self, to: try container.decode(Double.self, forKey: key))
        case .float: address.initialize(Float.self, to: try container.decode(Float.self, forKey: key))
        case .date: address.initialize(Date.self, to: try container.decode(Date.self, forKey: key))
        case .string: address.initialize(String.self, to: try container.decode(String.self, forKey: key))
        case .data, .externalData: address.initialize(Data.self, to: try container.decode(Data.self, forKey: key))
        case .uuid: address.initialize(UUID.self, to: try container.decode(UUID.self, forKey: key))
        case .url: address.initialize(URL.self, to: try container.decode(URL.self, forKey: key))
        case .decimal: address.initialize(Decimal.self, to: try container.decode(Decimal.self, forKey: key))
        case .optionalBool:
            address.initialize(Bool?.self, to: try container.decodeIfPresent(Bool.self, forKey: key))
        case .optionalInt16:
            address.initialize(Int16?.self, to: try container.decodeIfPresent(Int16.self, forKey: key))
        case .optionalInt32:
            address.initialize(Int32?.self, to: try container.decodeIfPresent(Int32.self, forKey: key))
        case .optionalInt64:
            address.initialize(Int64?.self, to: try container.decodeIfPresent(Int64.self, forKey: key))
        case .optionalDouble:
            address.initialize(Double?.self, to: try container.decodeIfPresent(Double.self, forKey: key))
        case .optionalFloat:
            address.initialize(Float?.self, to: try container.decodeIfPresent(Float.self, forKey: key))
        case .optionalDate:
            address.initialize(Date?.self, to: try container.decodeIfPresent(Date.self, forKey: key))
        case .optionalString:
            address.initialize(String?.self, to: try container.decodeIfPresent(String.self, forKey: key))
        case .optionalData, .optionalExternalData:
            address.initialize(Data?.self, to: try container.decodeIfPresent(Data.self, forKey: key))
        case .optionalUUID:
            address.initialize(UUID?.self, to: try container.decodeIfPresent(UUID.self, forKey: key))
        case .optionalURL:
            address.initialize(URL?.self, to: try container.decodeIfPresent(URL.self, forKey: key))
        case .optionalDecimal:
            address.initialize(Decimal?.self, to: try container.decodeIfPresent(Decimal.self, forKey: key))
        case .identifier:
            address.initialize(
                PersistentIdentifier?.self, to: try container.decodeIfPresent(PersistentIdentifier.self, forKey: key))
        case .coded: try coding?.decode(container, key, into: address)
        }
    }
}

extension ValueCoding {
    fileprivate static func decode(
        _ container: KeyedDecodingContainer<PropertyKey>, _ key: PropertyKey, into address: UnsafeMutableRawPointer
    ) throws {
        guard let type = Value.self as? any Decodable.Type,
            let value = try decoded(type, container, key) as? Value
        else {
            throw DecodingError.typeMismatch(
                Value.self, .init(codingPath: container.codingPath, debugDescription: "\(Value.self) is not Decodable"))
        }
        address.initialize(Value.self, to: value)
    }

    private static func decoded<Decoded: Decodable>(
        _ type: Decoded.Type, _ container: KeyedDecodingContainer<PropertyKey>, _ key: PropertyKey
    ) throws -> Decoded {
        if let optional = type as? any DecodableOptional.Type,
            let value = try optional.value(container, key) as? Decoded
        {
            return value
        }
        return try container.decode(type, forKey: key)
    }
}

private protocol DecodableOptional {
    static func value(_ container: KeyedDecodingContainer<PropertyKey>, _ key: PropertyKey) throws -> Self
}

extension Optional: DecodableOptional where Wrapped: Decodable {
    fileprivate static func value(
        _ container: KeyedDecodingContainer<PropertyKey>, _ key: PropertyKey
    ) throws -> Self {
        try container.decodeIfPresent(Wrapped.self, forKey: key)
    }
}
