import DataModel

extension Diagram {
    /// The diagram in Graphviz's language, with a table for each box. `dot -Tsvg` draws it.
    public var dot: String {
        var lines = [
            "digraph \(Self.dotQuoted(title)) {",
            "    graph [rankdir=LR, nodesep=0.4, ranksep=1.2]",
            "    node [shape=plain, fontname=\"Helvetica\", fontsize=11]",
            "    edge [fontname=\"Helvetica\", fontsize=10]",
        ]
        for (index, box) in boxes.enumerated() {
            lines.append("    box\(index) [label=<\(Self.dotTable(box))>]")
        }
        for connection in connections { lines.append("    \(Self.dotEdge(connection))") }
        lines.append("}")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func dotTable(_ box: Box) -> String {
        let name = "<B>\(XMLText.escaped(box.name))</B>"
        let title =
            switch box.kind {
            case .entity: name
            case .abstractEntity: "«abstract» <I>\(name)</I>"
            case .composite: "«composite» \(name)"
            }
        var rows = ["<TR><TD PORT=\"head\" COLSPAN=\"3\" BGCOLOR=\"#dde6f0\">\(title)</TD></TR>"]
        for (index, row) in box.rows.enumerated() {
            let cells = [row.name, row.detail, row.remarks.joined(separator: ", ")].enumerated().map { column, text in
                let port = column == 0 ? " PORT=\"left\(index)\"" : column == 2 ? " PORT=\"right\(index)\"" : ""
                return "<TD\(port) ALIGN=\"LEFT\">\(text.isEmpty ? " " : XMLText.escaped(text))</TD>"
            }
            rows.append("<TR>\(cells.joined())</TR>")
        }
        return "<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\" CELLPADDING=\"4\">\(rows.joined())</TABLE>"
    }

    private static func dotEdge(_ connection: Connection) -> String {
        func port(_ end: End, _ side: String) -> String {
            "box\(end.box):" + (end.row.map { "\(side)\($0)" } ?? "head")
        }
        let ends = "\(port(connection.source, "right")) -> \(port(connection.destination, "left"))"
        switch connection.kind {
        case .inheritance: return ends + " [dir=back, arrowtail=empty]"
        case .composite: return ends + " [style=dashed, arrowhead=odiamond]"
        case .relationship:
            let head = dotArrow(connection.destination.cardinality)
            let tail = dotArrow(connection.source.cardinality)
            return ends + " [dir=both, arrowhead=\(head), arrowtail=\(tail)]"
        }
    }

    private static func dotArrow(_ cardinality: Cardinality?) -> String {
        guard let cardinality else { return "none" }
        return (cardinality.isToMany ? "crow" : "tee") + (cardinality.minimum == 0 ? "odot" : "tee")
    }

    /// A text in quotation marks. The language's only control character is the line feed, as an escape.
    static func dotQuoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            case "\u{0}"..."\u{1F}", "\u{7F}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
