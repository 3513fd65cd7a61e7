import CPrefetch
import Containers

/// The objects of one table in one context, at most one for each row.
///
/// The map holds objects strongly, in the order of their registration, until ``sweep()`` releases those without other
/// references. The effect is that of Core Data's weak registration. But it costs nothing per object, frees objects on
/// the context's own thread, and keeps the objects of a fetch adjacent, so that one load can serve all of them.
final class IdentityMap {
    // Checked accesses here, in objects and in the registry would cost a look-up 11 % more instructions and an
    // insertion 10 %; see Access-checks-are-off-for-objects.md in Documentation/Decisions.

    /// The objects in the order of their registration; nil for removed ones.
    @exclusivity(unchecked) private(set) var objects: ContiguousArray<ManagedObject?> = []
    /// The positions at which fetches began, except for a fetch that began with the first object.
    @exclusivity(unchecked) private var batchStarts: [Int] = []
    /// The accesses to lazy properties, by batches and properties.
    @exclusivity(unchecked) private var accesses = BatchAccesses()
    /// The first access of all. Usually it is the only one, or similar ones follow, so its batch is looked up only with
    /// the second.
    @exclusivity(unchecked) private var firstQuestion: (property: LoadedProperty, rowID: Int64)?
    /// The positions of the rowids among the objects.
    @exclusivity(unchecked) private var table = RowIDTable()
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var countAfterSweep = 512
    /// Whether objects stay registered without other references.
    @exclusivity(unchecked) var retainsObjects = false
    /// Whether relationships of an object were loaded or changed since the map was empty.
    @exclusivity(unchecked) var hasLinks = false
    /// The number of sweeps.
    @exclusivity(unchecked) private(set) var sweeps = 0
    /// The number of the store of this table within the process.
    private let storeNumber: UInt32

    init(storeNumber: UInt32 = 0) {
        self.storeNumber = storeNumber
        // Without a reserve, the array would grow with each of the first objects.
        objects.reserveCapacity(16)
    }

    /// The object of a row.
    subscript(rowID: Int64) -> ManagedObject? {
        let position = table.position(of: rowID)
        return position < 0 ? nil : objects[position]
    }

    /// The object of a row, as a reference that the map keeps valid.
    @inline(__always)
    func reference(to rowID: Int64) -> Unmanaged<ManagedObject>? {
        let position = table.position(of: rowID)
        if position < 0 { return nil }
        return objects.withUnsafeBufferPointer { $0[position].map { Unmanaged.passUnretained($0) } }
    }

    /// Returns whether a row has an object that is not deleted.
    func holdsLiving(_ rowID: Int64) -> Bool {
        let position = table.position(of: rowID)
        if position < 0 { return false }
        return objects.withUnsafeBufferPointer { $0[position].map { $0.record.state != .deleted } ?? false }
    }

    func contains(_ rowID: Int64) -> Bool { table.position(of: rowID) >= 0 }

    /// Registers an object whose row is not registered.
    func insert(_ object: ManagedObject, rowID: Int64) {
        insert(retained: Unmanaged.passRetained(object), rowID: rowID)
    }

    /// Registers an object whose row is not registered, and takes over a reference that the caller counted.
    func insert(retained object: Unmanaged<ManagedObject>, rowID: Int64) {
        if !table.hasRoom(for: 1) {
            // The places of removed objects are reclaimed at times, so that the list does not grow forever.
            if count * 2 < objects.count {
                rebuild(minimumCapacity: (count + 1) * 4)
            } else {
                table.resize(minimumCapacity: (count + 1) * 2)
            }
        }
        // The store is a part of the identifier, which is read much more often.
        object._withUnsafeGuaranteedRef { $0.record.storeNumber = storeNumber }
        let position = objects.count
        objects.append(object.takeRetainedValue())
        table.insert(rowID, at: position)
        count += 1
    }

    /// Removes and returns the object of a row.
    func take(_ rowID: Int64) -> ManagedObject? {
        defer { remove(rowID) }
        return self[rowID]
    }

    /// Removes the object of a row.
    func remove(_ rowID: Int64) {
        let position = table.remove(rowID)
        guard position >= 0 else { return }
        objects[position] = nil
        count -= 1
        if firstQuestion?.rowID == rowID { firstQuestion = nil }
    }

    /// Makes room for objects that a fetch is about to register, and marks their start.
    func beginBatch() {
        let (start, last) = (objects.count, batchStarts.count - 1)
        // Not `last`: the generic property is slow in unoptimized builds.
        if last < 0 ? start > 0 : batchStarts[last] != start { batchStarts.append(start) }
    }

