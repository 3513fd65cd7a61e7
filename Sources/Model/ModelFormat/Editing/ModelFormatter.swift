public import DataModel

/// Writes a version's file as Xcode does.
///
/// One element a line, indented by four spaces, with Xcode's order of attributes and elements. Entities and properties are
/// sorted by name. A file that Xcode 4 to 16 saved stays as it is. Comments stay before the element that they
/// precede, and elements with text or of another namespace are not changed within.
public struct ModelFormatter {
    private let document: SourceDocument
    private let sortsChildren: Bool

    /// The formatted bytes of a file.
    ///
    /// - Throws: ``ModelEditError/unreadable(file:reason:)`` if it is not a model, and
    ///   ``ModelEditError/notExact(file:)`` if formatting would change its meaning.
    public static func formatted(_ bytes: [UInt8], file: String) throws(ModelEditError) -> [UInt8] {
        let before = try VersionText(contents: bytes, file: file).model.meaning
        var diagnostics = Diagnostics()
        guard let document = SourceDocument(bytes, file: file, reportingTo: &diagnostics) else {
            throw .unreadable(file: file, reason: diagnostics.all.first?.message ?? "it is not XML")
        }
        // The order of attributes is that of a full-text index that they declare.
        for sortsChildren in [true, false] {
            let text = ModelFormatter(document: document, sortsChildren: sortsChildren).text
            let result = Array(text.utf8)
            if try VersionText(contents: result, file: file).model.meaning == before { return result }
        }
        throw .notExact(file: file)
    }

    private static let declaration = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#

    private var text: String {
        let root = document.elements[0].range
        var head = Substring(document.text(0..<root.lowerBound)).trimmingSpace
        if head.first == "\u{FEFF}" { head.removeFirst() }
        if head.hasPrefix("<?xml"), let end = head.firstRange(of: "?>") { head = head[end.upperBound...].trimmingSpace }
        let tail = document.text(root.upperBound..<document.bytes.count)
        var lines = [Self.declaration]
        if !head.isEmpty { lines.append(String(head)) }
        lines.append(contentsOf: self.lines(of: 0, ""))
        let rest = Substring(tail).trimmingSpace
        if !rest.isEmpty { lines.append(String(rest)) }
        let end = tail.last?.isNewline == true ? "\n" : ""
        return (lines.joined(separator: "\n") + end).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }

    private func lines(of index: Int, _ indentation: String) -> [String] {
        let element = document.elements[index]
        let name = document.name(of: element)
        guard let content = Content(of: element, in: document), !name.contains(":") else {
            return [indentation + document.text(element.range)]
        }
        let attributes = self.attributes(of: element, name)
        let start = "\(indentation)<\(name)\(attributes)"
        if content.parts.isEmpty, content.comments.isEmpty { return [start + "/>"] }
        let inner = indentation + "    "
        var lines = [start + ">"]
        for part in sortsChildren ? sorted(content.parts, in: name) : content.parts {
            lines += part.comments.map { inner + $0 }
            lines += self.lines(of: part.element, inner)
            lines[lines.count - 1] += part.trailing.map { " \($0)" }.joined()
        }
        lines += content.comments.map { inner + $0 }
        return lines + ["\(indentation)</\(name)>"]
    }

    // MARK: Attributes

    private func attributes(of element: SourceDocument.Element, _ name: String) -> String {
        let values = element.attributes.map { attribute in
            (name: document.text(attribute.nameRange), value: Self.value(document.text(attribute.valueRange)))
        }
        var sorted = XcodeOrder.sorted(values, of: name, by: \.name)
        if name == "model", let identifier = sorted.firstIndex(where: { $0.name == Self.identifier }),
            XcodeOrder.writesIdentifierFirst(
                toolsVersion: values.first { $0.name == "lastSavedToolsVersion" }?.value)
        {
            let value = sorted.remove(at: identifier)
            sorted.insert(value, at: sorted.first?.name == "name" ? 1 : 0)
        }
        return sorted.map { " \($0.name)=\"\(XMLText.escaped($0.value))\"" }.joined()
    }

    private static let identifier = "userDefinedModelVersionIdentifier"

    /// The meaning of a value as it is written, in which line ends and tabs are spaces.
    private static func value(_ written: String) -> String {
        let unbroken = written.replacing("\r\n", with: " ")
        return XMLText.unescaped(String(unbroken.map { $0 == "\t" || $0 == "\n" || $0 == "\r" ? " " : $0 }))
    }

    // MARK: Children

    /// The parts in Xcode's order, each with the unknown ones that follow it.
    private func sorted(_ parts: [Content.Part], in parent: String) -> [Content.Part] {
        var units: [(group: Int, name: String, key: XcodeOrder.Key?, parts: [Content.Part])] = []
        for part in parts {
            let element = document.elements[part.element]
            let name = document.name(of: element)
            if let group = XcodeOrder.group(of: name, in: parent) {
                let value = document.attribute("name", of: element).map(document.value) ?? ""
                units.append((group, name, XcodeOrder.sorted.contains(name) ? XcodeOrder.Key(value) : nil, [part]))
            } else if units.isEmpty {
                units.append((-1, "", nil, [part]))
            } else {
                units[units.count - 1].parts.append(part)
            }
        }
        let order = units.indices.sorted { left, right in
            let (first, second) = (units[left], units[right])
            if first.group != second.group { return first.group < second.group }
            if let key = first.key, let other = second.key, first.name == second.name, key != other {
                return key < other
            }
            return left < right
        }
        return order.flatMap { units[$0].parts }
    }
}

/// The children of an element with the comments and instructions between them.
private struct Content {
    struct Part {
        /// The comments before the element.
        var comments: [String]
        var element: Int
        /// The comments behind it in the same line.
        var trailing: [String] = []
    }

    var parts: [Part] = []
    /// The comments before the end tag.
    var comments: [String] = []

    /// Nil if there is text between the children.
    init?(of element: SourceDocument.Element, in document: SourceDocument) {
        guard let end = element.endTag?.lowerBound else { return }
        var position = element.startTag.upperBound
        for child in element.children {
            let range = document.elements[child].range
            guard let comments = take(document.text(position..<range.lowerBound)) else { return nil }
            parts.append(Part(comments: comments, element: child))
            position = range.upperBound
        }
        guard let comments = take(document.text(position..<end)) else { return nil }
        self.comments = comments
    }

    /// Divides the text between two elements; nil if it is more than space and comments.
    private mutating func take(_ text: String) -> [String]? {
        var comments: [String] = []
        var rest = Substring(text)
        while let start = rest.firstIndex(where: { !$0.isWhitespace }) {
            let isSameLine = !rest[..<start].contains(where: \.isNewline) && comments.isEmpty
            let part = rest[start...]
            let closing = part.hasPrefix("<!--") ? "-->" : part.hasPrefix("<?") ? "?>" : nil
            guard let closing, let end = part.dropFirst(2).firstRange(of: closing)?.upperBound else { return nil }
            let comment = String(part[..<end])
            if isSameLine, !parts.isEmpty {
                parts[parts.count - 1].trailing.append(comment)
            } else {
                comments.append(comment)
            }
            rest = part[end...]
        }
        return comments
    }
}

extension Substring {
    fileprivate var trimmingSpace: Substring {
        var result = self.drop { $0.isWhitespace }
        while let last = result.last, last.isWhitespace { result.removeLast() }
        return result
    }
}
