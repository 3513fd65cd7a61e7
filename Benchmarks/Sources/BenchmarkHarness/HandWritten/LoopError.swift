/// What SQLite answered to a loop of the benchmarks.
package struct LoopError: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}
