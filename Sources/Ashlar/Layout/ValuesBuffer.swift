/// Values structs on their way from rows to an array.
///
/// The loop over the rows is not generic: what it asks of the type is looked up once. They are moved once, into the
/// array.
struct ValuesBuffer<Values: EntityValues>: ~Copyable {
    private let layout = Values.layout
    private let stride = MemoryLayout<Values>.stride
    /// Those that are full.
    private var chunks: [ValuesChunk] = []
    private var last = ValuesChunk(elements: UnsafeMutableRawPointer(bitPattern: MemoryLayout<Values>.alignment))
    private var capacity = 0

    deinit {
        for chunk in chunks { Self.destroy(chunk) }
        if capacity > 0 { Self.destroy(last) }
    }

    /// Adds the values of a row; nothing is added when it throws.
    @inline(__always)
    mutating func append(_ row: Row) throws(RowError) {
        if last.count == capacity { beginChunk() }
        try layout.decode(row, into: last.elements.unsafelyUnwrapped + last.count &* stride)
        last.count &+= 1
    }

    mutating func removeAll() {
        for chunk in chunks { Self.destroy(chunk) }
        chunks = []
        if last.count > 0 { Self.values(last).deinitialize(count: last.count) }
        last.count = 0
    }

    /// Hands the values over.
    consuming func array() -> [Values] {
        var total = last.count
        for chunk in chunks { total += chunk.count }
        if total == 0 { return [] }
        let (full, rest) = (chunks, last)
        let result = [Values](unsafeUninitializedCapacity: total) { target, initialized in
            guard let first = target.baseAddress else { return }
            for chunk in full {
                (first + initialized).moveInitialize(from: Self.values(chunk), count: chunk.count)
                initialized += chunk.count
            }
            (first + initialized).moveInitialize(from: Self.values(rest), count: rest.count)
            initialized += rest.count
        }
        for index in chunks.indices { chunks[index].count = 0 }
        last.count = 0
        return result
    }

    private mutating func beginChunk() {
        if capacity > 0 { chunks.append(last) }
        capacity = capacity == 0 ? 32 : min(capacity * 2, 1 << 14)
        last = ValuesChunk(elements: UnsafeMutableRawPointer(UnsafeMutablePointer<Values>.allocate(capacity: capacity)))
    }

    private static func values(_ chunk: ValuesChunk) -> UnsafeMutablePointer<Values> {
        chunk.elements.unsafelyUnwrapped.assumingMemoryBound(to: Values.self)
    }

    private static func destroy(_ chunk: ValuesChunk) {
        values(chunk).deinitialize(count: chunk.count)
        values(chunk).deallocate()
    }
}

/// Some values side by side. Not a part of the generic type, whose arrays would be looked up each time.
private struct ValuesChunk {
    /// Never nil where there is one value.
    var elements: UnsafeMutableRawPointer?
    var count = 0
}
