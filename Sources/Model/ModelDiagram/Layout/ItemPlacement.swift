/// The order of the items in their columns, and their vertical positions.
///
/// The best place of an item is where its lines are straight. Columns are repeatedly sorted by that, from the left and
/// from the right, and neighbours are exchanged if fewer lines cross then; the best arrangement found is kept.
struct ItemPlacement {
    /// A line between two columns, or on one side of a column.
    private struct Link {
        var first: ColumnGraph.Port
        var second: ColumnGraph.Port
        var isSameSide: Bool
        var bundle: Int
    }

    private(set) var graph: ColumnGraph
    private var links: [[Link]]
    /// For each item its own offset, the other item and the offset there.
    private var neighbours: [[(offset: Int, other: Int, otherOffset: Int, weight: Int)]]

    init(_ graph: ColumnGraph) {
        self.graph = graph
        links = graph.channels.map { _ in [] }
        neighbours = graph.items.map { _ in [] }
        for (channel, nets) in graph.channels.enumerated() {
            for net in nets { link(net, channel: channel) }
        }
        for column in graph.columns.indices { stack(column) }
        arrange()
    }

    private mutating func link(_ net: ColumnGraph.Net, channel: Int) {
        for (ports, isLeft) in [(net.left, true), (net.right, false)] {
            for port in ports where port != net.origin || isLeft != net.isOriginLeft {
                let isSameSide = isLeft == net.isOriginLeft
                let (first, second) = net.isOriginLeft ? (net.origin, port) : (port, net.origin)
                links[channel].append(Link(first: first, second: second, isSameSide: isSameSide, bundle: net.bundle))
                if net.origin.item == port.item { continue }
                let isPassing = [net.origin, port].allSatisfy { graph.items[$0.item].box == nil }
                let weight = isPassing ? 6 : isSameSide ? 1 : 2
                neighbours[net.origin.item].append((net.origin.offset, port.item, port.offset, weight))
                neighbours[port.item].append((port.offset, net.origin.item, net.origin.offset, weight))
            }
        }
    }

    private mutating func stack(_ column: Int) {
        var y = 0
        for (index, item) in graph.columns[column].enumerated() {
            if index > 0 { y += gap(graph.columns[column][index - 1], item) }
            graph.items[item].y = y
            y += graph.items[item].height
        }
        for item in graph.columns[column] { graph.items[item].y -= y / 2 }
    }

    private func gap(_ upper: Int, _ lower: Int) -> Int {
        switch (graph.items[upper].box, graph.items[lower].box) {
        case (nil, nil): 10
        case (_?, _?): 28
        default: 18
        }
    }

    // MARK: Orders

    private mutating func arrange() {
        var best = (cost: cost(), graph: graph)
        for round in 0..<16 where best.cost > 0 {
            let columns = Array(graph.columns.indices)
            for column in round.isMultiple(of: 2) ? columns : columns.reversed() { sort(column) }
            if round % 4 == 3 { exchangeNeighbours() }
            let cost = cost()
            if cost < best.cost { best = (cost, graph) }
        }
        graph = best.graph
        for _ in 0..<4 where exchangeNeighbours() {}
        for round in 0..<24 {
            let columns = Array(graph.columns.indices)
            for column in round.isMultiple(of: 2) ? columns : columns.reversed() {
                place(column, usingMedian: round >= 20)
            }
        }
    }

    private mutating func sort(_ column: Int) {
        var keys: [Int: Int] = [:]
        for item in graph.columns[column] { keys[item] = 2 * desired(item).y + graph.items[item].height }
        graph.columns[column].sort { (keys[$0] ?? 0, $0) < (keys[$1] ?? 0, $1) }
        place(column, usingMedian: false)
    }

    /// Exchanges neighbouring items if that reduces the cost. Returns whether any were exchanged.
    @discardableResult
    private mutating func exchangeNeighbours() -> Bool {
        var isAny = false
        for column in graph.columns.indices {
            var costBefore = cost(ofColumn: column)
            for index in graph.columns[column].indices.dropLast() {
                let (upper, lower) = (graph.columns[column][index], graph.columns[column][index + 1])
                let (upperY, lowerY) = (graph.items[upper].y, graph.items[lower].y)
                graph.items[lower].y = upperY
                graph.items[upper].y = lowerY + graph.items[lower].height - graph.items[upper].height
                let costAfter = cost(ofColumn: column)
                if costAfter < costBefore {
                    graph.columns[column].swapAt(index, index + 1)
                    costBefore = costAfter
                    isAny = true
                } else {
                    graph.items[upper].y = upperY
                    graph.items[lower].y = lowerY
                }
            }
            // Gaps depend on the neighbours of each item.
            place(column, desired: graph.columns[column].map { (graph.items[$0].y, 1) })
        }
        return isAny
    }