    /// Calls a closure with objects of the same fetch as a row's that have references outside the map: first the row's
    /// object and those after it, then those before it, nearest first.
    ///
    /// In a loop over the objects, the objects around one that needs loading were usually loaded before. So each
    /// direction ends after several objects in a row that need nothing, which limits the cost per object however large
    /// the fetch was.
    @inline(__always)
    func forEachSibling(of rowID: Int64, _ body: (ManagedObject) -> SiblingAnswer) {
        let position = table.position(of: rowID)
        if position < 0 { return }
        let batch = batch(at: position)
        objects.withUnsafeBufferPointer { objects in
            for (first, step, end) in [(position, 1, batch.upperBound), (position - 1, -1, batch.lowerBound - 1)] {
                var next = first
                var needless = 0
                while next != end, needless < Self.greatestSiblingGap {
                    if step > 0 {
                        CPrefetchAhead(objects.baseAddress, MemoryLayout<ManagedObject?>.stride, next, end)
                    }
                    needless &+= 1
                    if let sibling = objects[next].map({ Unmanaged.passUnretained($0) }), isHeld(objects, next) {
                        switch sibling._withUnsafeGuaranteedRef(body) {
                        case .served: needless = 0
                        case .needless: break
                        case .enough: return
                        }
                    }
                    next &+= step
                }
            }
        }
    }

    /// The number of consecutive objects that need nothing after which the search for siblings ends.
    private static let greatestSiblingGap = 64

    /// Returns whether the object at a position has references outside the map.
    @inline(__always)
    private func isHeld(_ objects: UnsafeBufferPointer<ManagedObject?>, _ position: Int) -> Bool {
        guard let first = objects.baseAddress else { return false }
        // The test needs a variable, but changes nothing.
        return !isKnownUniquelyReferenced(&UnsafeMutablePointer(mutating: first)[position])
    }

    /// Returns which object of the row's fetch read the same property before, and records the first one.
    func earlierAccess(to property: LoadedProperty, of rowID: Int64) -> EarlierAccess {
        if accesses.isEmpty {
            guard let first = firstQuestion else {
                firstQuestion = (property, rowID)
                return .none
            }
            if first == (property, rowID) { return .same }
            placeFirstQuestion()
        }
        return note(property, of: rowID)
    }

    /// Looks up the batch of the first access.
    private func placeFirstQuestion() {
        guard let first = firstQuestion else { return }
        firstQuestion = nil
        note(first.property, of: first.rowID)
    }

    @discardableResult
    private func note(_ property: LoadedProperty, of rowID: Int64) -> EarlierAccess {
        guard let key = key(property, of: rowID) else { return .none }
        if let first = accesses[key]?.first { return first == rowID ? .same : .other }
        accesses.note(BatchAccesses.Known(first: rowID), key)
        return .none
    }

    /// Returns the key of the row's fetch; nil if the row has no object.
    private func key(_ property: LoadedProperty, of rowID: Int64) -> BatchAccesses.Key? {
        let position = table.position(of: rowID)
        return position < 0 ? nil : BatchAccesses.Key(start: batch(at: position).lowerBound, property: property)
    }

    /// Returns the last load of a property for several objects of the fetch that a row came from.
    func lastLoad(of property: LoadedProperty, for rowID: Int64) -> SiblingLoad? {
        key(property, of: rowID).flatMap { accesses[$0]?.lastLoad }
    }

    /// Records a load of a property for several objects of the fetch that a row came from.
    func note(_ load: SiblingLoad, of property: LoadedProperty, for rowID: Int64) {
        placeFirstQuestion()
        guard let key = key(property, of: rowID) else { return }
        var known = accesses[key] ?? BatchAccesses.Known(first: rowID)
        known.lastLoad = load
        accesses.note(known, key)
    }

    private func batch(at position: Int) -> Range<Int> {
        var low = 0
        var high = batchStarts.count
        while low < high {
            let middle = (low + high) / 2
            if batchStarts[middle] <= position { low = middle + 1 } else { high = middle }
        }
        return (low == 0 ? 0 : batchStarts[low - 1])..<(low == batchStarts.count ? objects.count : batchStarts[low])
    }

