/// The objects of a context: one for each row.
///
/// As in ``IdentityMap``, no property access here calls code that could access the property again. The context's own
/// checks keep two threads apart.
final class ObjectRegistry {
    // See ``IdentityMap`` for the cost of checked accesses.

    /// The stores of the tables.
    private let placement: StorePlacement
    /// The maps by the numbers of the root entities; nil for a table without objects so far.
    @exclusivity(unchecked) private var maps: ContiguousArray<IdentityMap?>
    /// The same maps, for access without reference counting. A map is never removed.
    private let references: UnsafeMutablePointer<Unmanaged<IdentityMap>?>
    /// The number of events after which a loaded relationship may list objects that no longer exist.
    @exclusivity(unchecked) private var disappearances = 0
    /// Whether every object stays registered.
    var retainsObjects = false {
        didSet { for map in maps { map?.retainsObjects = retainsObjects } }
    }

    init(_ container: ModelContainer) {
        placement = container.placement
        let count = container.model.entities.count
        maps = ContiguousArray(repeating: nil, count: count)
        references = .allocate(capacity: count)
        references.initialize(repeating: nil, count: count)
    }

    deinit { references.deallocate() }

    // MARK: Looking up

    @inline(__always)
    private func reference(_ root: UInt16) -> Unmanaged<IdentityMap>? {
        precondition(Int(root) < maps.count, "a table of another model")
        return references[Int(root)]
    }

    /// The objects of a table, by the number of its root entity.
    @inline(__always)
    func map(for root: UInt16) -> IdentityMap {
        if let map = maps[Int(root)] { return map }
        return makeMap(for: root)
    }

    @inline(never)
    private func makeMap(for root: UInt16) -> IdentityMap {
        let map = IdentityMap(storeNumber: placement.storeNumber(of: root))
        map.retainsObjects = retainsObjects
        maps[Int(root)] = map
        references[Int(root)] = Unmanaged.passUnretained(map)
        return map
    }

    /// Calls a closure with the objects of a table, without reference counting.
    @inline(__always)
    func withMap<Result>(for root: UInt16, _ body: (IdentityMap) throws -> Result) rethrows -> Result {
        try (reference(root) ?? Unmanaged.passUnretained(makeMap(for: root)))._withUnsafeGuaranteedRef(body)
    }

    /// Records that an object of a table has relationships in memory.
    @inline(__always)
    func noteLinks(of root: UInt16) { withMap(for: root) { $0.hasLinks = true } }

    /// The objects of a table; nil if the context never had one.
    @inline(__always)
    func knownMap(for root: UInt16) -> IdentityMap? { maps[Int(root)] }

    /// The object of a row of a table.
    @inline(__always)
    subscript(rowID: Int64, root: UInt16) -> ManagedObject? {
        reference(root)?._withUnsafeGuaranteedRef { $0[rowID] }
    }

    /// Returns whether a row of a table has an object.
    @inline(__always)
    func contains(_ rowID: Int64, _ root: UInt16) -> Bool {
        reference(root)?._withUnsafeGuaranteedRef { $0.contains(rowID) } ?? false
    }

    /// Registers a new object.
    @inline(__always)
    func insert(_ object: ManagedObject) {
        withMap(for: object.rootNumber) { $0.insert(object, rowID: object.record.rowID) }
    }

    /// Removes an object.
    @inline(__always)
    func remove(_ object: ManagedObject) {
        reference(object.rootNumber)?._withUnsafeGuaranteedRef { $0.remove(object.record.rowID) }
    }

    /// The object of an identifier; nil also for an identifier of another store.
    func object(_ identifier: PersistentIdentifier) -> ManagedObject? {
        let root = identifier.number.root
        guard Int(root) < maps.count, identifier.isRow(of: root, in: placement.storeNumber(of: root)) else {
            return nil
        }
        return self[identifier.rowID, root]
    }

    /// All objects, including inserted and deleted ones, table by table.
    var objects: [ManagedObject] { maps.flatMap { $0?.objects.compactMap(\.self) ?? [] } }

    /// Calls a closure with each object. Objects may be added and removed meanwhile.
    func visit(_ body: (ManagedObject) throws -> Void) rethrows {
        for map in maps {
            for case let object? in map?.objects ?? [] { try body(object) }
        }
    }

    /// Calls a closure with the objects that have relationships in memory. Objects may be added and removed meanwhile.
    ///
    /// - Complexity: O(*n*) in the number of objects in tables with such objects.
    func visitWithLinks(_ body: (ManagedObject) -> Void) {
        for case let map? in maps where map.hasLinks {
            for case let object? in map.objects where object.record.links != nil { body(object) }
        }
    }

    /// Calls a closure with the objects of each table and the number of its root entity.
    func visitMaps(_ body: (UInt16, IdentityMap) throws -> Void) rethrows {
        for (root, map) in maps.enumerated() {
            if let map { try body(UInt16(root), map) }
        }
    }

    // MARK: Releasing

    /// Records that objects disappeared that a loaded relationship may list.
    func noteDisappearance() { disappearances += 1 }

    /// Returns a number that changes when objects of a table disappear that a loaded relationship may list.
    @inline(__always)
    func disappearances(of root: UInt16) -> Int {
        disappearances &+ (reference(root)?._withUnsafeGuaranteedRef { $0.sweeps } ?? 0)
    }

    /// Releases objects without other references, in each table that grew.
    func sweepIfGrown() { for map in maps { map?.sweepIfGrown() } }

    /// Makes all relationships load their members again.
    func forgetLinks() {
        for map in maps {
            for object in map?.objects ?? [] { object?.record.links = nil }
        }
    }

    /// Removes all objects after calling a closure with each.
    func removeAll(_ leave: (ManagedObject) -> Void) {
        for map in maps {
            for case let object? in map?.objects ?? [] { leave(object) }
            map?.removeAll()
        }
    }

    /// Removes all objects when their context is released. They keep the number of their store.
    func end() {
        for map in maps { map?.removeAll() }
    }
}
