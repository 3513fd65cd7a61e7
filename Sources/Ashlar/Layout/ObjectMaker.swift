/// Makes the objects of rows of an entity, whose values it reads into memory of its own first.
struct ObjectMaker: ~Copyable {
    private let modelClass: ManagedObject.Type
    private let layout: ValuesLayout
    private let traits: UnsafePointer<EntityTraits>
    private let hasDiscriminator: Bool
    private var values: UnsafeMutableRawPointer
    private var extent: MemoryExtent

    init(_ entity: EntityDescription) {
        modelClass = entity.modelClass
        layout = entity.layout
        traits = entity.traits
        hasDiscriminator = entity.hasDiscriminator
        extent = layout.extent
        values = Self.allocate(extent)
    }

    deinit {
        values.deallocate()
    }

    /// Makes the object of a row; its class is one below the entity's where the row says so.
    @inline(__always)
    mutating func object(at row: Row) throws(RowError) -> ManagedObject {
        if hasDiscriminator { return try objectOfHierarchy(at: row) }
        try layout.decode(row, into: values)
        let object = modelClass._ashlarObject(taking: values)
        // What was found here need not be asked of each object's class.
        object.record.traits = traits
        return object
    }

    private mutating func objectOfHierarchy(at row: Row) throws(RowError) -> ManagedObject {
        let found = try modelClass._ashlarClass(of: row)
        let layout = found._ashlarEntity.layout
        if layout.extent.size > extent.size || layout.extent.alignment > extent.alignment {
            values.deallocate()
            extent = layout.extent
            values = Self.allocate(extent)
        }
        try layout.decode(row, into: values)
        return found._ashlarObject(taking: values)
    }

    private static func allocate(_ extent: MemoryExtent) -> UnsafeMutableRawPointer {
        .allocate(byteCount: max(1, extent.size), alignment: extent.alignment)
    }
}
