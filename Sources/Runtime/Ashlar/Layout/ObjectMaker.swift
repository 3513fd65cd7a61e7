/// Makes the objects of rows of an entity, whose values it reads into memory of its own first.
struct ObjectMaker: ~Copyable {
    private let modelClass: ManagedObject.Type
    private let layout: ValuesLayout
    private let traits: UnsafePointer<EntityTraits>
    private let hasDiscriminator: Bool
    private var values: UnsafeMutableRawPointer
    private var extent: MemoryExtent
    private var ownsValues: Bool

    /// Lets a closure make an object or a few, in memory of the stack mostly.
    @inline(__always)
    static func withTemporary<Result>(
        _ entity: EntityDescription, _ body: (inout ObjectMaker) throws -> Result
    ) rethrows -> Result {
        let extent = entity.layout.extent
        return try withUnsafeTemporaryAllocation(byteCount: max(1, extent.size), alignment: extent.alignment) {
            memory in
            // The memory is not empty.
            guard let values = memory.baseAddress else { preconditionFailure("no memory for \(entity.name)") }
            var maker = ObjectMaker(entity, in: values)
            return try body(&maker)
        }
    }

    /// - Parameter values: Memory for an object of the entity itself, which outlives this; nil for memory of its own.
    init(_ entity: EntityDescription, in values: UnsafeMutableRawPointer? = nil) {
        modelClass = entity.modelClass
        layout = entity.layout
        traits = entity.traits
        hasDiscriminator = entity.hasDiscriminator
        extent = layout.extent
        ownsValues = values == nil
        self.values = values ?? Self.allocate(extent)
    }

    deinit {
        if ownsValues { values.deallocate() }
    }

    /// Makes the object of a row; its class is one below the entity's where the row says so.
    @inline(__always)
    mutating func object(at row: Row) throws(RowError) -> ManagedObject {
        try retainedObject(at: row).takeRetainedValue()
    }

    /// The same, with a reference that is the caller's to keep or to give up.
    @inline(__always)
    mutating func retainedObject(at row: Row) throws(RowError) -> Unmanaged<ManagedObject> {
        if hasDiscriminator { return try objectOfHierarchy(at: row) }
        try layout.decode(row, into: values)
        let object = Unmanaged.passRetained(modelClass._ashlarObject(taking: values))
        // What was found here need not be asked of each object's class.
        object._withUnsafeGuaranteedRef { $0.record.traits = traits }
        return object
    }

    private mutating func objectOfHierarchy(at row: Row) throws(RowError) -> Unmanaged<ManagedObject> {
        let found = try modelClass._ashlarClass(of: row)
        let layout = found._ashlarEntity.layout
        if layout.extent.size > extent.size || layout.extent.alignment > extent.alignment {
            if ownsValues { values.deallocate() }
            extent = layout.extent
            values = Self.allocate(extent)
            ownsValues = true
        }
        try layout.decode(row, into: values)
        return Unmanaged.passRetained(found._ashlarObject(taking: values))
    }

    private static func allocate(_ extent: MemoryExtent) -> UnsafeMutableRawPointer {
        .allocate(byteCount: max(1, extent.size), alignment: extent.alignment)
    }
}
