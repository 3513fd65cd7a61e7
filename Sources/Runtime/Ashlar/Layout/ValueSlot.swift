import SystemFoundation

/// The description of a value, to process it at its place in memory.
struct ValueSlot: Sendable {
    let type: StoredType
    /// The coding of a value whose type is ``StoredType/coded``.
    let coding: (any ValueCoding.Type)?
    /// Whether the coding stores raw values, which may be NaN.
    let isRawValue: Bool
    /// Whether nil is a value of the type.
    let isOptional: Bool
    let size: Int
    let alignment: Int

    init(_ attribute: AttributeType, isOptional: Bool, isExternal: Bool) {
        self.init(StoredType(attribute, isOptional: isOptional, isExternal: isExternal), isOptional: isOptional)
    }

    /// The identifier in a foreign key column.
    static var identifier: ValueSlot { ValueSlot(.identifier, isOptional: true) }

    private init(_ type: StoredType, isOptional: Bool) {
        self.type = type
        self.isOptional = isOptional
        coding = nil
        isRawValue = false
        (size, alignment) = type.swiftType.map { Self.layout(of: $0) } ?? (0, 1)
    }

    init(_ coding: AttributeCoding, isOptional: Bool) {
        let type = isOptional ? coding.optional : coding.required
        self.type = .coded
        self.coding = type
        isRawValue = coding.isRawValue
        self.isOptional = isOptional
        (size, alignment) = (type.size, type.alignment)
    }

    private static func layout<Value>(of type: Value.Type) -> (Int, Int) {
        (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
    }

    /// Whether the value contains no references, so that copying its bytes copies it.
    var isPlain: Bool {
        switch type {
        case .string, .optionalString, .data, .externalData, .optionalData, .optionalExternalData, .url, .optionalURL,
            .coded:
            false
        default: true
        }
    }

    /// Initializes memory with a copy of a value.
    func copy(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        switch type {
        case .string: target.initialize(String.self, to: source.value(String.self))
        case .optionalString: target.initialize(String?.self, to: source.value(String?.self))
        case .data, .externalData: target.initialize(Data.self, to: source.value(Data.self))
        case .optionalData, .optionalExternalData: target.initialize(Data?.self, to: source.value(Data?.self))
        case .url: target.initialize(URL.self, to: source.value(URL.self))
        case .optionalURL: target.initialize(URL?.self, to: source.value(URL?.self))
        case .coded: coding?.copy(source, to: target)
        default: target.copyMemory(from: source, byteCount: size)
        }
    }

    /// Initializes memory with a value that is moved out of its old place.
    func move(_ source: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer) {
        if type == .coded {
            coding?.move(source, to: target)
        } else {
            target.copyMemory(from: source, byteCount: size)
        }
    }

    /// Destroys a value.
    func destroy(_ address: UnsafeMutableRawPointer) {
        switch type {
        case .string: address.destroy(String.self)
        case .optionalString: address.destroy(String?.self)
        case .data, .externalData: address.destroy(Data.self)
        case .optionalData, .optionalExternalData: address.destroy(Data?.self)
        case .url: address.destroy(URL.self)
        case .optionalURL: address.destroy(URL?.self)
        case .coded: coding?.destroy(address)
        default: break
        }
    }
}

extension UnsafeRawPointer {
    /// Returns the value of a type at this address.
    @_transparent
    func value<Value>(_ type: Value.Type) -> Value { assumingMemoryBound(to: type).pointee }
}

extension UnsafeMutableRawPointer {
    @_transparent
    func initialize<Value>(_ type: Value.Type, to value: Value) {
        assumingMemoryBound(to: type).initialize(to: value)
    }

    @_transparent
    func destroy<Value>(_ type: Value.Type) {
        assumingMemoryBound(to: type).deinitialize(count: 1)
    }
}
