/// A copy of an object's values in one allocation, such as those before its first change.
@usableFromInline
final class ValuesBox: ManagedBuffer<ValuesBox.Header, ValuesBox.Unit> {
    @usableFromInline
    struct Header {
        let layout: ValuesLayout
        var isFull = false
    }

    /// The unit and alignment of the memory. Types with a greater alignment are moved up in memory that is larger by
    /// the difference.
    @usableFromInline typealias Unit = SIMD2<UInt64>

    /// Creates a box. The closure must initialize all values.
    static func make<Failure: Error>(
        _ layout: ValuesLayout, _ make: (UnsafeMutableRawPointer) throws(Failure) -> Void
    ) throws(Failure) -> ValuesBox {
        let unit = MemoryLayout<Unit>.size
        let size = layout.extent.size + max(0, layout.extent.alignment - unit)
        let buffer = create(minimumCapacity: (size + unit - 1) / unit) { _ in Header(layout: layout) }
        let box = unsafeDowncast(buffer, to: ValuesBox.self)
        try make(box.values)
        box.header.isFull = true
        return box
    }

    var layout: ValuesLayout { header.layout }

    var values: UnsafeMutableRawPointer {
        let start = withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
        let alignment = header.layout.extent.alignment
        return alignment <= MemoryLayout<Unit>.alignment ? start : start.alignedUp(toMultipleOf: alignment)
    }

    deinit {
        if header.isFull { layout.destroy(values) }
    }
}
