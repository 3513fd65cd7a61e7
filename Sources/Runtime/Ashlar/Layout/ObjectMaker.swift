/// Creates the objects of an entity's rows. It reads the values into its own memory first.
struct ObjectMaker: ~Copyable {
    private let modelClass: ManagedObject.Type
    private let layout: ValuesLayout
    private let traits: UnsafePointer<EntityTraits>
    private let hasDiscriminator: Bool
    private var values: UnsafeMutableRawPointer
    private var extent: MemoryExtent
    private var ownsValues: Bool

    /// Gives a closure a maker for one object or a few, usually in memory of the stack.
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

    /// - Parameter values: Memory for an object of the entity itself, which must outlive the maker; nil to allocate it.
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

    /// Creates the object of a row. Its class is that of the entity, or the subclass that the row names.
    @inline(__always)
    mutating func object(at row: Row) throws(RowError) -> ManagedObject {
        try retainedObject(at: row).takeRetainedValue()
    }

    /// Creates the object of a row, and returns it with a reference that the caller must balance.
    @inline(__always)
    mutating func retainedObject(at row: Row) throws(RowError) -> Unmanaged<ManagedObject> {
        if hasDiscriminator { return try objectOfHierarchy(at: row) }
        try layout.decode(row, into: values)
        let object = Unmanaged.passRetained(modelClass._ashlarObject(taking: values))
        // Setting the traits here saves looking them up for each object.
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
