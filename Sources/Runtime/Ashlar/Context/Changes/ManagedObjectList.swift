/// Objects in the order in which they came, of which any can be taken out again.
///
/// Adding and removing take constant time, amortised: what is removed stays in the array until half of it is gone or
/// somebody asks for the array, so that deleting 60,000 unsaved objects one by one moves each of them once or twice.
struct ManagedObjectList {
    private var elements: ContiguousArray<ManagedObject> = []
    /// The objects that were removed in their order, and are still in the array: noting the next one is one comparison.
    private var gap = 0..<0
    /// Whether an object was looked for in the array since nothing in it is gone; the others are noted, not looked for.
    private var isSearched = false
    /// The other removed objects that are still in the array.
    private var removed: Set<ObjectIdentifier> = []

    init() {}

    init(_ elements: ContiguousArray<ManagedObject>) { self.elements = elements }

    /// The objects. Complexity: O(1), or O(n) after a removal.
    var array: ContiguousArray<ManagedObject> {
        mutating get {
            if !removed.isEmpty || !gap.isEmpty { compact() }
            return elements
        }
    }

    /// Adds an object that is not in the list.
    mutating func append(_ object: ManagedObject) {
        // One that comes back gets a new place.
        if !removed.isEmpty, removed.contains(ObjectIdentifier(object)) { compact() }
        elements.append(object)
    }

    /// Takes an object out, if it is there.
    mutating func remove(_ object: ManagedObject) {
        let next = gap.upperBound
        if !gap.isEmpty, next < elements.count, elements[next] === object {
            gap = gap.lowerBound..<next + 1
        } else if removed.isEmpty, next < elements.count, elements.last === object {
            // The newest mostly goes first.
            elements.removeLast()
            return
        } else if !isSearched {
            isSearched = true
            guard let position = elements.firstIndex(where: { $0 === object }) else { return }
            gap = position..<position + 1
        } else {
            removed.insert(ObjectIdentifier(object))
        }
        if removed.count + gap.count > elements.count / 2 { compact() }
    }

    private mutating func compact() {
        elements.removeSubrange(gap)
        let gone = removed
        if !gone.isEmpty { elements.removeAll { gone.contains(ObjectIdentifier($0)) } }
        (gap, removed, isSearched) = (0..<0, [], false)
    }
}
