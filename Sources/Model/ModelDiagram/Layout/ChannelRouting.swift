/// The ways of the nets between two columns: horizontal from each port, and one vertical line on a track of its own.
struct ChannelRouting {
    /// A net with the heights of its ports.
    struct Net {
        var left: [Int]
        var right: [Int]

        var top: Int { min(left.min() ?? .max, right.min() ?? .max) }
        var bottom: Int { max(left.max() ?? .min, right.max() ?? .min) }
        var isStraight: Bool { top == bottom }
    }

    /// The track of each net, counted from the left; nil for a net that is straight.
    private(set) var tracks: [Int?]
    private(set) var trackCount = 0

    /// Assigns tracks to nets: ordered so that they cross little, and no two on one track come near one another.
    init(_ nets: [Net]) {
        tracks = nets.map { _ in nil }
        var order = nets.indices.filter { !nets[$0].isStraight }
        // Nets that go up begin with the highest on the left, those that go down with the lowest.
        order.sort { (Self.key(nets[$0]), $0) < (Self.key(nets[$1]), $1) }
        let costs = nets.map { first in nets.map { Self.cost(first, leftOf: $0) } }
        var isImproving = true
        var rounds = 0
        while isImproving && rounds < 12 {
            isImproving = false
            rounds += 1
            for net in order {
                if Self.move(net, in: &order, costs) { isImproving = true }
            }
        }
        for (place, net) in order.enumerated() {
            var track = 0
            for earlier in order[..<place] where Self.areNear(nets[net], nets[earlier]) {
                track = max(track, (tracks[earlier] ?? 0) + 1)
            }
            tracks[net] = track
            trackCount = max(trackCount, track + 1)
        }
    }

    private static func key(_ net: Net) -> Int {
        guard let left = net.left.first, let right = net.right.first else { return 0 }
        return left < right ? -left : left
    }

    private static func areNear(_ first: Net, _ second: Net) -> Bool {
        first.top < second.bottom + 8 && second.top < first.bottom + 8
    }

    /// The number of crossings if a net is to the left of another; overlaps cost far more.
    private static func cost(_ first: Net, leftOf second: Net) -> Int {
        var cost = 0
        for y in first.right {
            if second.top < y && y < second.bottom { cost += 1 }
            if second.left.contains(where: { abs($0 - y) < 3 }) { cost += 200 }
        }
        for y in second.left where first.top < y && y < first.bottom { cost += 1 }
        return cost
    }

    /// Moves a net to the best place in the order; whether there is a better one.
    private static func move(_ net: Int, in order: inout [Int], _ costs: [[Int]]) -> Bool {
        guard let place = order.firstIndex(of: net) else { return false }
        var best = (cost: 0, place: place)
        for (range, isLeftward) in [
            (Array(stride(from: place - 1, through: 0, by: -1)), true),
            (Array(stride(from: place + 1, to: order.count, by: 1)), false),
        ] {
            var cost = 0
            for other in range {
                let otherFirst = costs[order[other]][net]
                let netFirst = costs[net][order[other]]
                cost += isLeftward ? netFirst - otherFirst : otherFirst - netFirst
                if cost < best.cost { best = (cost, other) }
            }
        }
        if best.place == place { return false }
        order.remove(at: place)
        order.insert(net, at: best.place)
        return true
    }
}
