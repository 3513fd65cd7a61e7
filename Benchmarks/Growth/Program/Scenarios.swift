extension Scenario {
    /// All scenarios.
    static var all: [Scenario] { pending() + deletions() + lengths() + objects() + many() + surroundings() }
}

/// Throws unless a scenario has the expected result.
func expect(_ condition: Bool, line: Int = #line) throws {
    if !condition { throw Mistake(description: "The result at line \(line) is another than expected.") }
}