    // MARK: Costs

    private func cost() -> Int { links.indices.reduce(0) { $0 + cost(ofChannel: $1) } }

    private func cost(ofColumn column: Int) -> Int { cost(ofChannel: column) + cost(ofChannel: column + 1) }

    /// Crossings count for much, and lengths for something.
    private func cost(ofChannel channel: Int) -> Int {
        var cost = 0
        let spans = links[channel].map { link in
            (
                first: graph.items[link.first.item].y + link.first.offset,
                second: graph.items[link.second.item].y + link.second.offset, link.isSameSide, link.bundle
            )
        }
        for (index, span) in spans.enumerated() {
            cost += abs(span.first - span.second)
            for other in spans[(index + 1)...] where other.3 != span.3 {
                let isCrossing: Bool
                switch (span.2, other.2) {
                case (false, false): isCrossing = (span.first < other.first) != (span.second < other.second)
                case (true, false): isCrossing = (span.first < other.first) != (span.second < other.first)
                case (false, true): isCrossing = (other.first < span.first) != (other.second < span.first)
                case (true, true):
                    let isFirstWithin = (span.first < other.first) != (span.second < other.first)
                    isCrossing = isFirstWithin != ((span.first < other.second) != (span.second < other.second))
                }
                if isCrossing { cost += 150 }
            }
        }
        return cost
    }

    // MARK: Coordinates

    /// The position at which an item's lines are straight, on average, and its weight.
    private func desired(_ item: Int, usingMedian: Bool = false) -> (y: Int, weight: Int) {
        let wishes = neighbours[item].map { (graph.items[$0.other].y + $0.otherOffset - $0.offset, $0.weight) }
        if wishes.isEmpty { return (graph.items[item].y, 1) }
        let weight = wishes.reduce(0) { $0 + $1.1 }
        guard usingMedian else { return (wishes.reduce(0) { $0 + $1.0 * $1.1 } / weight, weight) }
        // Of the places that are equally good the nearest: always the upper one would draw everything up.
        let sorted = wishes.sorted { $0.0 < $1.0 }
        let lower = Self.median(sorted, weight: weight)
        let upper = Self.median(sorted.reversed(), weight: weight)
        return (min(max(graph.items[item].y, lower), upper), weight)
    }

    /// The first wish with which half of the weight is reached.
    private static func median(_ wishes: [(Int, Int)], weight: Int) -> Int {
        var sum = 0
        let median = wishes.first { wish in
            sum += wish.1
            return 2 * sum >= weight
        }
        return median?.0 ?? 0
    }

    private mutating func place(_ column: Int, usingMedian: Bool) {
        place(column, desired: graph.columns[column].map { desired($0, usingMedian: usingMedian) })
    }

    /// Gives the items of a column the places nearest to their desired ones, in their order and with their gaps: runs
    /// of items that would overlap take the mean of their desired places.
    private mutating func place(_ column: Int, desired: [(y: Int, weight: Int)]) {
        let items = graph.columns[column]
        var distances = [0]
        for (upper, lower) in zip(items, items.dropFirst()) {
            distances.append((distances.last ?? 0) + graph.items[upper].height + gap(upper, lower))
        }
        var runs: [(sum: Int, weight: Int, count: Int)] = []
        for (index, wish) in desired.enumerated() {
            runs.append(((wish.y - distances[index]) * wish.weight, wish.weight, 1))
            while runs.count > 1 {
                let (last, before) = (runs[runs.count - 1], runs[runs.count - 2])
                if before.sum * last.weight <= last.sum * before.weight { break }
                runs.removeLast(2)
                runs.append((before.sum + last.sum, before.weight + last.weight, before.count + last.count))
            }
        }
        var index = 0
        for run in runs {
            // Rounded down, also below 0, so that the order of the runs stays.
            let quotient = run.sum / run.weight
            let y = run.sum < 0 && quotient * run.weight != run.sum ? quotient - 1 : quotient
            for _ in 0..<run.count {
                graph.items[items[index]].y = y + distances[index]
                index += 1
            }
        }
    }
}
