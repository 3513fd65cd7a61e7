/// A component with everything in its place, from its own upper left corner on.
struct ComponentLayout {
    private(set) var width = 0
    private(set) var height = 0
    /// The places of the component's boxes, which are named by their positions in the diagram.
    private(set) var boxes: [(box: Int, place: DiagramLayout.Rectangle)] = []
    private(set) var routes: [(connection: Int, points: [DiagramLayout.Point])] = []

    /// The room beside a box for the marks at the ends of lines.
    private static let reach = 26
    private static let trackGap = 9

    private var graph: ColumnGraph
    private var columnX: [Int] = []
    private var columnWidths: [Int]
    private var channelX: [Int] = []
    private var tracks: [[Int?]] = []
    private var heights: PortHeights

    init(_ component: LayoutComponent, diagram: Diagram, measures: [BoxMeasure]) {
        let spokes = ComponentLayout.spokes(of: component, diagram: diagram, measures: measures)
        let assignment = ColumnAssignment(
            sizes: component.boxes.map { (measures[$0].width, measures[$0].height) },
            links: spokes.map { spoke in
                ColumnAssignment.Link(
                    source: spoke.hub.item, destination: spoke.end.item,
                    isDirected: diagram.connections[spoke.connection].kind == .inheritance)
            })
        let placed = zip(component.boxes, assignment.columns).map { (height: measures[$0].height, column: $1) }
        graph = ItemPlacement(ColumnGraph(boxes: placed, spokes: spokes)).graph
        heights = PortHeights(graph)
        columnWidths = [Int](repeating: 0, count: graph.columnCount)
        for (box, column) in zip(component.boxes, assignment.columns) {
            columnWidths[column] = max(columnWidths[column], measures[box].width)
        }
        placeColumns()
        for (index, box) in component.boxes.enumerated() {
            let item = graph.items[index]
            let place = DiagramLayout.Rectangle(
                x: columnX[item.column], y: item.y, width: columnWidths[item.column], height: item.height)
            boxes.append((box, place))
        }
        routes = graph.spokes.map { spoke in
            let points = route(spoke)
            return (spoke.connection, spoke.isHubSource ? points : points.reversed())
        }
        moveToOrigin()
    }

    // MARK: Ports

    /// The connections as spokes of their bundles.
    private static func spokes(
        of component: LayoutComponent, diagram: Diagram, measures: [BoxMeasure]
    ) -> [ColumnGraph.Spoke] {
        let positions = Dictionary(uniqueKeysWithValues: component.boxes.enumerated().map { ($1, $0) })
        let bundles = component.connections.map { Bundle(diagram.connections[$0], connection: $0) }
        var numbers: [Bundle: Int] = [:]
        var onHeader: [Int: [Bundle]] = [:]
        for bundle in bundles where numbers[bundle] == nil {
            numbers[bundle] = numbers.count
            if bundle.connection == nil { onHeader[bundle.box, default: []].append(bundle) }
        }
        return zip(component.connections, bundles).map { index, bundle in
            let connection = diagram.connections[index]
            func port(_ end: Diagram.End, isSource: Bool) -> ColumnGraph.Port {
                let item = positions[end.box] ?? 0
                if let row = end.row {
                    let middle = measures[end.box].rows[row].middle
                    let isOwnInverse = connection.source == connection.destination
                    if isOwnInverse { return ColumnGraph.Port(item: item, offset: middle + (isSource ? -6 : 6)) }
                    return ColumnGraph.Port(item: item, offset: middle, isFlexible: true)
                }
                // A child's line arrives near the top; other connections of the box as a whole are spread below.
                if bundle.box != end.box || connection.kind == .inheritance && !isSource {
                    return ColumnGraph.Port(item: item, offset: 6)
                }
                let all = onHeader[end.box] ?? []
                let place = all.firstIndex(of: bundle) ?? 0
                return ColumnGraph.Port(item: item, offset: all.count < 2 ? 18 : 13 + 13 * place / (all.count - 1))
            }
            let isHubSource = connection.kind == .inheritance || bundle.connection != nil
            let source = port(connection.source, isSource: true)
            let destination = port(connection.destination, isSource: false)
            return ColumnGraph.Spoke(
                connection: index, bundle: numbers[bundle] ?? 0, hub: isHubSource ? source : destination,
                end: isHubSource ? destination : source, isHubSource: isHubSource)
        }
    }

