/// Values of an object apart from it, such as those that it had before its first change.
@usableFromInline
final class ValuesBox {
    let layout: ValuesLayout
    let values: UnsafeMutableRawPointer

    /// Makes a box; the closure must make all values.
    init<Failure: Error>(
        _ layout: ValuesLayout, _ make: (UnsafeMutableRawPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let values = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, layout.extent.size), alignment: layout.extent.alignment)
        do {
            try make(values)
        } catch {
            values.deallocate()
            throw error
        }
        self.layout = layout
        self.values = values
    }

    deinit {
        layout.destroy(values)
        values.deallocate()
    }
}
