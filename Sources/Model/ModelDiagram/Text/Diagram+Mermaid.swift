extension Diagram {
    /// The diagram in Mermaid's language, as a class diagram: that kind has inheritance, and both ends of a relationship
    /// with how many there are, which its entity relationship diagrams lack.
    public var mermaid: String {
        var lines = ["classDiagram", "    direction LR"]
        for (index, box) in boxes.enumerated() {
            lines.append("    class box\(index)[\"\(Self.mermaidText(box.name))\"] {")
            switch box.kind {
            case .entity: break
            case .abstractEntity: lines.append("        <<abstract>>")
            case .composite: lines.append("        <<composite>>")
            }
            lines += box.rows.map { "        " + Self.mermaidMember($0) }
            lines.append("    }")
        }
        for connection in connections { lines.append("    " + mermaidRelation(connection)) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func mermaidMember(_ row: Row) -> String {
        let remarks = row.remarks.map { ", \($0)" }.joined()
        // Members with parentheses are in a part of their own.
        let parts =
            row.section == .indexes
            ? (
                mermaidText(row.name),
                "(\(mermaidText(row.detail)))\(mermaidText(row.remarks.map { " \($0)" }.joined()))"
            )
            : (mermaidText(row.name), " : \(mermaidText(row.detail + remarks))")
        return parts.0 + parts.1
    }

    private func mermaidRelation(_ connection: Connection) -> String {
        let source = "box\(connection.source.box)"
        let destination = "box\(connection.destination.box)"
        switch connection.kind {
        case .inheritance: return "\(source) <|-- \(destination)"
        case .composite: return "\(source) ..> \(destination) : \(mermaidName(connection.source))"
        case .relationship:
            let forward = connection.destination.cardinality.map { " \"\($0)\"" } ?? ""
            let back = connection.source.cardinality.map { " \"\($0)\"" } ?? ""
            let ends =
                connection.source == connection.destination
                ? [connection.source] : [connection.source, connection.destination]
            let names = ends.map(mermaidName).filter { !$0.isEmpty }
            let line = connection.source.cardinality == nil ? "-->" : "--"
            return "\(source)\(back) \(line)\(forward) \(destination) : \(names.joined(separator: " / "))"
        }
    }

    /// Returns the text of an end, with its deletion rule; empty for a box as a whole.
    private func mermaidName(_ end: End) -> String {
        guard let row = end.row.map({ boxes[end.box].rows[$0] }) else { return "" }
        return Self.mermaidText(([row.name] + row.remarks).joined(separator: " "))
    }

    /// The text with every character that may be Mermaid syntax written as a reference.
    static func mermaidText(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isPlain =
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || [" ", "_", ".", ",", "?"].contains(scalar) || scalar == "-" && !result.isEmpty
                || scalar == "*" && result.hasSuffix("..")
            if isPlain {
                result.unicodeScalars.append(scalar)
            } else {
                result += "#\(scalar.value);"
            }
        }
        return result
    }
}