    /// The common properties of connections that are drawn as one line.
    private struct Bundle: Hashable {
        var box: Int
        var kind: Diagram.Connection.Kind
        var cardinality: String?
        /// The connection that is a bundle on its own.
        var connection: Int?

        init(_ value: Diagram.Connection, connection: Int) {
            kind = value.kind
            box = value.kind == .inheritance ? value.source.box : value.destination.box
            if kind == .relationship {
                if value.destination.row != nil { self.connection = connection }
                cardinality = value.destination.cardinality?.description
            }
        }
    }

    // MARK: Places

    private mutating func placeColumns() {
        var x = 0
        for channel in 0...graph.columnCount {
            channelX.append(x)
            let routing = ChannelRouting(
                graph.channels[channel].map { net in
                    ChannelRouting.Net(left: net.left.map { heights[$0] }, right: net.right.map { heights[$0] })
                })
            tracks.append(routing.tracks)
            let trackWidth = max(0, routing.trackCount - 1) * Self.trackGap
            if channel == 0 || channel == graph.columnCount {
                x += graph.channels[channel].isEmpty ? 0 : Self.reach + trackWidth + 4
            } else {
                x += max(70, 2 * Self.reach + trackWidth)
            }
            if channel < graph.columnCount {
                columnX.append(x)
                x += columnWidths[channel]
            }
        }
        width = x
    }

    private mutating func moveToOrigin() {
        let top = boxes.map(\.place.y).min() ?? 0
        let lowestRoute = routes.flatMap(\.points).map(\.y)
        let highest = min(top, lowestRoute.min() ?? top)
        for index in boxes.indices { boxes[index].place.y -= highest }
        for index in routes.indices {
            for point in routes[index].points.indices { routes[index].points[point].y -= highest }
        }
        height = max(boxes.map(\.place.maximumY).max() ?? 0, routes.flatMap(\.points).map(\.y).max() ?? 0)
    }

    // MARK: Routes

    private func route(_ spoke: ColumnGraph.Spoke) -> [DiagramLayout.Point] {
        let hub = graph.items[spoke.hub.item].column
        let end = graph.items[spoke.end.item].column
        var points: [DiagramLayout.Point] = []
        if hub == end {
            let x = columnX[hub] + columnWidths[hub]
            let from = DiagramLayout.Point(x: x, y: heights[spoke.hub])
            let to = DiagramLayout.Point(x: x, y: heights[spoke.end])
            points = passage(from: from, to: to, channel: hub + 1, bundle: spoke.bundle)
        } else {
            let isRightward = end > hub
            var column = hub
            var port = spoke.hub
            while column != end {
                let channel = isRightward ? column + 1 : column
                let from = DiagramLayout.Point(
                    x: columnX[column] + (isRightward ? columnWidths[column] : 0), y: heights[port])
                column += isRightward ? 1 : -1
                if column == end {
                    port = spoke.end
                } else if let item = graph.passing[column][spoke.bundle] {
                    port = ColumnGraph.Port(item: item, offset: 0)
                }
                let to = DiagramLayout.Point(
                    x: columnX[column] + (isRightward ? 0 : columnWidths[column]), y: heights[port])
                points += passage(from: from, to: to, channel: channel, bundle: spoke.bundle)
            }
        }
        return Self.simplified(points)
    }

    /// The way through one channel.
    private func passage(
        from: DiagramLayout.Point, to: DiagramLayout.Point, channel: Int, bundle: Int
    ) -> [DiagramLayout.Point] {
        guard let net = graph.nets[channel][bundle], let track = tracks[channel][net] else { return [from, to] }
        let x = channelX[channel] + Self.reach + track * Self.trackGap
        return [from, DiagramLayout.Point(x: x, y: from.y), DiagramLayout.Point(x: x, y: to.y), to]
    }

    /// The points without those on the way straight on.
    private static func simplified(_ points: [DiagramLayout.Point]) -> [DiagramLayout.Point] {
        var result: [DiagramLayout.Point] = []
        for point in points where result.last != point {
            if result.count > 1 {
                let (before, last) = (result[result.count - 2], result[result.count - 1])
                if before.x == last.x && last.x == point.x || before.y == last.y && last.y == point.y {
                    result.removeLast()
                }
            }
            result.append(point)
        }
        return result
    }
}
