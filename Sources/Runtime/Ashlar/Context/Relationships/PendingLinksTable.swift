import Containers

/// The members that relationships gained and lost, by relationship and owner. It is a hash table with open addressing,
/// in the order in which the relationships first changed.
///
/// A deletion reads it five times. A `Dictionary` takes 200 instructions to hash, because its hashes resist keys that
/// are chosen to collide. This table takes 30, as its keys are numbers from stores and contexts. It is not a
/// ``RowIDTable``, because a key is more than a number.
final class PendingLinksTable {
    private struct Entry {
        let key: LinkKey
        /// The members; nil if they were removed.
        var links: PendingLinks?
    }

    // See ``PendingChanges`` for the cost of checked accesses.

    @exclusivity(unchecked) private var entries: ContiguousArray<Entry> = []
    /// The positions of the entries, including removed ones. At most half of the slots are used.
    @exclusivity(unchecked) private var slots: ContiguousArray<Int32> = []
    @exclusivity(unchecked) private var shift: UInt64 = 64
    @exclusivity(unchecked) private(set) var count = 0

    private static let free: Int32 = -1

    init() {}

    var isEmpty: Bool { count == 0 }

    /// The recorded changes of a relationship. Complexity: O(1).
    subscript(key: LinkKey) -> PendingLinks? {
        get {
            let position = position(of: key)
            return position < 0 ? nil : entries[position].links
        }
        set {
            let position = position(of: key)
            if position >= 0 {
                count += (newValue == nil ? 0 : 1) - (entries[position].links == nil ? 0 : 1)
                entries[position].links = newValue
            } else if let newValue {
                append(key, newValue)
            }
        }
    }

    /// Returns whether changes of a relationship were recorded. Complexity: O(1).
    func contains(_ key: LinkKey) -> Bool {
        let position = position(of: key)
        return position >= 0 && entries[position].links != nil
    }

    private func position(of key: LinkKey) -> Int {
        if slots.isEmpty { return -1 }
        var slot = RowIDHash.slot(of: key.mixed, shift, slots.count)
        while true {
            let position = Int(slots[slot])
            if position < 0 || entries[position].key == key { return position }
            slot = RowIDHash.slot(after: slot, slots.count)
        }
    }

    private func append(_ key: LinkKey, _ links: PendingLinks) {
        if (entries.count + 1) * 2 > slots.count { rebuild() }
        place(key, entries.count)
        entries.append(Entry(key: key, links: links))
        count += 1
    }

    private func place(_ key: LinkKey, _ position: Int) {
        var slot = RowIDHash.slot(of: key.mixed, shift, slots.count)
        while slots[slot] != Self.free { slot = RowIDHash.slot(after: slot, slots.count) }
        slots[slot] = Int32(truncatingIfNeeded: position)
    }

    /// Makes room, without the places of removed entries.
    private func rebuild() {
        if count < entries.count { entries.removeAll { $0.links == nil } }
        var bits: UInt64 = 4
        while 1 << bits < (count + 1) * 4 { bits += 1 }
        shift = 64 - bits
        slots = ContiguousArray(repeating: Self.free, count: 1 << bits)
        for (position, entry) in entries.enumerated() { place(entry.key, position) }
    }

    func removeAll() {
        (entries, slots, count) = ([], [], 0)
    }

    /// Replaces the contents by another table's changes of some relationships.
    func take(_ other: PendingLinksTable, where isTaken: (LinkKey) -> Bool) {
        let elements = other.filter { isTaken($0.key) }
        removeAll()
        for (key, links) in elements { self[key] = links }
    }

    /// The relationships, in the order of their first change.
    var keys: some Sequence<LinkKey> { lazy.map(\.key) }
}

extension PendingLinksTable: Sequence {
    struct Iterator: IteratorProtocol {
        private let entries: ContiguousArray<Entry>
        private var position = 0

        fileprivate init(_ table: PendingLinksTable) { entries = table.entries }

        mutating func next() -> (key: LinkKey, links: PendingLinks)? {
            while position < entries.count {
                defer { position += 1 }
                if let links = entries[position].links { return (entries[position].key, links) }
            }
            return nil
        }
    }

    func makeIterator() -> Iterator { Iterator(self) }
}
