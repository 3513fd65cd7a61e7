/// The struct of a composite. Generated code creates it.
public protocol CompositeValue: Sendable, Equatable {
    /// The positions of the attributes in the struct.
    @_spi(Generated) static var _ashlarLayout: CompositeLayout { get }

    /// Reads the value from consecutive columns, beginning with the first.
    @_spi(Generated) static func _ashlarDecode(_ row: Row, _ first: Int32) throws(RowError) -> Self
}

/// The positions of a composite's attributes in its struct, and their columns. Generated code creates it.
@_spi(Generated) public struct CompositeLayout: Sendable {
    /// An attribute of a composite.
    public struct Attribute: Sendable {
        let slot: ValueSlot
        let composite: CompositeLayout?
        let firstColumn: Int
        var invalidDefault: InvalidDefault?

        /// Creates an attribute of one of the store's own types.
        public init(_ firstColumn: Int, _ type: AttributeType, isOptional: Bool, isExternal: Bool = false) {
            slot = ValueSlot(type, isOptional: isOptional, isExternal: isExternal)
            composite = nil
            self.firstColumn = firstColumn
        }

        /// Creates an attribute of another type, for example another composite.
        public init(_ firstColumn: Int, _ coding: AttributeCoding, isOptional: Bool) {
            slot = ValueSlot(coding, isOptional: isOptional)
            composite = coding.composite
            self.firstColumn = firstColumn
            invalidDefault = coding.invalidDefault
        }
    }

    /// A column of the composite.
    struct Leaf: Sendable {
        /// The value; for a column that stores whether a composite is nil, that composite.
        let slot: ValueSlot
        let offset: Int
        let column: Int
        let isPresence: Bool
        /// The optional composites around the value, from the outermost one inwards.
        var enclosing: [Enclosing] = []
    }

    /// An optional composite around a value.
    struct Enclosing: Sendable {
        let slot: ValueSlot
        let offset: Int
    }

    let leaves: [Leaf]
    /// The size and alignment of all attributes in the order of the struct.
    let extent: MemoryExtent
    /// The first invalid default of an attribute.
    let invalidDefault: InvalidDefault?

    /// Creates a layout of the attributes in the order of the struct's properties.
    public init(_ attributes: [Attribute]) {
        var extent = MemoryExtent()
        var leaves: [Leaf] = []
        for attribute in attributes {
            let offset = extent.append(attribute.slot)
            leaves += Self.leaves(of: attribute.slot, attribute.composite, at: offset, from: attribute.firstColumn)
        }
        self.leaves = leaves
        self.extent = extent
        invalidDefault = attributes.lazy.compactMap(\.invalidDefault).first
    }

    /// Returns the columns that hold a value.
    static func leaves(
        of slot: ValueSlot, _ composite: CompositeLayout?, at offset: Int, from column: Int
    ) -> [Leaf] {
        guard let composite else {
            return [Leaf(slot: slot, offset: offset, column: column, isPresence: false)]
        }
        // The value of an optional begins at the address of the optional.
        let inner = composite.leaves.map { leaf in
            Leaf(
                slot: leaf.slot, offset: offset + leaf.offset,
                column: column + leaf.column + (slot.isOptional ? 1 : 0), isPresence: leaf.isPresence,
                enclosing: (slot.isOptional ? [Enclosing(slot: slot, offset: offset)] : [])
                    + leaf.enclosing.map { Enclosing(slot: $0.slot, offset: offset + $0.offset) })
        }
        guard slot.isOptional else { return inner }
        return [Leaf(slot: slot, offset: offset, column: column, isPresence: true)] + inner
    }
}

/// The size and alignment of consecutive values, laid out as in a struct.
struct MemoryExtent: Sendable, Hashable {
    private(set) var size = 0
    private(set) var alignment = 1

    init() {}

    /// Creates the extent of a type's values.
    init<Value>(of type: Value.Type) {
        size = MemoryLayout<Value>.size
        alignment = MemoryLayout<Value>.alignment
    }

    /// Adds a value and returns its offset.
    ///
    /// Swift lays a struct out in the order of its properties, each at the next address that its alignment allows.
    mutating func append(_ slot: ValueSlot) -> Int {
        let offset = (size + slot.alignment - 1) / slot.alignment * slot.alignment
        size = offset + slot.size
        alignment = max(alignment, slot.alignment)
        return offset
    }
}