    /// Releases unchanged objects without other references, once enough objects were registered since the last sweep.
    ///
    /// - Parameter isFetching: Whether a fetch still holds all objects that it registered, which are then skipped.
    func sweepIfGrown(isFetching: Bool = false) {
        if count >= countAfterSweep * 2 { sweep(upTo: isFetching ? batchStarts.last ?? 0 : objects.count) }
    }

    /// Releases unchanged objects without other references.
    func sweep() { sweep(upTo: objects.count) }

    private func sweep(upTo end: Int) {
        if retainsObjects { return }
        sweeps += 1
        // Objects are released after the map is complete again: their deinitializers may use the context.
        var released: [ManagedObject] = []
        objects.withUnsafeMutableBufferPointer { objects in
            guard let first = objects.baseAddress else { return }
            var position = 0
            while position < end {
                CPrefetchAhead(first, MemoryLayout<ManagedObject?>.stride, position, end)
                let place = first + position
                position += 1
                guard place.pointee != nil, isKnownUniquelyReferenced(&place.pointee), let object = place.pointee,
                    object.record.state == .persisted
                else { continue }
                object.record.context = nil
                object.record.state = .detached
                object.record.isObserved = false
                place.pointee = nil
                released.append(object)
            }
        }
        count -= released.count
        if !released.isEmpty { rebuild(minimumCapacity: count * 2) }
        countAfterSweep = max(count, 512)
        withExtendedLifetime(released) {}
    }

    /// Makes room for a number of objects that are about to be registered.
    func reserve(_ more: Int) {
        if !table.hasRoom(for: more) { table.resize(minimumCapacity: (count + more) * 2) }
    }

    /// Registers all objects again, without the places of removed ones.
    private func rebuild(minimumCapacity: Int) {
        var moved: ContiguousArray<ManagedObject?> = []
        moved.reserveCapacity(count)
        var starts: [Int] = []
        // The new starts of the batches with remaining objects, if accesses are recorded; and the start of the present
        // batch.
        var newStarts = [0: 0]
        var opened = 0
        let keepsAccesses = !accesses.isEmpty
        var next = 0
        table.removeAll(minimumCapacity: minimumCapacity)
        objects.withUnsafeBufferPointer { objects in
            guard let first = objects.baseAddress else { return }
            var position = 0
            while position < objects.count {
                while next < batchStarts.count, batchStarts[next] <= position {
                    if starts.last ?? 0 != moved.count { starts.append(moved.count) }
                    if keepsAccesses {
                        if newStarts[opened] == moved.count { newStarts[opened] = nil }
                        opened = batchStarts[next]
                        newStarts[opened] = moved.count
                    }
                    next += 1
                }
                if let object = first[position] {
                    table.insert(object.record.rowID, at: moved.count)
                    moved.append(object)
                }
                position += 1
            }
        }
        if next < batchStarts.count, starts.last ?? 0 != moved.count { starts.append(moved.count) }
        if newStarts[opened] == moved.count { newStarts[opened] = nil }
        objects = moved
        batchStarts = starts
        accesses.moveBatches(newStarts)
        // Another fetch may register its row again.
        if let first = firstQuestion, !contains(first.rowID) { firstQuestion = nil }
    }

    /// Registers all objects again after a save assigned rowids to some of them.
    func reindex() {
        rebuild(minimumCapacity: max(table.capacity, count * 2))
    }

    /// Removes all objects, which then have no context.
    func removeAll() {
        // Objects are released after all are detached and the map is complete again: their deinitializers may use each
        // other or the context.
        let removed = objects
        removed.withUnsafeBufferPointer { removed in
            guard let first = removed.baseAddress else { return }
            var position = 0
            while position < removed.count {
                CPrefetchAhead(first, MemoryLayout<ManagedObject?>.stride, position, removed.count)
                if let object = first[position] {
                    object.record.context = nil
                    object.record.followers = 0
                    if object.record.state != .gone { object.record.state = .detached }
                }
                position &+= 1
            }
        }
        objects = []
        batchStarts = []
        accesses = BatchAccesses()
        firstQuestion = nil
        hasLinks = false
        count = 0
        table.removeAll()
        Self.release(removed)
    }

    /// Releases objects, and thereby frees most of them.
    private static func release(_ objects: consuming ContiguousArray<ManagedObject?>) {
        objects.withUnsafeMutableBufferPointer { objects in
            guard let first = objects.baseAddress else { return }
            var position = 0
            while position < objects.count {
                CPrefetchAhead(first, MemoryLayout<ManagedObject?>.stride, position, objects.count)
                first[position] = nil
                position &+= 1
            }
        }
    }
}
