/// Collects the outputs of a projection before they become an array.
///
/// Appending to an array whose type is looked up at run time takes longer than finding a row. Here the loop over the
/// rows does not use the type. It writes to memory, and the outputs are moved once, into the array.
struct OutputBuffer<Output>: ~Copyable {
    private var elements: UnsafeMutablePointer<Output>
    private var base: UnsafeMutableRawPointer
    private var count = 0
    private var capacity = 32
    private let stride = MemoryLayout<Output>.stride

    init() {
        elements = .allocate(capacity: capacity)
        base = UnsafeMutableRawPointer(elements)
    }

    deinit {
        elements.deinitialize(count: count)
        elements.deallocate()
    }

    /// Adds the output of a row; adds nothing if it throws.
    @inline(__always)
    mutating func append(_ row: Row, _ values: borrowing SelectedValues) throws(RowError) {
        if count == capacity { grow() }
        try values.decode(row, into: base + count &* stride)
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        capacity *= 2
        let larger = UnsafeMutablePointer<Output>.allocate(capacity: capacity)
        larger.moveInitialize(from: elements, count: count)
        elements.deallocate()
        elements = larger
        base = UnsafeMutableRawPointer(larger)
    }

    /// Returns the outputs, and empties the buffer.
    mutating func array() -> [Output] {
        let count = count
        self.count = 0
        return [Output](unsafeUninitializedCapacity: count) { target, initialized in
            guard let first = target.baseAddress else { return }
            first.moveInitialize(from: elements, count: count)
            initialized = count
        }
    }
}
