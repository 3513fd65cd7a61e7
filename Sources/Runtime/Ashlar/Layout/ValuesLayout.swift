import Containers

/// The positions of an entity's values in the memory of its values struct and of its objects, and their columns.
///
/// This table implements reading, binding, comparing and copying once for all entities. Otherwise the compiler would
/// have to compile generated code for each.
final class ValuesLayout: Sendable {
    /// A property of the values struct.
    struct Property: Sendable {
        let slot: ValueSlot
        /// The offset in the values struct.
        let offset: Int
        /// The offset in an object's stored values of the class that declares the property.
        let storedOffset: Int
        let isDerived: Bool
        /// The bits of its columns in an object's mask of changes.
        let columns: UInt64
    }

    /// The description of a property for reading rows: small and without references, because it is used for every row.
    struct Reading: Sendable {
        let type: StoredType
        let offset: Int32
        /// The position of the first column in a row.
        let position: Int32
        let destination: EntityNumber
    }

    /// The additional description of a property with a coding, for reading rows.
    struct Coded: Sendable {
        let coding: (any ValueCoding.Type)?
        /// The range of ``ValuesLayout/absentBytes`` with the bytes of the value that represents NULL; empty if the
        /// type has none. A call of the coding would cost more.
        let absentStart: Int
        let absentCount: Int
    }

    /// The description of a column for writing rows.
    struct Writing: Sendable {
        let type: StoredType
        /// Whether the type alone determines the bound value.
        let isPlain: Bool
        let offset: Int32
        let storedOffset: Int32
        let destination: EntityNumber
        /// The position in ``ValuesLayout/columns``.
        let column: Int32
        /// The bit of the column in an object's mask of changes.
        let bit: UInt64
    }

    /// The position of a foreign key column's identifier in an object.
    struct Reference: Sendable {
        let depth: Int32
        let storedOffset: Int32
    }

    /// A column of the entity.
    struct Column: Sendable {
        let slot: ValueSlot
        let offset: Int
        let storedOffset: Int
        /// The position among the columns of the table.
        let number: Int
        /// Whether the column stores whether a composite is nil.
        let isPresence: Bool
        let isDerived: Bool
        /// The optional composites around the value, as a range of ``ValuesLayout/enclosing``.
        let enclosing: Range<Int>

        func offset(inObject: Bool) -> Int { inObject ? storedOffset : offset }
    }

    /// The positions of the columns, by their numbers. A lookup requires no reference counting.
    struct ColumnPlaces: @unchecked Sendable {
        // Unchecked only because of the pointers: they lead to immutable lists that the layout owns.
        fileprivate let positions: UnsafePointer<Int>
        fileprivate let count: Int
        fileprivate let columns: UnsafePointer<Column>
        fileprivate let ends: UnsafePointer<Int>

        /// Returns the column of a number, and the depth of the class that declares it; nil for a column of another
        /// entity.
        @inline(__always)
        subscript(number: Int) -> (UnsafePointer<Column>, depth: Int)? {
            if number < 0 || number >= count { return nil }
            let position = positions[number]
            if position < 0 { return nil }
            var depth = 0
            while position >= ends[depth] { depth &+= 1 }
            return (columns + position, depth)
        }
    }

    /// An optional composite around values.
    struct Enclosing: Sendable {
        let slot: ValueSlot
        let offset: Int
        let storedOffset: Int
    }

    /// The properties in the order of the values struct. The properties of the class at each depth of the hierarchy are
    /// a range.
    let properties: [Property]
    let propertyRanges: [Range<Int>]
    /// The descriptions for reading, in the order of the properties.
    let readings: ConstantList<Reading>
    let coded: ConstantList<Coded>
    let absentBytes: ConstantList<UInt8>
    /// The names of the properties in Swift.
    let names: [String]
    /// The columns in the order in which they are bound, including derived ones.
    let columns: ConstantList<Column>
    let columnRanges: [Range<Int>]
    /// The columns that are not derived, in the order in which they are bound.
    let writings: ConstantList<Writing>
    let writingRanges: [Range<Int>]
    /// The references by the numbers of the columns. The depth is negative if the column is not a reference of the
    /// entity.
    let references: ConstantList<Reference>
    let enclosing: [Enclosing]
    let extent: MemoryExtent
    /// The bits of the entity's columns that are not derived.
    let ownColumns: UInt64
    /// The bits of those columns whose values can always be stored, and are read back unchanged.
    let unconvertedColumns: UInt64
    /// The bits of those columns whose values may be NaN.
    let notANumberColumns: UInt64
    /// The numbers of the columns in which a raw value without a case is read as another one.
    let unknownColumns: [Int]
    /// The values struct.
    let values: any EntityValues.Type
    /// The positions in ``columns`` by the numbers of the columns; negative for columns of other entities.
    private let positions: ConstantList<Int>
    /// The ends of ``columnRanges``.
    private let columnEnds: ConstantList<Int>
    /// The positions of the columns, for callers that do not hold the layout.
    let places: ColumnPlaces

