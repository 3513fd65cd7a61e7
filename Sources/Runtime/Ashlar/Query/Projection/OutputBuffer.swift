/// Outputs of a projection on their way from rows to an array.
///
/// To append to an array of a type that is looked up as it runs takes longer than finding a row. The loop over the rows asks
/// the type for nothing here: it goes by address, and the outputs are moved once, into the array.
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

    /// Adds the output of a row; nothing is added when it throws.
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

    /// Hands the outputs over.
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
