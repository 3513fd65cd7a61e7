/// Values structs on their way from rows to an array.
///
/// The loop over the rows is not generic: what it asks of the type is looked up once. They are moved once, into the
/// array.
struct ValuesBuffer<Values: EntityValues>: ~Copyable {
    private struct Chunk {
        var elements: UnsafeMutableRawPointer
        var count: Int
    }

    private let layout = Values.layout
    private let stride = MemoryLayout<Values>.stride
    /// Those that are full.
    private var chunks: [Chunk] = []
    private var elements: UnsafeMutableRawPointer
    private var count = 0
    private var capacity = 32

    init() {
        elements = Self.allocate(capacity)
    }

    deinit {
        for chunk in chunks { Self.destroy(chunk) }
        Self.destroy(Chunk(elements: elements, count: count))
    }

    /// Adds the values of a row; nothing is added when it throws.
    @inline(__always)
    mutating func append(_ row: Row) throws(RowError) {
        if count == capacity { beginChunk() }
        try layout.decode(row, into: elements + count &* stride)
        count &+= 1
    }

    mutating func removeAll() {
        for chunk in chunks { Self.destroy(chunk) }
        chunks = []
        elements.assumingMemoryBound(to: Values.self).deinitialize(count: count)
        count = 0
    }

    /// Hands the values over.
    consuming func array() -> [Values] {
        let filled = chunks + [Chunk(elements: elements, count: count)]
        let result = [Values](unsafeUninitializedCapacity: filled.reduce(0) { $0 + $1.count }) { target, initialized in
            guard let first = target.baseAddress else { return }
            for chunk in filled {
                let source = chunk.elements.assumingMemoryBound(to: Values.self)
                (first + initialized).moveInitialize(from: source, count: chunk.count)
                initialized += chunk.count
            }
        }
        for index in chunks.indices { chunks[index].count = 0 }
        count = 0
        return result
    }

    private mutating func beginChunk() {
        chunks.append(Chunk(elements: elements, count: count))
        capacity = min(capacity * 2, 1 << 14)
        elements = Self.allocate(capacity)
        count = 0
    }

    private static func allocate(_ capacity: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(UnsafeMutablePointer<Values>.allocate(capacity: capacity))
    }

    private static func destroy(_ chunk: Chunk) {
        let elements = chunk.elements.assumingMemoryBound(to: Values.self)
        elements.deinitialize(count: chunk.count)
        elements.deallocate()
    }
}
