import DataModel

extension Diagram {
    /// The diagram as an SVG picture with a background of its own. It follows the reader's choice of light or dark
    /// colours if the viewer supports that.
    public var svg: String {
        let style = ["<style>", isComparison ? SVGStyle.text + "\n" + SVGStyle.changes : SVGStyle.text, "</style>"]
        return svg(attributes: "role=\"img\"", style: style) { _ in nil }
    }

    /// The picture as a part of a page whose styles include ``stylesheet``, with links on the boxes.
    ///
    /// - Parameter link: The address that the box of a name leads to; nil for none.
    public func linkedSVG(_ link: (Box) -> String?) -> String {
        svg(attributes: "class=\"diagram\" role=\"group\"", style: [], link)
    }

    /// The styles of ``linkedSVG(_:)``, which affect nothing else.
    public static var stylesheet: String { "svg.diagram{\n\(SVGStyle.text)\n\(SVGStyle.changes)\n}\n" }

    private func svg(attributes: String, style: [String], _ link: (Box) -> String?) -> String {
        let layout = DiagramLayout(self)
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(layout.width)\" height=\"\(layout.height)\""
                + " viewBox=\"0 0 \(layout.width) \(layout.height)\" \(attributes)>",
            "<title>\(XMLText.escaped(title))</title>",
        ]
        lines += style
        lines += [
            "<rect class=\"page\" width=\"\(layout.width)\" height=\"\(layout.height)\"/>",
            "<text class=\"title\" x=\"\(DiagramLayout.margin)\" y=\"36\">\(XMLText.escaped(title))</text>",
        ]
        for (index, points) in layout.routes.enumerated() {
            lines += SVGConnection(connections[index], tint: index % SVGStyle.tintCount, along: points, in: self).lines
        }
        for (box, place) in zip(boxes, layout.boxes) {
            let drawn = SVGBox(box, at: place).lines
            guard let address = link(box) else {
                lines += drawn
                continue
            }
            lines += ["<a href=\"\(XMLText.escaped(address))\">"] + drawn + ["</a>"]
        }
        lines.append("</svg>")
        return lines.joined(separator: "\n") + "\n"
    }
}

/// A box with its rows.
struct SVGBox {
    private(set) var lines: [String] = []

    /// Draws a box.
    ///
    /// - Parameter handle: Whether relationships can be drawn from the box on a page.
    init(_ box: Diagram.Box, at place: DiagramLayout.Rectangle, handle: Bool = false) {
        let measure = BoxMeasure(box)
        let right = place.width - BoxMeasure.padding
        lines.append("<g class=\"\(Self.style(of: box))\" transform=\"translate(\(place.x) \(place.y))\">")
        lines.append("<title>\(XMLText.escaped(box.documentation ?? box.name))</title>")
        lines.append("<rect class=\"box\" width=\"\(place.width)\" height=\"\(place.height)\" rx=\"6\"/>")
        let header = BoxMeasure.headerHeight
        let lower =
            place.height > header
            ? "v\(header - 6)h\(-place.width)v\(6 - header)"
            : "v18a6 6 0 0 1 -6 6"
                + "h\(12 - place.width)a6 6 0 0 1 -6 -6v-18"
        lines.append(
            "<path class=\"head\" d=\"M0 6a6 6 0 0 1 6 -6h\(place.width - 12)a6 6 0 0 1 6 6\(lower)z\"/>")
        text(box.name, style: "name", x: BoxMeasure.padding, y: 20)
        if let stereotype = BoxMeasure.stereotype(of: box) { text(stereotype, style: "kind", x: right, y: 19) }
        for y in measure.separators { lines.append("<path class=\"rule\" d=\"M0 \(y)h\(place.width)\"/>") }
        for (row, rowPlace) in zip(box.rows, measure.rows) {
            let y = rowPlace.top + 14
            text(row.name, style: row.change?.rawValue, x: BoxMeasure.padding, y: y)
            for (index, detail) in rowPlace.details.enumerated() where !detail.isEmpty {
                text(detail, style: "detail", x: rowPlace.detailX, y: y + index * BoxMeasure.rowHeight)
            }
            let remarks = row.remarks.joined(separator: ", ")
            if !remarks.isEmpty { text(remarks, style: "remark", x: right, y: y) }
        }
        // Above the header, whose colour would cover it.
        lines.append("<rect class=\"frame\" width=\"\(place.width)\" height=\"\(place.height)\" rx=\"6\"/>")
        if handle {
            lines.append("<circle class=\"handle\" cx=\"\(place.width)\" cy=\"\(header / 2)\" r=\"7\"/>")
        }
        lines.append("</g>")
    }

    private static func style(of box: Diagram.Box) -> String {
        let style =
            switch box.kind {
            case .entity: "entity"
            case .abstractEntity: "entity abstract"
            case .composite: "composite"
            }
        return box.change.map { "\(style) \($0.rawValue)" } ?? style
    }

