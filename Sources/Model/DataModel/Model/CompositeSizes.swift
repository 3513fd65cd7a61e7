/// The sizes of composites with everything that they contain, and the composites that contain themselves.
///
/// Each composite is visited once, so that the time grows with the model and not with the expanded sizes of its
/// composites.
struct CompositeSizes {
    struct Size {
        /// The number of columns, or one more than the most that are allowed.
        var leafCount = 0
        /// The number of composites within each other, itself included.
        var depth = 1
    }

    /// The sizes of the composites that are in no cycle and contain none.
    private(set) var sizes: [String: Size] = [:]
    /// The names of the composites of every cycle, each followed by one that it contains.
    private(set) var cycles: [[String]] = []
    private let composites: [String: Composite]
    /// The composites that are being visited, each contained in the one before, with their parts that are not yet
    /// visited.
    private var path: [(name: String, rest: ArraySlice<String>)] = []
    private var positions: [String: Int] = [:]
    private var finished: Set<String> = []

    init(_ composites: [String: Composite]) {
        self.composites = composites
        for name in composites.keys.sorted() where !finished.contains(name) { visit(name) }
    }

    private mutating func visit(_ start: String) {
        enter(start)
        while let last = path.indices.last {
            guard let next = path[last].rest.popFirst() else {
                leave()
                continue
            }
            if let position = positions[next] {
                cycles.append(path[position...].map(\.name))
            } else if !finished.contains(next) {
                enter(next)
            }
        }
    }

    private mutating func enter(_ name: String) {
        positions[name] = path.count
        let inner = composites[name]?.attributes.filter { $0.type == .composite }.compactMap(\.compositeName) ?? []
        path.append((name, inner.filter { composites[$0] != nil }[...]))
    }

    private mutating func leave() {
        guard let name = path.popLast()?.name, let composite = composites[name] else { return }
        positions[name] = nil
        finished.insert(name)
        var size = Size()
        for attribute in composite.attributes {
            guard attribute.type == .composite else {
                size.leafCount += 1
                continue
            }
            guard let inner = attribute.compositeName, composites[inner] != nil else { continue }
            // A composite that is part of a cycle, or contains one, has no size.
            guard let other = sizes[inner] else { return }
            size.leafCount += other.leafCount + (attribute.isOptional ? 1 : 0)
            size.depth = max(size.depth, other.depth + 1)
        }
        size.leafCount = min(size.leafCount, Composite.greatestLeafCount + 1)
        sizes[name] = size
    }
}
