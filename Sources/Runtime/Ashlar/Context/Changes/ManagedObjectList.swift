/// Objects in insertion order; any object can be removed.
///
/// Adding and removing take constant time, amortized. Removed objects stay in the array until half of it is removed or
/// ``array`` is read. Deleting 60,000 unsaved objects one by one thus moves each of them once or twice.
struct ManagedObjectList {
    private var elements: ContiguousArray<ManagedObject> = []
    /// The positions of objects that were removed one after another and are still in the array. Extending it takes one
    /// comparison.
    private var gap = 0..<0
    /// Whether the array was searched since it was last compacted. Further removals are recorded instead of searched.
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
        // An object that is added again gets a new position.
        if !removed.isEmpty, removed.contains(ObjectIdentifier(object)) { compact() }
        elements.append(object)
    }

    /// Removes an object if it is in the list.
    mutating func remove(_ object: ManagedObject) {
        let next = gap.upperBound
        if !gap.isEmpty, next < elements.count, elements[next] === object {
            gap = gap.lowerBound..<next + 1
        } else if removed.isEmpty, next < elements.count, elements.last === object {
            // Usually the newest object is removed first.
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
