/// The vertical position of each port.
///
/// A port on a row may be shifted within the row. A nearly straight line becomes straight, and a line that arrives from
/// the left does not run into one that leaves to the right.
struct PortHeights {
    private let graph: ColumnGraph
    private var shifts: [ColumnGraph.Port: Int] = [:]
    private static let greatestShift = 6

    init(_ graph: ColumnGraph) {
        self.graph = graph
        for nets in graph.channels {
            for net in nets { straighten(net) }
        }
        // A line that passes a column is shifted on both of its sides, which may bring it to another.
        for _ in 0..<3 {
            for nets in graph.channels { separate(nets) }
        }
    }

    subscript(port: ColumnGraph.Port) -> Int { graph.items[port.item].y + port.offset + (shifts[port] ?? 0) }

    private mutating func straighten(_ net: ColumnGraph.Net) {
        guard let left = net.left.first, let right = net.right.first, net.left.count + net.right.count == 2 else {
            return
        }
        let difference = self[right] - self[left]
        let shares = (left.isFlexible ? 1 : 0) + (right.isFlexible ? 1 : 0)
        guard difference != 0, abs(difference) <= shares * Self.greatestShift else { return }
        if shares == 2 {
            shifts[left] = difference / 2
            shifts[right] = difference / 2 - difference
        } else if left.isFlexible {
            shifts[left] = difference
        } else {
            shifts[right] = -difference
        }
    }

    private mutating func separate(_ nets: [ColumnGraph.Net]) {
        let left = nets.flatMap { net in net.left.map { (net.bundle, $0) } }
        let right = nets.flatMap { net in net.right.map { (net.bundle, $0) } }
        for (bundle, port) in left {
            guard let other = right.first(where: { $0.0 != bundle && abs(self[$0.1] - self[port]) < 3 })?.1 else {
                continue
            }
            for (candidate, opposite) in [(port, right), (other, left)]
            where candidate.isFlexible || graph.items[candidate.item].box == nil {
                let heights = opposite.map { self[$0.1] }
                let unshifted = graph.items[candidate.item].y + candidate.offset
                let shifts = candidate.isFlexible ? [4, -4, 6, -6] : [3, -3]
                let free = shifts.first { shift in heights.allSatisfy { abs($0 - unshifted - shift) >= 3 } }
                if let free {
                    self.shifts[candidate] = free
                    break
                }
            }
        }
    }
}
