/// An error of the benchmarks, such as SQLite's in a loop.
package struct LoopError: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}
