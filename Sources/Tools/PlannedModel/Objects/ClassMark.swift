import Synchronization

/// A mark that distinguishes a class created at run time from all others.
///
/// The runtime gets an object's entity from its class, so that each entity needs a class of its own. A generic class is
/// a different class for each type argument, and there are any number of marks: their types are the digits of a number.
protocol ClassMark: Sendable {}

enum NoMark: ClassMark {}
enum EvenMark<Rest: ClassMark>: ClassMark {}
enum OddMark<Rest: ClassMark>: ClassMark {}

/// Hands out marks, each once.
enum ClassMarks {
    private static let count = Mutex(0)

    static func next() -> any ClassMark.Type {
        var number = count.withLock { count in
            count += 1
            return count
        }
        var mark: any ClassMark.Type = NoMark.self
        while number > 0 {
            mark = digit(before: mark, isOdd: number & 1 == 1)
            number >>= 1
        }
        return mark
    }

    private static func digit<Rest: ClassMark>(before rest: Rest.Type, isOdd: Bool) -> any ClassMark.Type {
        isOdd ? OddMark<Rest>.self : EvenMark<Rest>.self
    }
}
