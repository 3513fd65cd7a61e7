import DataModel

/// A diagram whose boxes a person places, as the part of a page that a script moves.
///
/// Without places, the boxes and lines are those of ``DiagramLayout``. With places, lines are curves between the boxes. A
/// script that moves a box draws the same curves, from the attributes that the lines have.
public struct DiagramCanvas: Sendable {
    /// The boxes that a page shows differently from others.
    public struct Emphasis: Sendable {
        /// The box whose details the page shows.
        public var chosen: String?
        /// The boxes that a search found; nil if there is none.
        public var found: Set<String>?

        public init(chosen: String? = nil, found: Set<String>? = nil) { (self.chosen, self.found) = (chosen, found) }
    }

    public let diagram: Diagram
    /// The places of the boxes.
    public private(set) var boxes: [DiagramLayout.Rectangle]
    private let measures: [BoxMeasure]
    /// The lines of the automatic layout; nil where a person placed boxes.
    private var routes: [[DiagramLayout.Point]]?

    private static let gap = 36

    /// Places a diagram.
    ///
    /// - Parameter places: The upper left corners of boxes, by their names. Boxes without one come below all others. If it
    ///   is empty, the diagram arranges itself.
    public init(_ diagram: Diagram, places: [String: DiagramLayout.Point]) {
        self.diagram = diagram
        measures = diagram.boxes.map(BoxMeasure.init)
        if places.isEmpty {
            let layout = DiagramLayout(diagram)
            (boxes, routes) = (layout.boxes, layout.routes)
            return
        }
        boxes = zip(diagram.boxes, measures).map { box, measure in
            let place = places[box.name]
            return DiagramLayout.Rectangle(
                x: max(0, place?.x ?? -1), y: max(0, place?.y ?? -1), width: measure.width, height: measure.height)
        }
        let placed = diagram.boxes.indices.filter { places[diagram.boxes[$0].name] != nil }
        let top = (placed.map { boxes[$0].maximumY }.max() ?? 0) + Self.gap
        var corner = DiagramLayout.Point(x: DiagramLayout.margin, y: top)
        var height = 0
        for index in diagram.boxes.indices where places[diagram.boxes[index].name] == nil {
            if corner.x > DiagramLayout.margin, corner.x + boxes[index].width > 1200 {
                corner = DiagramLayout.Point(x: DiagramLayout.margin, y: corner.y + height + Self.gap)
                height = 0
            }
            (boxes[index].x, boxes[index].y) = (corner.x, corner.y)
            corner.x += boxes[index].width + Self.gap
            height = max(height, boxes[index].height)
        }
    }

    /// The sizes of a diagram's boxes, with their names.
    public static func sizes(_ diagram: Diagram) -> [(name: String, width: Int, height: Int)] {
        diagram.boxes.map { box in
            let measure = BoxMeasure(box)
            return (box.name, measure.width, measure.height)
        }
    }

    /// The extent of the picture.
    public var width: Int { (boxes.map(\.maximumX).max() ?? 0) + 90 }
    public var height: Int { (boxes.map(\.maximumY).max() ?? 0) + 60 }

