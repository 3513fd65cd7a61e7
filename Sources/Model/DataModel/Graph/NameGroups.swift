/// Groups of names that are connected directly or by others.
///
/// Names that differ in case only count as the same, because such names get into each other's way.
package struct NameGroups {
    private var positions: [String: Int] = [:]
    private var parents: [Int] = []

    /// Makes groups without names.
    package init() {}

    /// The number of a name's group. A name is alone in its group until it is connected with others.
    package mutating func group(of name: String) -> Int {
        let name = name.lowercased()
        guard var current = positions[name] else {
            positions[name] = parents.count
            parents.append(parents.count)
            return parents.count - 1
        }
        while parents[current] != current {
            // Halving the path keeps it short.
            parents[current] = parents[parents[current]]
            current = parents[current]
        }
        return current
    }

    /// Makes the groups of two names one.
    package mutating func connect(_ name: String, _ other: String?) {
        guard let other else { return }
        let first = group(of: name)
        let second = group(of: other)
        parents[max(first, second)] = min(first, second)
    }
}
