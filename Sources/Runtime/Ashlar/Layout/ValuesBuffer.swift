/// A buffer of values structs between the rows and an array.
///
/// It is not generic, because looking up a generic type takes longer than finding a row, and the loop over the rows
/// needs only the type's layout. The structs are moved once, into the array.
struct ValuesBuffer: ~Copyable {
    private let type: any EntityValues.Type
    private let layout: ValuesLayout
    private let stride: Int
    /// The full chunks.
    private var chunks: [ValuesChunk] = []
    private var last = ValuesChunk()
    private var capacity = 0

    init<Values: EntityValues>(of type: Values.Type) {
        self.type = type
        layout = Values.layout
        stride = MemoryLayout<Values>.stride
    }

    deinit {
        for chunk in chunks { type.destroy(chunk) }
        if capacity > 0 { type.destroy(last) }
    }

    /// Adds the values of a row. If it throws, nothing is added.
    @inline(__always)
    mutating func append(_ row: Row) throws(RowError) {
        if last.count == capacity { beginChunk() }
        try layout.decode(row, into: last.elements.unsafelyUnwrapped + last.count &* stride)
        last.count &+= 1
    }

    mutating func removeAll() {
        if capacity == 0 { return }
        for chunk in chunks { type.destroy(chunk) }
        chunks = []
        type.deinitialize(last)
        last.count = 0
    }

    /// The number of values structs.
    var count: Int {
        var total = last.count
        var next = 0
        while next < chunks.count {
            total += chunks[next].count
            next += 1
        }
        return total
    }

    /// Moves the values into an array; an empty one if they have another type.
    consuming func array<Values: EntityValues>(of type: Values.Type) -> [Values] {
        let total = count
        if total == 0 || self.type != type { return [] }
        return [Values](unsafeUninitializedCapacity: total) { target, initialized in
            guard let first = target.baseAddress else { return }
            move(to: first)
            initialized = total
        }
    }

    /// Moves all values into memory for as many values of their type, which must be that of the buffer.
    mutating func move<Values: EntityValues>(to target: UnsafeMutablePointer<Values>) {
        let (full, last) = (chunks, last)
        if capacity == 0 { return }
        (chunks, capacity, self.last) = ([], 0, ValuesChunk())
        var moved = 0
        var next = 0
        while next <= full.count {
            let chunk = next < full.count ? full[next] : last
            next += 1
            (target + moved).moveInitialize(from: Values.values(chunk), count: chunk.count)
            moved += chunk.count
            // Releasing each chunk now avoids holding many values twice.
            Values.values(chunk).deallocate()
        }
    }

    private mutating func beginChunk() {
        if capacity > 0 { chunks.append(last) }
        capacity = capacity == 0 ? 32 : min(capacity * 2, 1 << 14)
        last = type.chunk(capacity)
    }
}

extension EntityValues {
    fileprivate static func chunk(_ capacity: Int) -> ValuesChunk {
        ValuesChunk(elements: UnsafeMutableRawPointer(UnsafeMutablePointer<Self>.allocate(capacity: capacity)))
    }

    fileprivate static func values(_ chunk: ValuesChunk) -> UnsafeMutablePointer<Self> {
        chunk.elements.unsafelyUnwrapped.assumingMemoryBound(to: Self.self)
    }

    fileprivate static func deinitialize(_ chunk: ValuesChunk) {
        values(chunk).deinitialize(count: chunk.count)
    }

    fileprivate static func destroy(_ chunk: ValuesChunk) {
        deinitialize(chunk)
        values(chunk).deallocate()
    }
}

/// Adjacent values structs.
private struct ValuesChunk {
    /// Never nil if there is a value.
    var elements: UnsafeMutableRawPointer?
    var count = 0
}
