/// The positions of rowids, or addresses, in a list that the caller keeps: a hash table with open addressing.
///
/// Looking up, inserting and removing take constant time on average. Neighbouring rowids lie side by side, so that rows
/// that were fetched together are looked up together. A slot takes 12 bytes, and at most half of the slots are
/// occupied. The slots of removed rowids stay occupied until the table is made anew.
@frozen @usableFromInline
package struct RowIDTable: ~Copyable {
    @usableFromInline var keys: UnsafeMutablePointer<Int64>
    /// The position of the key, or the mark of a slot without one.
    @usableFromInline var positions: UnsafeMutablePointer<Int32>
    /// The number of slots, a power of two.
    @usableFromInline package private(set) var capacity: Int
    @usableFromInline var shift: UInt64
    /// The occupied slots, those of removed rowids included.
    @usableFromInline var occupied = 0

    /// The position that marks a free slot.
    @usableFromInline static var free: Int32 { @_transparent get { -1 } }
    /// The position that marks the slot of a removed rowid.
    @usableFromInline static var removed: Int32 { @_transparent get { -2 } }

    /// Makes an empty table with room for half as many rowids as it has slots.
    package init(minimumCapacity: Int = 64) {
        let bits = Self.bits(minimumCapacity)
        capacity = 1 << bits
        shift = 64 - bits
        (keys, positions) = Self.slots(capacity)
    }

    deinit { keys.deallocate() }

    /// Memory for a number of slots, all of them free: first the keys, which it begins with, and then the positions.
    private static func slots(_ count: Int) -> (UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Int32>) {
        // A key and a position are as long as three positions.
        let keys = UnsafeMutablePointer<Int64>.allocate(capacity: (count * 3 + 1) / 2)
        let positions = UnsafeMutableRawPointer(keys + count).bindMemory(to: Int32.self, capacity: count)
        positions.initialize(repeating: free, count: count)
        return (keys, positions)
    }

    private static func bits(_ minimumCapacity: Int) -> UInt64 {
        var bits: UInt64 = 6
        while 1 << bits < minimumCapacity { bits += 1 }
        return bits
    }

    /// The position of a rowid; -1 where it is not there.
    @inlinable @inline(__always)
    package func position(of rowID: Int64) -> Int {
        var slot = RowIDHash.slot(of: rowID, shift, capacity)
        while true {
            let position = positions[slot]
            if position == Self.free { return -1 }
            if keys[slot] == rowID, position >= 0 { return Int(position) }
            slot = RowIDHash.slot(after: slot, capacity)
        }
    }

    /// The number of slots that a search for a rowid visits, whether or not it finds the rowid.
    package func steps(to rowID: Int64) -> Int {
        var slot = RowIDHash.slot(of: rowID, shift, capacity)
        var steps = 1
        while positions[slot] != Self.free, keys[slot] != rowID || positions[slot] < 0 {
            slot = RowIDHash.slot(after: slot, capacity)
            steps += 1
        }
        return steps
    }

    /// Returns whether there is room for some more rowids; without it, none may be inserted.
    @inlinable @inline(__always)
    package func hasRoom(for more: Int) -> Bool { (occupied &+ more) &* 2 <= capacity }

    /// Adds a rowid that is not there, with a position from 0 on.
    @inlinable @inline(__always)
    package mutating func insert(_ rowID: Int64, at position: Int) {
        RowIDHash.put(rowID, Int32(truncatingIfNeeded: position), keys, positions, shift, capacity)
        occupied &+= 1
    }

    /// Removes a rowid, and gives its position; -1 where it is not there.
    package mutating func remove(_ rowID: Int64) -> Int {
        var slot = RowIDHash.slot(of: rowID, shift, capacity)
        while true {
            let position = positions[slot]
            if position == Self.free { return -1 }
            if keys[slot] == rowID, position >= 0 {
                positions[slot] = Self.removed
                return Int(position)
            }
            slot = RowIDHash.slot(after: slot, capacity)
        }
    }

    /// Changes the number of slots, and frees the slots of removed rowids. Takes a time in proportion to the slots.
    package mutating func resize(minimumCapacity: Int) {
        let (oldKeys, oldPositions, oldCapacity) = (keys, positions, capacity)
        allocate(minimumCapacity)
        let (keys, positions, shift, capacity) = (keys, positions, shift, capacity)
        var placed = 0
        var slot = 0
        while slot < oldCapacity {
            let position = oldPositions[slot]
            if position >= 0 {
                RowIDHash.put(oldKeys[slot], position, keys, positions, shift, capacity)
                placed &+= 1
            }
            slot &+= 1
        }
        occupied = placed
        oldKeys.deallocate()
    }

    /// Forgets all rowids, and gives the table another number of slots.
    package mutating func removeAll(minimumCapacity: Int = 64) {
        keys.deallocate()
        allocate(minimumCapacity)
    }

    private mutating func allocate(_ minimumCapacity: Int) {
        let bits = Self.bits(minimumCapacity)
        capacity = 1 << bits
        shift = 64 - bits
        (keys, positions) = Self.slots(capacity)
        occupied = 0
    }
}

/// The common functions of tables of rowids.
@usableFromInline
package enum RowIDHash {
    /// The slot at which the search for a rowid begins. Neighbouring rowids lie side by side: 64 of them are a group,
    /// whose slots follow each other, so that a loop over them finds the next one in the processor's caches. The number
    /// of slots must be a power of two.
    ///
    /// A rowid's place among the group's slots depends on other bits than the place of the group. Otherwise, numbers in
    /// steps, such as addresses, would collide in a few places.
    @_transparent @usableFromInline
    package static func slot(of rowID: Int64, _ shift: UInt64, _ capacity: Int) -> Int {
        let bits = UInt64(bitPattern: rowID)
        // The masking shifts cost nothing in debug builds either.
        let product = (bits &>> 6) &* 0x9E37_79B9_7F4A_7C15
        let place = (bits ^ ((product ^ product &>> 32) &>> 8)) & 63
        return Int(truncatingIfNeeded: ((product &>> shift & ~63) | place) & UInt64(truncatingIfNeeded: capacity &- 1))
    }

    /// The next slot to look for a rowid at. If one slot is occupied, its neighbours mostly are too. So the next slot
    /// is at the same place among the next 64, and after the last ones, at the next place among the first. All slots
    /// are reached.
    @_transparent @usableFromInline
    package static func slot(after slot: Int, _ capacity: Int) -> Int {
        let next = slot &+ 64
        return next < capacity ? next : (next &+ 1) & 63 & (capacity &- 1)
    }

    /// Gives a rowid the first free slot.
    @_transparent @usableFromInline
    static func put(
        _ rowID: Int64, _ position: Int32, _ keys: UnsafeMutablePointer<Int64>,
        _ positions: UnsafeMutablePointer<Int32>, _ shift: UInt64, _ capacity: Int
    ) {
        var slot = slot(of: rowID, shift, capacity)
        while positions[slot] != -1 { slot = Self.slot(after: slot, capacity) }
        keys[slot] = rowID
        positions[slot] = position
    }
}
