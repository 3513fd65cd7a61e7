/// The columns of a component with their items, and the nets between the columns.
///
/// Connections that share an end on a box as a whole, as those from a parent to its children, are one bundle, which is
/// drawn as one line that forks. A bundle that passes a column has an item in it, without height, that keeps a way free.
struct ColumnGraph {
    /// A box or a passing bundle.
    struct Item {
        /// The position of the box within the component; nil for a passing bundle.
        var box: Int?
        var height: Int
        var column: Int
        var y = 0
    }

    /// A place on an item, at an offset below its top.
    struct Port: Hashable {
        var item: Int
        var offset: Int
        /// Whether the line may be shifted a little, as on a row that has no other.
        var isFlexible = false
    }

    /// The part of a bundle between two columns.
    struct Net {
        var bundle: Int
        /// The beginning of the bundle: all other ports are connected with it.
        var origin: Port
        var isOriginLeft: Bool
        var left: [Port] = []
        var right: [Port] = []
    }

    /// A connection as seen from its bundle: its port on the hub, and the other end.
    struct Spoke {
        var connection: Int
        var bundle: Int
        var hub: Port
        var end: Port
        /// Whether the hub is the connection's source.
        var isHubSource: Bool
    }

    private(set) var columnCount: Int
    var items: [Item] = []
    /// The items of each column, from above.
    var columns: [[Int]]
    /// The nets on the left of each column, and after the last those on the right of all.
    private(set) var channels: [[Net]]
    private(set) var spokes: [Spoke] = []
    /// The net of a bundle in a channel, and its item in a column.
    private(set) var nets: [[Int: Int]]
    private(set) var passing: [[Int: Int]]

    init(boxes: [(height: Int, column: Int)], spokes: [Spoke]) {
        columnCount = (boxes.map(\.column).max() ?? 0) + 1
        columns = Array(repeating: [], count: columnCount)
        channels = Array(repeating: [], count: columnCount + 1)
        nets = Array(repeating: [:], count: columnCount + 1)
        passing = Array(repeating: [:], count: columnCount)
        for (index, box) in boxes.enumerated() {
            items.append(Item(box: index, height: box.height, column: box.column))
            columns[box.column].append(index)
        }
        self.spokes = spokes
        for spoke in spokes { add(spoke) }
    }

    private mutating func add(_ spoke: Spoke) {
        let hub = items[spoke.hub.item].column
        let end = items[spoke.end.item].column
        if end == hub {
            join(spoke.hub, channel: hub + 1, isLeft: true, bundle: spoke.bundle)
            join(spoke.end, channel: hub + 1, isLeft: true, bundle: spoke.bundle)
            return
        }
        let isRightward = end > hub
        var previous = spoke.hub
        var column = hub
        while column != end {
            let channel = isRightward ? column + 1 : column
            column += isRightward ? 1 : -1
            join(previous, channel: channel, isLeft: isRightward, bundle: spoke.bundle)
            let next = column == end ? spoke.end : Port(item: passingItem(of: spoke.bundle, column: column), offset: 0)
            join(next, channel: channel, isLeft: !isRightward, bundle: spoke.bundle)
            previous = next
        }
    }

    private mutating func passingItem(of bundle: Int, column: Int) -> Int {
        if let item = passing[column][bundle] { return item }
        items.append(Item(height: 0, column: column))
        columns[column].append(items.count - 1)
        passing[column][bundle] = items.count - 1
        return items.count - 1
    }

    private mutating func join(_ port: Port, channel: Int, isLeft: Bool, bundle: Int) {
        let index = nets[channel][bundle] ?? channels[channel].count
        if index == channels[channel].count {
            nets[channel][bundle] = index
            channels[channel].append(Net(bundle: bundle, origin: port, isOriginLeft: isLeft))
        }
        if isLeft {
            if !channels[channel][index].left.contains(port) { channels[channel][index].left.append(port) }
        } else if !channels[channel][index].right.contains(port) {
            channels[channel][index].right.append(port)
        }
    }
}