    /// Creates the layout of an entity from that of its parent and the entity's own columns.
    init(
        _ values: any EntityValues.Type, parent: ValuesLayout?, entity: String, columns all: [ColumnDescription],
        codings: [Int: AttributeCoding], emptyComposites: [String: AttributeCoding],
        renamedProperties: [String: String], firstPosition: Int
    ) {
        var builder = ValuesLayoutBuilder(parent: parent)
        var number = 0
        while number < all.count {
            let column = all[number]
            guard column.entity == entity else {
                number += 1
                continue
            }
            number += builder.append(column, number, codings[number], position: firstPosition + number)
        }
        for (name, coding) in emptyComposites.sorted(by: { $0.key < $1.key }) { builder.append(empty: coding, name) }
        properties = builder.properties
        propertyRanges = (parent?.propertyRanges ?? []) + [(parent?.properties.count ?? 0)..<builder.properties.count]
        readings = ConstantList(builder.readings)
        coded = ConstantList(builder.coded)
        absentBytes = ConstantList(builder.absentBytes)
        writings = ConstantList(builder.writings)
        writingRanges = (parent?.writingRanges ?? []) + [(parent?.writings.count ?? 0)..<builder.writings.count]
        names = builder.names.map { renamedProperties[$0] ?? $0 }
        columns = ConstantList(builder.columns)
        columnRanges = (parent?.columnRanges ?? []) + [(parent?.columns.count ?? 0)..<builder.columns.count]
        enclosing = builder.enclosing
        extent = builder.extent
        ownColumns = builder.writings.reduce(0) { $0 | $1.bit }
        // Several columns share the last bit.
        unconvertedColumns =
            builder.writings.reduce(0) { $0 | ($1.isPlain && $1.type.isUnconverted ? $1.bit : 0) }
            & ~ManagedObject.bit(of: 63)
        notANumberColumns = builder.writings.reduce(0) { $0 | ($1.type.mayBeNotANumber ? $1.bit : 0) }
        unknownColumns = builder.columns.filter { $0.slot.coding?.unknownRawValue != nil }.map(\.number)
        self.values = values
        var positions = Array(repeating: -1, count: all.count)
        var references = Array(repeating: Reference(depth: -1, storedOffset: 0), count: all.count)
        for (depth, range) in columnRanges.enumerated() {
            for position in range {
                let column = builder.columns[position]
                positions[column.number] = position
                if column.slot.type != .identifier { continue }
                references[column.number] = Reference(
                    depth: Int32(depth), storedOffset: Int32(column.storedOffset))
            }
        }
        self.positions = ConstantList(positions)
        columnEnds = ConstantList(columnRanges.map(\.upperBound))
        places = ColumnPlaces(
            positions: self.positions.start, count: self.positions.count, columns: columns.start, ends: columnEnds.start
        )
        self.references = ConstantList(references)
        precondition(
            extent == MemoryExtent(of: values), "\(values) is laid out in memory in a way that Ashlar does not know")
    }

    /// Creates the layout of unknown values, which are never accessed: no container has such an entity.
    init(unknown values: any EntityValues.Type) {
        properties = []
        propertyRanges = [0..<0]
        readings = ConstantList([])
        coded = ConstantList([])
        absentBytes = ConstantList([])
        names = []
        columns = ConstantList([])
        columnRanges = [0..<0]
        writings = ConstantList([])
        writingRanges = [0..<0]
        references = ConstantList([])
        enclosing = []
        extent = MemoryExtent(of: values)
        ownColumns = 0
        unconvertedColumns = 0
        notANumberColumns = 0
        unknownColumns = []
        self.values = values
        positions = ConstantList([])
        columnEnds = ConstantList([])
        places = ColumnPlaces(positions: positions.start, count: 0, columns: columns.start, ends: columnEnds.start)
    }

    /// The number of superclasses with values.
    var depth: Int { propertyRanges.count - 1 }

    /// Returns the column of a number, and the depth of the class that declares it; nil for a column of another entity.
    func column(_ number: Int) -> (UnsafePointer<Column>, depth: Int)? { places[number] }
}
