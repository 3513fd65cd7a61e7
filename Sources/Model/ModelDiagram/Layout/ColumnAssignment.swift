/// The column of each box of a component.
///
/// Connections between neighbouring columns are the best, and those within a column nearly as good. Longer ones cost
/// more, the longer they are. Columns that are higher than the page should be also add to the costs. From several
/// starts, boxes are moved to the columns with the least total cost.
struct ColumnAssignment {
    /// A connection of two boxes of the component.
    struct Link {
        var source: Int
        var destination: Int
        /// Whether the source should be on the left.
        var isDirected: Bool
    }

    /// The column of each box, from 0 on; none is empty.
    private(set) var columns: [Int] = []
    private let heights: [Int]
    private let links: [Link]
    private var linksOfBox: [[Int]]
    private let targetHeight: Int
    private let meanHeight: Int

    init(sizes: [(width: Int, height: Int)], links: [Link]) {
        heights = sizes.map { $0.height + 28 }
        self.links = links
        linksOfBox = sizes.map { _ in [] }
        for (index, link) in links.enumerated() where link.source != link.destination {
            linksOfBox[link.source].append(index)
            linksOfBox[link.destination].append(index)
        }
        let area = zip(sizes, heights).reduce(0.0) { $0 + Double(($1.0.width + 110) * $1.1) }
        targetHeight = max(heights.max() ?? 0, Int((area / 1.5).squareRoot()))
        meanHeight = heights.reduce(0, +) / max(1, heights.count)
        var best = Int.max
        for start in starts() {
            var columns = depths(from: start)
            let cost = improve(&columns)
            if cost < best { (best, self.columns) = (cost, columns) }
        }
        let used = Set(columns).sorted()
        columns = columns.map { used.firstIndex(of: $0) ?? 0 }
    }

    /// The boxes with the most connections, and some others.
    private func starts() -> [Int] {
        let byDegree = heights.indices.sorted { (linksOfBox[$1].count, $0) < (linksOfBox[$0].count, $1) }
        return Array(byDegree.prefix(5)) + Array(byDegree.dropFirst(5).reversed().prefix(5))
    }

    /// The distance of each box from one, leaving columns on the left free for boxes to be moved to.
    private func depths(from start: Int) -> [Int] {
        var depths = [Int](repeating: -1, count: heights.count)
        depths[start] = 2
        var queue = [start]
        var next = 0
        while next < queue.count {
            let box = queue[next]
            next += 1
            for index in linksOfBox[box] {
                let other = links[index].source == box ? links[index].destination : links[index].source
                if depths[other] >= 0 { continue }
                depths[other] = depths[box] + 1
                queue.append(other)
            }
        }
        return depths
    }

    private func cost(of link: Link, distance: Int) -> Int {
        if link.isDirected {
            return distance == 1 ? 10 : distance == 0 ? 30 : distance < 0 ? 25 - 15 * distance : 13 * distance
        }
        let length = abs(distance)
        return length == 0 ? 14 : length == 1 ? 10 : 10 + 16 * (length - 1)
    }

    private func heightCost(_ height: Int) -> Int {
        let excess = max(0, height - targetHeight)
        return 15 * excess / meanHeight * (1 + excess / meanHeight)
    }

    /// Moves one box at a time for as long as that helps.
    private func improve(_ columns: inout [Int]) -> Int {
        let limit = (columns.max() ?? 0) + 3
        var columnHeights = [Int](repeating: 0, count: limit)
        for (box, column) in columns.enumerated() { columnHeights[column] += heights[box] }
        var isImproving = true
        var rounds = 0
        while isImproving && rounds < 30 {
            isImproving = false
            rounds += 1
            for box in columns.indices {
                let current = columns[box]
                columnHeights[current] -= heights[box]
                var best = (cost: Int.max, column: current)
                for column in 0..<limit {
                    var cost = heightCost(columnHeights[column] + heights[box]) - heightCost(columnHeights[column])
                    for index in linksOfBox[box] {
                        let link = links[index]
                        let isSource = link.source == box
                        let other = columns[isSource ? link.destination : link.source]
                        cost += self.cost(of: link, distance: isSource ? other - column : column - other)
                    }
                    if (cost, column == current ? 0 : 1) < (best.cost, best.column == current ? 0 : 1) {
                        best = (cost, column)
                    }
                }
                if best.column != current { isImproving = true }
                columns[box] = best.column
                columnHeights[best.column] += heights[box]
            }
        }
        var total = columnHeights.reduce(0) { $0 + heightCost($1) }
        for link in links where link.source != link.destination {
            total += cost(of: link, distance: columns[link.destination] - columns[link.source])
        }
        return total
    }
}
