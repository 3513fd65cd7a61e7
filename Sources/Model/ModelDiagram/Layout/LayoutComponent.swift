/// Boxes that are connected with one another, however far.
struct LayoutComponent {
    var boxes: [Int] = []
    var connections: [Int] = []

    /// The components of a diagram, by their first boxes.
    static func all(of diagram: Diagram) -> [LayoutComponent] {
        var leaders = Array(diagram.boxes.indices)
        func leader(of box: Int) -> Int {
            var box = box
            while leaders[box] != box {
                leaders[box] = leaders[leaders[box]]
                box = leaders[box]
            }
            return box
        }
        for connection in diagram.connections {
            let ends = [leader(of: connection.source.box), leader(of: connection.destination.box)]
            leaders[max(ends[0], ends[1])] = min(ends[0], ends[1])
        }
        var components: [Int: LayoutComponent] = [:]
        for box in diagram.boxes.indices {
            components[leader(of: box), default: LayoutComponent()].boxes.append(box)
        }
        for (index, connection) in diagram.connections.enumerated() {
            components[leader(of: connection.source.box), default: LayoutComponent()].connections.append(index)
        }
        return components.sorted { $0.key < $1.key }.map(\.value)
    }
}
