/// The places of everything in a picture of a diagram, in pixels from the upper left corner.
///
/// Boxes stand in columns, and connections run between the columns, fixed to the rows that they belong to: the names of
/// both ends are in the rows, so that no label can cover anything. Unconnected parts are laid out separately, and then
/// packed. The same diagram gives the same numbers on every machine.
public struct DiagramLayout: Sendable, Hashable {
    /// The place of something with an extent.
    public struct Rectangle: Sendable, Hashable {
        public var x: Int
        public var y: Int
        public var width: Int
        public var height: Int

        public var maximumX: Int { x + width }
        public var maximumY: Int { y + height }
    }

    /// A corner of a line.
    public struct Point: Sendable, Hashable {
        public var x: Int
        public var y: Int

        public init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
    }

    public private(set) var width = 0
    public private(set) var height = 0
    /// The place of each box.
    public private(set) var boxes: [Rectangle]
    /// Each connection from its source to its destination, as horizontal and vertical lines in turn.
    public private(set) var routes: [[Point]]

    static let margin = 24
    static let titleHeight = 34

    /// Arranges a diagram. The time is about quadratic in the number of connections between boxes that are connected.
    public init(_ diagram: Diagram) {
        let measures = diagram.boxes.map(BoxMeasure.init)
        boxes = measures.map { Rectangle(x: 0, y: 0, width: $0.width, height: $0.height) }
        routes = diagram.connections.map { _ in [] }
        let components = LayoutComponent.all(of: diagram)
        var parts: [ComponentLayout] = []
        for component in components {
            parts.append(ComponentLayout(component, diagram: diagram, measures: measures))
        }
        let packing = Packing(parts.map { ($0.width, $0.height) }, gap: 36)
        for (part, corner) in zip(parts, packing.corners) {
            let x = corner.x + Self.margin
            let y = corner.y + Self.margin + Self.titleHeight
            for (box, place) in part.boxes {
                boxes[box] = Rectangle(x: place.x + x, y: place.y + y, width: place.width, height: place.height)
            }
            for (connection, points) in part.routes {
                routes[connection] = points.map { Point(x: $0.x + x, y: $0.y + y) }
            }
        }
        let title = TextWidth.of(diagram.title, size: 16, isBold: true)
        width = max(packing.width, title) + 2 * Self.margin
        height = packing.height + 2 * Self.margin + Self.titleHeight
    }
}