    /// The picture, which is part of a page with ``Diagram/stylesheet`` and ``stylesheet``.
    ///
    /// - Parameters:
    ///   - isEditable: Whether boxes have handles to draw relationships from.
    ///   - link: The address that a box leads to.
    public func svg(emphasis: Emphasis = Emphasis(), isEditable: Bool, link: (Diagram.Box) -> String) -> String {
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"diagram canvas\" role=\"group\" width=\"\(width)\""
                + " height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\" data-arranged=\"\(routes == nil ? 0 : 1)\">",
            "<title>\(XMLText.escaped(diagram.title))</title>",
        ]
        for index in diagram.connections.indices { lines += self.lines(ofConnection: index) }
        for (index, box) in diagram.boxes.enumerated() {
            var style = box.name == emphasis.chosen ? "box-link chosen" : "box-link"
            if let found = emphasis.found { style += found.contains(box.name) ? " found" : " other" }
            let name = XMLText.escaped(box.name)
            let place = boxes[index]
            lines.append(
                "<a class=\"\(style)\" href=\"\(XMLText.escaped(link(box)))\" data-box=\"\(name)\" data-x=\"\(place.x)\""
                    + " data-y=\"\(place.y)\" data-width=\"\(place.width)\" data-height=\"\(place.height)\""
                    + (box.kind == .composite ? ">" : " data-entity=\"\(name)\">"))
            lines += SVGBox(box, at: place, handle: isEditable && box.kind != .composite).lines
            lines.append("</a>")
        }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func lines(ofConnection index: Int) -> [String] {
        let connection = diagram.connections[index]
        let ends = [connection.source, connection.destination]
        let heights = ends.map { end in end.row.map { measures[end.box].rows[$0].middle } ?? 18 }
        let path: String
        let places: [SVGConnection.Place]
        if let points = routes?[index], let first = points.first, let last = points.last, points.count > 1 {
            path = SVGConnection.rounded(points)
            places = [
                SVGConnection.Place(x: first.x, y: first.y, direction: points[1].x > first.x ? 1 : -1),
                SVGConnection.Place(
                    x: last.x, y: last.y, direction: points[points.count - 2].x > last.x ? 1 : -1),
            ]
        } else {
            (path, places) = Self.curve(boxes[ends[0].box], heights[0], boxes[ends[1].box], heights[1])
        }
        let names = ends.map { XMLText.escaped(diagram.boxes[$0.box].name) }
        let style = SVGConnection.style(of: connection, index % SVGStyle.tintCount)
        var marks = ["", ""]
        let origin = SVGConnection.Place(x: 0, y: 0, direction: 1)
        switch connection.kind {
        case .inheritance: marks[0] = "<path class=\"hollow\" d=\"\(SVGConnection.triangle(origin))\"/>"
        case .composite: marks[1] = "<path class=\"hollow\" d=\"\(SVGConnection.diamond(origin))\"/>"
        case .relationship:
            marks[1] = SVGConnection.mark(connection.destination.cardinality, origin)
            marks[0] =
                connection.source.cardinality == nil
                ? "<circle class=\"dot\" r=\"3\"/>" : SVGConnection.mark(connection.source.cardinality, origin)
        }
        let drawn = zip(places, marks).map { place, mark in
            "<g class=\"end\" transform=\"translate(\(place.x) \(place.y)) scale(\(place.direction) 1)\">\(mark)</g>"
        }
        return [
            "<g class=\"\(style)\" data-from=\"\(names[0])\" data-from-y=\"\(heights[0])\" data-to=\"\(names[1])\""
                + " data-to-y=\"\(heights[1])\"><title>\(SVGConnection.title(of: connection, in: diagram))</title>",
            "<path class=\"rim\" d=\"\(path)\"/><path class=\"way\" d=\"\(path)\"/>" + drawn.joined(), "</g>",
        ]
    }

    /// A curve from one box to another, and where it meets them. The page's script has the same formula.
    private static func curve(
        _ from: DiagramLayout.Rectangle, _ fromHeight: Int, _ to: DiagramLayout.Rectangle, _ toHeight: Int
    ) -> (path: String, places: [SVGConnection.Place]) {
        let right = from.maximumX + 40 <= to.x
        let left = to.maximumX + 40 <= from.x
        let directions = [left ? -1 : 1, right ? -1 : 1]
        let start = SVGConnection.Place(
            x: left ? from.x : from.maximumX, y: from.y + fromHeight, direction: directions[0])
        let end = SVGConnection.Place(x: right ? to.x : to.maximumX, y: to.y + toHeight, direction: directions[1])
        // Beside each other, the curve goes halfway; above each other, around both on the right.
        let reach = right || left ? max(40, abs(end.x - start.x) / 2) : 70
        let outer = max(start.x, end.x) + reach
        let handles =
            right || left ? [start.x + reach * directions[0], end.x + reach * directions[1]] : [outer, outer]
        return (
            "M\(start.x) \(start.y)C\(handles[0]) \(start.y) \(handles[1]) \(end.y) \(end.x) \(end.y)", [start, end]
        )
    }

    /// The styles of ``svg(emphasis:isEditable:link:)``.
    public static var stylesheet: String {
        """
        svg.canvas{
        a{cursor:grab}
        .chosen .frame{stroke:#0b57b8;stroke-width:3}
        .found .frame{stroke:#9a6700;stroke-width:3}
        .other{opacity:.35}
        .target .frame{stroke:#1a7f37;stroke-width:3}
        .handle{fill:#0b57b8;opacity:0;cursor:crosshair}
        a:hover .handle,a:focus .handle,.chosen .handle{opacity:1}
        .drawn{stroke:#0b57b8;stroke-width:2;stroke-dasharray:5 4;fill:none;pointer-events:none}
        @media (prefers-color-scheme:dark){
        .chosen .frame,.drawn{stroke:#7fb0ea}
        .handle{fill:#7fb0ea}
        .found .frame{stroke:#d29922}
        .target .frame{stroke:#3fb950}
        }
        }

        """
    }
}
