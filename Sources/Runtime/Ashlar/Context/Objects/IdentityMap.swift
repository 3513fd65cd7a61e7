import CPrefetch
import Containers

/// The objects of one table in one context, each row at most once.
///
/// Objects are held strongly, in the order of their registration, and let go by ``sweep()`` once nobody else holds
/// them. That has the meaning of Core Data's weak registration, costs nothing per object, frees objects on the
/// context's own thread, and keeps those of one fetch side by side, so that a load can serve all of them.
final class IdentityMap {
    // Checked accesses here, in objects and in the registry would cost a look-up 11 % more instructions and an
    // insertion 10 %; see Access-checks-are-off-for-objects.md in Documentation/Decisions.

    /// In the order of registration; nil where an object was removed.
    @exclusivity(unchecked) private(set) var objects: ContiguousArray<ManagedObject?> = []
    /// The positions at which fetches began, but for one that began with the first object.
    @exclusivity(unchecked) private var batchStarts: [Int] = []
    /// How objects were asked for what a relationship leads to, by batches and relationships.
    @exclusivity(unchecked) private var accesses = BatchAccesses()
    /// The first question of all, which is mostly the only one, or followed by its like: which batch it is about is looked up
    /// with the second.
    @exclusivity(unchecked) private var firstQuestion: (property: LoadedProperty, rowID: Int64)?
    /// The positions of the rowids among the objects.
    @exclusivity(unchecked) private var table = RowIDTable()
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var countAfterSweep = 512
    /// Whether objects stay though nobody else holds them.
    @exclusivity(unchecked) var retainsObjects = false
    /// Whether relationships of an object were loaded or changed since the map was empty.
    @exclusivity(unchecked) var hasLinks = false
    /// How often objects were let go.
    @exclusivity(unchecked) private(set) var sweeps = 0
    /// The number by which the process knows the store that has the table.
    private let storeNumber: UInt32

    init(storeNumber: UInt32 = 0) {
        self.storeNumber = storeNumber
        // The first few would have it grow with each.
        objects.reserveCapacity(16)
    }

    /// The object of a row.
    subscript(rowID: Int64) -> ManagedObject? {
        let position = table.position(of: rowID)
        return position < 0 ? nil : objects[position]
    }

    /// The object of a row, which the map holds.
    @inline(__always)
    func reference(to rowID: Int64) -> Unmanaged<ManagedObject>? {
        let position = table.position(of: rowID)
        if position < 0 { return nil }
        return objects.withUnsafeBufferPointer { $0[position].map { Unmanaged.passUnretained($0) } }
    }

    /// Returns whether there is an object of a row, which is not deleted.
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

    /// Registers an object whose row is not registered, with a reference that was counted for the map.
    func insert(retained object: Unmanaged<ManagedObject>, rowID: Int64) {
        if !table.hasRoom(for: 1) {
            // The places of removed objects have to go at times, or the list would grow for ever.
            if count * 2 < objects.count {
                rebuild(minimumCapacity: (count + 1) * 4)
            } else {
                table.resize(minimumCapacity: (count + 1) * 2)
            }
        }
        // It is a part of the identifier, which is asked for much more often.
        object._withUnsafeGuaranteedRef { $0.record.storeNumber = storeNumber }
        let position = objects.count
        objects.append(object.takeRetainedValue())
        table.insert(rowID, at: position)
        count += 1
    }

    /// The object of a row, which is forgotten.
    func take(_ rowID: Int64) -> ManagedObject? {
        defer { remove(rowID) }
        return self[rowID]
    }

    /// Forgets the object of a row.
    func remove(_ rowID: Int64) {
        let position = table.remove(rowID)
        guard position >= 0 else { return }
        objects[position] = nil
        count -= 1
        if firstQuestion?.rowID == rowID { firstQuestion = nil }
    }

    /// Makes room for objects that a fetch is about to register, and marks where they begin.
    func beginBatch() {
        let (start, last) = (objects.count, batchStarts.count - 1)
        // Not `last`, a generic question, which takes long where nothing is optimised.
        if last < 0 ? start > 0 : batchStarts[last] != start { batchStarts.append(start) }
    }

    /// Calls a closure with the objects that were registered by the same fetch as a row's and that somebody still holds: it and
    /// those after it, then those before it, the nearest first.
    ///
    /// A loop over the objects has mostly been served with those around one that it has not. So each direction ends after
    /// some objects in a row that need nothing: each object that asks looks at no more of them, however many the fetch had.
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

    /// After how many objects in a row that need nothing no further sibling is looked for.
    private static let greatestSiblingGap = 64

    /// Whether somebody besides the map holds the object at a position.
    @inline(__always)
    private func isHeld(_ objects: UnsafeBufferPointer<ManagedObject?>, _ position: Int) -> Bool {
        guard let first = objects.baseAddress else { return false }
        // The question takes a variable, and changes nothing.
        return !isKnownUniquelyReferenced(&UnsafeMutablePointer(mutating: first)[position])
    }

    /// Returns which object of the row's fetch read the same property before. The first one is noted.
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

    /// Looks up whose batch the first question was about.
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

    /// The last time that something was loaded for several of the objects of the fetch that a row came from.
    func lastLoad(of property: LoadedProperty, for rowID: Int64) -> SiblingLoad? {
        key(property, of: rowID).flatMap { accesses[$0]?.lastLoad }
    }

    /// Notes that something was loaded for several of the objects of the fetch that a row came from.
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

    /// Lets go of the objects that nobody else holds and that have no changes, once enough were registered since.
    ///
    /// - Parameter isFetching: Whether a fetch still holds all objects that it registered, so that they need not be looked
    ///   at.
    func sweepIfGrown(isFetching: Bool = false) {
        if count >= countAfterSweep * 2 { sweep(upTo: isFetching ? batchStarts.last ?? 0 : objects.count) }
    }

    /// Lets go of the objects that nobody else holds and that have no changes.
    func sweep() { sweep(upTo: objects.count) }

    private func sweep(upTo end: Int) {
        if retainsObjects { return }
        sweeps += 1
        // They end after the map is whole again: what a property of theirs does when it ends may ask the context.
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

    /// Makes room for as many objects as are about to be registered.
    func reserve(_ more: Int) {
        if !table.hasRoom(for: more) { table.resize(minimumCapacity: (count + more) * 2) }
    }

    /// Registers all objects anew, without the places of those that were removed.
    private func rebuild(minimumCapacity: Int) {
        var moved: ContiguousArray<ManagedObject?> = []
        moved.reserveCapacity(count)
        var starts: [Int] = []
        // Where each batch goes that some object is left of, where anybody asks; and the start of the one that is gone through.
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
        // Its row may come back with another fetch.
        if let first = firstQuestion, !contains(first.rowID) { firstQuestion = nil }
    }

    /// Registers all objects anew after a save gave some of them their rowids.
    func reindex() {
        rebuild(minimumCapacity: max(table.capacity, count * 2))
    }

    /// Removes all objects, which then have no context.
    func removeAll() {
        // They end after all know it and the map is whole again: what a property of theirs does when it ends may ask others
        // of them, or the context.
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

    /// Lets go of objects, of which most end.
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
