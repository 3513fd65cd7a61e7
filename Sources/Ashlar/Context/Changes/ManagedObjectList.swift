/// Objects in the order in which they came, of which any can be taken out again.
///
/// Adding and removing take constant time, amortised: what is removed stays in the array until half of it is gone or
/// somebody asks for the array, so that deleting 60,000 unsaved objects one by one moves each of them once or twice.
struct ManagedObjectList {
    private var elements: ContiguousArray<ManagedObject> = []
    /// What is still in the array, and is not to be.
    private var removed: Set<ObjectIdentifier> = []

    init() {}

    init(_ elements: ContiguousArray<ManagedObject>) { self.elements = elements }

    /// The objects. Complexity: O(1), or O(n) after a removal.
    var array: ContiguousArray<ManagedObject> {
        mutating get {
            if !removed.isEmpty { compact() }
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
        // The newest mostly goes first.
        if removed.isEmpty, elements.last === object {
            elements.removeLast()
            return
        }
        removed.insert(ObjectIdentifier(object))
        if removed.count > elements.count / 2 { compact() }
    }

    private mutating func compact() {
        let gone = removed
        elements.removeAll { gone.contains(ObjectIdentifier($0)) }
        removed = []
    }
}
