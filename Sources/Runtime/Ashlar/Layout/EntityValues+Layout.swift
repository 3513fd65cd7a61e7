/// The conformances that the compiler would derive for each values struct, implemented once for all of them with the
/// layout.
extension EntityValues {
    static var layout: ValuesLayout { entity.layout }

    private static var entity: EntityDescription { _AshlarModel._ashlarEntity }

    /// Returns whether all values are equal.
    public static func == (left: Self, right: Self) -> Bool {
        withUnsafeBytes(of: left) { left in
            withUnsafeBytes(of: right) { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return layout.properties.allSatisfy { property in
                    property.slot.isEqual(left + property.offset, right + property.offset)
                }
            }
        }
    }
}

extension EntityValues where Self: Hashable {
    public func hash(into hasher: inout Hasher) {
        withUnsafeBytes(of: self) { memory in
            guard let base = memory.baseAddress else { return }
            for property in Self.layout.properties { property.slot.hash(base + property.offset, into: &hasher) }
        }
    }
}

extension EntityValues where Self: Encodable {
    /// Encodes the values under the names of their properties.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PropertyKey.self)
        try withUnsafeBytes(of: self) { memory in
            guard let base = memory.baseAddress else { return }
            let layout = Self.layout
            for position in layout.properties.indices {
                let property = layout.properties[position]
                try property.slot.encode(
                    base + property.offset, to: &container, PropertyKey(layout.names[position]))
            }
        }
    }
}

extension EntityValues where Self: Decodable {
    /// Decodes the values by the names of their properties. Optional values may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PropertyKey.self)
        let layout = Self.layout
        let memory = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        defer { memory.deallocate() }
        let base = UnsafeMutableRawPointer(memory)
        var count = 0
        do {
            while count < layout.properties.count {
                let property = layout.properties[count]
                try property.slot.decode(
                    container, PropertyKey(layout.names[count]), into: base + property.offset)
                count += 1
            }
        } catch {
            for property in layout.properties.prefix(count) { property.slot.destroy(base + property.offset) }
            throw error
        }
        self = base.bindMemory(to: Self.self, capacity: 1).move()
    }
}

/// The name of a property as a coding key.
struct PropertyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }

    init?(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}
