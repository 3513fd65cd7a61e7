import AshlarSQLite
import SystemFoundation

/// A lender of one row after the other: the positions of the columns, and copies of values that cannot be lent as they
/// are stored, which live as long as their row.
///
/// A thread of its own has it, that of the loop.
@usableFromInline
final class RowLender {
    @usableFromInline let columns: LentColumns
    let row: Row
    private let layout: ValuesLayout
    private let entity: EntityNumber
    private let places: UnsafeMutablePointer<LentPlace>
    /// Where a property's value is made, one after the other.
    private let scratch: UnsafeMutableRawPointer
    /// Room for copies of the present row, and how much of it is used.
    private let room: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var used = 0
    /// Copies for which there was no more room.
    @exclusivity(unchecked) private var copies: [UnsafeMutableRawPointer] = []

    private static let roomSize = 1 << 12

    init(_ row: Row, _ entity: EntityDescription, _ layout: ValuesLayout) {
        self.row = row
        self.layout = layout
        self.entity = entity.number
        places = layout.lentPlaces(from: Int32(entity.firstColumn))
        columns = LentColumns(row.statement, UnsafePointer(places), store: row.store)
        scratch = .allocate(byteCount: max(layout.extent.size, 1), alignment: layout.extent.alignment)
        room = .allocate(byteCount: Self.roomSize, alignment: 1)
    }

    deinit {
        endRow()
        room.deallocate()
        scratch.deallocate()
        places.deallocate()
    }

    /// Lets go of what the present row has had copied.
    @inline(__always)
    func endRow() {
        used = 0
        if copies.count > 0 { deallocateCopies() }
    }

    private func deallocateCopies() {
        for copy in copies { copy.deallocate() }
        copies.removeAll(keepingCapacity: true)
    }

    var identifier: PersistentIdentifier { PersistentIdentifier(rowID: row.rowID, store: row.store, entity: entity) }

    /// The value that lies at an offset, within a property or all of it.
    func value<Value>(at offset: Int) throws(RowError) -> Value {
        let number = Int(places[offset].property)
        // What has no bytes is of one value.
        if number < 0 { return scratch.assumingMemoryBound(to: Value.self).pointee }
        let property = layout.properties[number]
        try layout.decode(number, row, into: scratch)
        defer { property.slot.destroy(scratch) }
        return (scratch + offset - property.offset).assumingMemoryBound(to: Value.self).pointee
    }

    /// All values of the row.
    func values<Values: EntityValues>(of type: Values.Type) throws(RowError) -> Values {
        let memory = UnsafeMutablePointer<Values>.allocate(capacity: 1)
        defer { memory.deallocate() }
        try layout.decode(row, into: memory)
        return memory.move()
    }

    // MARK: Copies

    /// A text that is none, with what is wrong in it replaced.
    func keepRepaired(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        keep(String(decoding: bytes, as: UTF8.self))
    }

    func keep(_ text: String) -> UnsafeBufferPointer<UInt8> {
        var text = text
        let kept = text.withUTF8 { keep(UnsafeRawBufferPointer($0)) }
        return UnsafeBufferPointer(
            start: kept.baseAddress?.assumingMemoryBound(to: UInt8.self), count: kept.count)
    }

    func keep(_ data: Data) -> UnsafeRawBufferPointer { data.withUnsafeBytes { keep($0) } }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let copy: UnsafeMutableRawPointer
        if bytes.count <= Self.roomSize - used {
            copy = room + used
            used += bytes.count
        } else {
            copy = .allocate(byteCount: bytes.count, alignment: 1)
            copies.append(copy)
        }
        if let start = bytes.baseAddress { copy.copyMemory(from: start, byteCount: bytes.count) }
        return UnsafeRawBufferPointer(start: copy, count: bytes.count)
    }
}

extension ValuesLayout {
    /// Where what begins at each offset is in a row, up to the end of the values.
    fileprivate func lentPlaces(from firstColumn: Int32) -> UnsafeMutablePointer<LentPlace> {
        let places = UnsafeMutablePointer<LentPlace>.allocate(capacity: extent.size + 1)
        places.initialize(repeating: .nothing, count: extent.size + 1)
        for (number, property) in properties.enumerated() {
            for offset in property.offset..<property.offset + property.slot.size {
                places[offset].property = Int32(number)
                places[offset].destination = readings[number].destination
            }
        }
        var position = 0
        while position < columns.count {
            let column = columns.start[position]
            position += 1
            // What is within an optional composite no key path leads to by an offset.
            if column.isPresence || !column.enclosing.isEmpty { continue }
            let kind = LentPlace.Kind(column.slot.type)
            if kind == .other { continue }
            places[column.offset].kind = kind
            places[column.offset].column = firstColumn + Int32(column.number)
        }
        return places
    }
}
