/// What a value is asked for seldom, by way of its own type's conformances.
extension ValueSlot {
    func isEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        if let coding { return coding.isEqual(left, right) }
        return type.swiftType.map { Self.isEqual($0, left, right) } ?? true
    }

    func hash(_ address: UnsafeRawPointer, into hasher: inout Hasher) {
        if let coding {
            if let value = coding.any(at: address) as? any Hashable { value.hash(into: &hasher) }
        } else if let swiftType = type.swiftType {
            Self.hash(swiftType, address, into: &hasher)
        }
    }

    func encode(
        _ address: UnsafeRawPointer, to container: inout KeyedEncodingContainer<PropertyKey>, _ key: PropertyKey
    ) throws {
        if let coding {
            if isOptional, coding.isNil(at: address) { return }
            let value = coding.any(at: address)
            guard let encodable = value as? any Encodable else {
                let description = "\(Swift.type(of: value)) is not Encodable"
                throw EncodingError.invalidValue(
                    value, .init(codingPath: container.codingPath + [key], debugDescription: description))
            }
            try container.encode(encodable, forKey: key)
        } else if let swiftType = type.swiftType {
            try Self.encode(swiftType, address, to: &container, key)
        }
    }

    func decode(
        _ container: KeyedDecodingContainer<PropertyKey>, _ key: PropertyKey, into address: UnsafeMutableRawPointer
    ) throws {
        if let coding {
            try coding.decode(container, key, into: address)
        } else if let swiftType = type.swiftType {
            try Self.decode(swiftType, container, key, into: address)
        }
    }

    private static func isEqual<Value: Equatable>(
        _ type: Value.Type, _ left: UnsafeRawPointer, _ right: UnsafeRawPointer
    ) -> Bool {
        left.value(type) == right.value(type)
    }

    private static func hash<Value: Hashable>(
        _ type: Value.Type, _ address: UnsafeRawPointer, into hasher: inout Hasher
    ) {
        address.value(type).hash(into: &hasher)
    }

    private static func encode<Value: Encodable>(
        _ type: Value.Type, _ address: UnsafeRawPointer, to container: inout KeyedEncodingContainer<PropertyKey>,
        _ key: PropertyKey
    ) throws {
        let value = address.value(type)
        if let optional = value as? any EncodableOptional {
            try optional.encode(to: &container, key)
        } else {
            try container.encode(value, forKey: key)
        }
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ container: KeyedDecodingContainer<PropertyKey>, _ key: PropertyKey,
        into address: UnsafeMutableRawPointer
    ) throws {
        address.initialize(type, to: try PropertyCoding.value(type, container, key))
    }
}

extension ValueCoding {
    fileprivate static func decode(
        _ container: KeyedDecodingContainer<PropertyKey>, _ key: PropertyKey, into address: UnsafeMutableRawPointer
    ) throws {
        guard let type = Value.self as? any Decodable.Type,
            let value = try PropertyCoding.value(type, container, key) as? Value
        else {
            throw DecodingError.typeMismatch(
                Value.self, .init(codingPath: container.codingPath, debugDescription: "\(Value.self) is not Decodable"))
        }
        address.initialize(Value.self, to: value)
    }
}

/// Values as the code that the compiler derives writes and reads them: nil is left out.
private enum PropertyCoding {
    static func value<Value: Decodable>(
        _ type: Value.Type, _ container: KeyedDecodingContainer<PropertyKey>, _ key: PropertyKey
    ) throws -> Value {
        if let optional = type as? any DecodableOptional.Type,
            let value = try optional.value(container, key) as? Value
        {
            return value
        }
        return try container.decode(type, forKey: key)
    }
}

private protocol EncodableOptional {
    func encode(to container: inout KeyedEncodingContainer<PropertyKey>, _ key: PropertyKey) throws
}

extension Optional: EncodableOptional where Wrapped: Encodable {
    fileprivate func encode(to container: inout KeyedEncodingContainer<PropertyKey>, _ key: PropertyKey) throws {
        try container.encodeIfPresent(self, forKey: key)
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
