/// The objects that a context has: one for each row.
///
/// No access to a property calls anything that could have another one, as with ``IdentityMap``: the context's own checks
/// keep two threads apart.
final class ObjectRegistry {
    // What checked accesses would cost stands beside ``IdentityMap``.

    /// Which store has the rows of which table.
    private let placement: StorePlacement
    /// By the numbers of the root entities; nil for a table of which the context never had an object.
    @exclusivity(unchecked) private var maps: ContiguousArray<IdentityMap?>
    /// The same, to be asked without counting a reference: a map that was made stays.
    private let references: UnsafeMutablePointer<Unmanaged<IdentityMap>?>
    /// Counts the events after which a loaded relationship may list objects that are no more.
    @exclusivity(unchecked) private var disappearances = 0
    /// Whether every object stays that there ever was.
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

    /// Lets a closure use the objects of a table, without counting a reference.
    @inline(__always)
    func withMap<Result>(for root: UInt16, _ body: (IdentityMap) throws -> Result) rethrows -> Result {
        try (reference(root) ?? Unmanaged.passUnretained(makeMap(for: root)))._withUnsafeGuaranteedRef(body)
    }

    /// Notes that an object of a table has something in memory beyond a foreign key.
    @inline(__always)
    func noteLinks(of root: UInt16) { withMap(for: root) { $0.hasLinks = true } }

    /// The objects of a table; nil where the context never had one.
    @inline(__always)
    func knownMap(for root: UInt16) -> IdentityMap? { maps[Int(root)] }

    /// The object of a row of a table.
    @inline(__always)
    subscript(rowID: Int64, root: UInt16) -> ManagedObject? {
        reference(root)?._withUnsafeGuaranteedRef { $0[rowID] }
    }

    /// Returns whether there is an object of a row of a table.
    @inline(__always)
    func contains(_ rowID: Int64, _ root: UInt16) -> Bool {
        reference(root)?._withUnsafeGuaranteedRef { $0.contains(rowID) } ?? false
    }

    /// Registers a new object.
    @inline(__always)
    func insert(_ object: ManagedObject) {
        withMap(for: object.rootNumber) { $0.insert(object, rowID: object.record.rowID) }
    }

    /// Forgets an object.
    @inline(__always)
    func remove(_ object: ManagedObject) {
        reference(object.rootNumber)?._withUnsafeGuaranteedRef { $0.remove(object.record.rowID) }
    }

    /// The object of an identifier; nil for one of another store, too.
    func object(_ identifier: PersistentIdentifier) -> ManagedObject? {
        let root = identifier.number.root
        guard Int(root) < maps.count, identifier.isRow(of: root, in: placement.storeNumber(of: root)) else {
            return nil
        }
        return self[identifier.rowID, root]
    }

    /// All objects, inserted and deleted ones included, table by table.
    var objects: [ManagedObject] { maps.flatMap { $0?.objects.compactMap(\.self) ?? [] } }

    /// Calls a closure with each object; objects may come and go meanwhile.
    func visit(_ body: (ManagedObject) throws -> Void) rethrows {
        for map in maps {
            for case let object? in map?.objects ?? [] { try body(object) }
        }
    }

    /// Calls a closure with the objects of which anything beyond a foreign key is in memory; objects may come and go meanwhile.
    ///
    /// Takes a time in proportion to the objects of the tables that have such ones, and none where no table has.
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

    // MARK: Letting go

    /// Notes that objects went which a loaded relationship may list.
    func noteDisappearance() { disappearances += 1 }

    /// A number that is another one after objects of a table went which a loaded relationship may list.
    @inline(__always)
    func disappearances(of root: UInt16) -> Int {
        disappearances &+ (reference(root)?._withUnsafeGuaranteedRef { $0.sweeps } ?? 0)
    }

    /// Lets go of the objects that nobody else holds, of each table that grew.
    func sweepIfGrown() { for map in maps { map?.sweepIfGrown() } }

    /// Lets all relationships load their members anew.
    func forgetLinks() {
        for map in maps {
            for object in map?.objects ?? [] { object?.record.links = nil }
        }
    }

    /// Forgets all objects, after a closure was called with each.
    func removeAll(_ leave: (ManagedObject) -> Void) {
        for map in maps {
            for case let object? in map?.objects ?? [] { leave(object) }
            map?.removeAll()
        }
    }

    /// Forgets all objects, as their context goes: they go on to know their store.
    func end() {
        for map in maps { map?.removeAll() }
    }
}
