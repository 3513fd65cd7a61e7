/// The rare operations on a value, which use the conformances of its type.
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
}
