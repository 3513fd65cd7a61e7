/// Adds an entity's own values to the layout of its parent.
struct ValuesLayoutBuilder {
    private(set) var properties: [ValuesLayout.Property]
    private(set) var readings: [ValuesLayout.Reading]
    private(set) var coded: [ValuesLayout.Coded]
    private(set) var absentBytes: [UInt8]
    private(set) var names: [String]
    private(set) var columns: [ValuesLayout.Column]
    private(set) var writings: [ValuesLayout.Writing]
    private(set) var enclosing: [ValuesLayout.Enclosing]
    /// The extent of the entire values struct.
    private(set) var extent: MemoryExtent
    /// The extent of the object's stored values of the class.
    private var stored = MemoryExtent()

    init(parent: ValuesLayout?) {
        properties = parent?.properties ?? []
        readings = parent?.readings.array ?? []
        coded = parent?.coded.array ?? []
        absentBytes = parent?.absentBytes.array ?? []
        names = parent?.names ?? []
        columns = parent?.columns.array ?? []
        writings = parent?.writings.array ?? []
        enclosing = parent?.enclosing ?? []
        extent = parent?.extent ?? MemoryExtent()
    }

    /// Adds the property whose first column is given, and returns the number of its columns.
    mutating func append(
        _ column: ColumnDescription, _ number: Int, _ coding: AttributeCoding?, position: Int
    ) -> Int {
        let slot = Self.slot(column, coding)
        let leaves = CompositeLayout.leaves(of: slot, coding?.composite, at: 0, from: number)
        let (offset, storedOffset) = append(
            slot, Self.name(column, coding), position: position, column.destination, isDerived: column.isDerived,
            columns: leaves.reduce(0) { $0 | ManagedObject.bit(of: $1.column) })
        for leaf in leaves.sorted(by: { $0.column < $1.column }) {
            let first = enclosing.count
            enclosing += leaf.enclosing.map { optional in
                ValuesLayout.Enclosing(
                    slot: optional.slot, offset: offset + optional.offset,
                    storedOffset: storedOffset + optional.offset)
            }
            append(
                ValuesLayout.Column(
                    slot: leaf.slot, offset: offset + leaf.offset, storedOffset: storedOffset + leaf.offset,
                    number: leaf.column, isPresence: leaf.isPresence, isDerived: column.isDerived,
                    enclosing: first..<enclosing.count), column.destination)
        }
        return leaves.count
    }

    /// Adds a composite without attributes, which has no column.
    mutating func append(empty coding: AttributeCoding, _ name: String) {
        _ = append(ValueSlot(coding, isOptional: false), name, position: 0, nil, isDerived: false, columns: 0)
    }

    private mutating func append(_ column: ValuesLayout.Column, _ destination: EntityNumber?) {
        if !column.isDerived {
            writings.append(
                ValuesLayout.Writing(
                    type: column.slot.type,
                    isPlain: !column.isPresence && column.enclosing.isEmpty,
                    offset: Int32(column.offset), storedOffset: Int32(column.storedOffset),
                    destination: destination ?? Self.nowhere, column: Int32(columns.count),
                    bit: ManagedObject.bit(of: column.number)))
        }
        columns.append(column)
    }

    private mutating func append(
        _ slot: ValueSlot, _ name: String, position: Int, _ destination: EntityNumber?, isDerived: Bool,
        columns: UInt64
    ) -> (offset: Int, storedOffset: Int) {
        let (offset, storedOffset) = (extent.append(slot), stored.append(slot))
        properties.append(
            ValuesLayout.Property(
                slot: slot, offset: offset, storedOffset: storedOffset, isDerived: isDerived,
                columns: columns))
        readings.append(
            ValuesLayout.Reading(
                type: slot.type, offset: Int32(offset), position: Int32(position),
                destination: destination ?? Self.nowhere))
        let absent = slot.coding?.absentBytes ?? []
        coded.append(
            ValuesLayout.Coded(coding: slot.coding, absentStart: absentBytes.count, absentCount: absent.count))
        absentBytes += absent
        names.append(name)
        return (offset, storedOffset)
    }

    private static let nowhere = EntityNumber(root: 0, entity: 0)

    private static func slot(_ column: ColumnDescription, _ coding: AttributeCoding?) -> ValueSlot {
        guard let type = column.type else { return .identifier }
        guard let coding else {
            return ValueSlot(type, isOptional: column.isOptional, isExternal: column.isExternal)
        }
        if coding.composite == nil { return ValueSlot(coding, isOptional: column.isOptional) }
        // Only an optional composite has a first column that stores its presence. That column has the composite's name.
        return ValueSlot(coding, isOptional: !column.property.contains("."))
    }

    private static func name(_ column: ColumnDescription, _ coding: AttributeCoding?) -> String {
        coding?.composite == nil ? column.property : String(column.property.prefix { $0 != "." })
    }
}
