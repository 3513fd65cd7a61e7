/// A list that never changes, for the loops that fetches and saves spend their time in.
///
/// Without optimisation, an array's iterator and its subscript look up their types at run time, which costs more than
/// reading a column. An element of this list is read by its address.
///
/// Reading an element takes constant time, without a check of the position.
@frozen @usableFromInline
package struct ConstantList<Element: Sendable>: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer alone: nothing is written there between the initialiser and the end.
    @usableFromInline let elements: UnsafeMutablePointer<Element>
    @usableFromInline package let count: Int
    /// The first element, for loops in other files, where the subscript is a call of its own without optimisation.
    @inlinable package var start: UnsafePointer<Element> { UnsafePointer(elements) }

    @inlinable package init(_ array: [Element]) {
        count = array.count
        elements = .allocate(capacity: array.count)
        elements.initialize(from: array, count: array.count)
    }

    @inlinable deinit {
        elements.deinitialize(count: count)
        elements.deallocate()
    }

    /// The element at a position, which must be one of the list's.
    @usableFromInline package subscript(position: Int) -> Element {
        @_transparent get { elements[position] }
    }

    /// The elements as an array, for rare operations.
    package var array: [Element] { Array(UnsafeBufferPointer(start: elements, count: count)) }
}