    private mutating func text(_ text: String, style: String?, x: Int, y: Int) {
        let style = style.map { " class=\"\($0)\"" } ?? ""
        lines.append("<text\(style) x=\"\(x)\" y=\"\(y)\">\(XMLText.escaped(text))</text>")
    }
}

/// A line with the marks at its ends.
struct SVGConnection {
    private(set) var lines: [String] = []

    init(_ connection: Diagram.Connection, tint: Int, along points: [DiagramLayout.Point], in diagram: Diagram) {
        guard let first = points.first, let last = points.last, points.count > 1 else { return }
        let path = Self.rounded(points)
        lines.append(
            "<g class=\"\(Self.style(of: connection, tint))\"><title>\(Self.title(of: connection, in: diagram))</title>"
        )
        // A rim of the page's colour shows which of two lines that cross is above.
        lines.append("<path class=\"rim\" d=\"\(path)\"/><path d=\"\(path)\"/>")
        let start = Self.Place(x: first.x, y: first.y, direction: points[1].x > first.x ? 1 : -1)
        let end = Self.Place(x: last.x, y: last.y, direction: points[points.count - 2].x > last.x ? 1 : -1)
        switch connection.kind {
        case .inheritance: lines.append("<path class=\"hollow\" d=\"\(Self.triangle(start))\"/>")
        case .composite: lines.append("<path class=\"hollow\" d=\"\(Self.diamond(end))\"/>")
        case .relationship:
            lines.append(Self.mark(connection.destination.cardinality, end))
            lines.append(
                connection.source.cardinality == nil
                    ? "<circle class=\"dot\" cx=\"\(first.x)\" cy=\"\(first.y)\" r=\"3\"/>"
                    : Self.mark(connection.source.cardinality, start))
        }
        lines.append("</g>")
    }

    static func style(of connection: Diagram.Connection, _ tint: Int) -> String {
        let style =
            switch connection.kind {
            case .inheritance: "line inherits"
            case .composite: "line uses"
            case .relationship: "line tint\(tint)"
            }
        return style + (connection.change.map { " \($0.rawValue)" } ?? "")
    }

    /// The names of both ends, as markup.
    static func title(of connection: Diagram.Connection, in diagram: Diagram) -> String {
        let names = [connection.source, connection.destination].map { end in
            let box = diagram.boxes[end.box]
            return end.row.map { "\(box.name).\(box.rows[$0].name)" } ?? box.name
        }
        return XMLText.escaped(names.joined(separator: " — "))
    }

    /// The place where a line meets a box, and the side to which it leaves.
    struct Place {
        var x: Int
        var y: Int
        var direction: Int
    }

    /// A crow's foot for many or a bar for one, and behind it a ring if there may be none, or a bar if there is at
    /// least one.
    static func mark(_ cardinality: Cardinality?, _ place: Place) -> String {
        guard let cardinality else { return "" }
        func x(_ distance: Int) -> Int { place.x + distance * place.direction }
        let y = place.y
        let greatest =
            cardinality.isToMany
            ? "M\(x(10)) \(y)L\(x(0)) \(y - 5)M\(x(10)) \(y)L\(x(0)) \(y + 5)" : "M\(x(6)) \(y - 5)v10"
        if cardinality.minimum == 0 {
            return "<path d=\"\(greatest)\"/><circle class=\"hollow\" cx=\"\(x(14))\" cy=\"\(y)\" r=\"3.5\"/>"
        }
        return "<path d=\"\(greatest)M\(x(cardinality.isToMany ? 13 : 10)) \(y - 5)v10\"/>"
    }

    static func triangle(_ place: Place) -> String {
        "M\(place.x) \(place.y)l\(11 * place.direction) -6v12z"
    }

    static func diamond(_ place: Place) -> String {
        let half = 7 * place.direction
        return "M\(place.x) \(place.y)l\(half) -5l\(half) 5l\(-half) 5z"
    }

    /// The path with round corners.
    static func rounded(_ points: [DiagramLayout.Point]) -> String {
        var path = "M\(points[0].x) \(points[0].y)"
        for index in points.indices.dropFirst().dropLast() {
            let (before, corner, after) = (points[index - 1], points[index], points[index + 1])
            let lengths = [
                abs(corner.x - before.x) + abs(corner.y - before.y), abs(after.x - corner.x) + abs(after.y - corner.y),
            ]
            let radius = min(6, lengths[0] / 2, lengths[1] / 2)
            path +=
                "L\(corner.x - (corner.x - before.x).signum() * radius)"
                + " \(corner.y - (corner.y - before.y).signum() * radius)"
                + "Q\(corner.x) \(corner.y) \(corner.x + (after.x - corner.x).signum() * radius)"
                + " \(corner.y + (after.y - corner.y).signum() * radius)"
        }
        let last = points[points.count - 1]
        return path + "L\(last.x) \(last.y)"
    }
}
