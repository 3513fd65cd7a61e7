import AshlarSQLite
import SystemFoundation

/// A lender of successive rows. It has the positions of the columns, and copies of values that cannot be lent as they
/// are stored. The copies live as long as their row.
///
/// Only the thread of the loop uses it.
@usableFromInline
final class RowLender {
    @usableFromInline let columns: LentColumns
    let row: Row
    private let layout: ValuesLayout
    private let entity: EntityNumber
    private let places: UnsafeMutablePointer<LentPlace>
    /// The memory in which a property's value is created, one at a time.
    private let scratch: UnsafeMutableRawPointer
    /// The memory for copies of the current row, and the used part of it.
    private let room: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var used = 0
    /// The copies that did not fit into that memory.
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

    /// Releases the copies of the current row.
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

    /// Returns the value at an offset, which is a property or a part of one.
    func value<Value>(at offset: Int) throws(RowError) -> Value {
        let number = Int(places[offset].property)
        // A type without bytes has only one value.
        if number < 0 { return scratch.assumingMemoryBound(to: Value.self).pointee }
        let property = layout.properties[number]
        try layout.decode(number, row, into: scratch)
        defer { property.slot.destroy(scratch) }
        return (scratch + offset - property.offset).assumingMemoryBound(to: Value.self).pointee
    }

    /// Returns all values of the row.
    func values<Values: EntityValues>(of type: Values.Type) throws(RowError) -> Values {
        let memory = UnsafeMutablePointer<Values>.allocate(capacity: 1)
        defer { memory.deallocate() }
        try layout.decode(row, into: memory)
        return memory.move()
    }

    // MARK: Copies

    /// Returns a copy of invalid UTF-8 with its errors replaced.
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
    /// Returns the columns of a row for the offsets up to the end of the values.
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
            // No key path has an offset within an optional composite.
            if column.isPresence || !column.enclosing.isEmpty { continue }
            let kind = LentPlace.Kind(column.slot.type)
            if kind == .other { continue }
            places[column.offset].kind = kind
            places[column.offset].column = firstColumn + Int32(column.number)
        }
        return places
    }
}
