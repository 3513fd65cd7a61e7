import DataModel

extension SourceDocument {
    /// A replacement of bytes by text.
    struct Replacement: Hashable {
        var range: Range<Int>
        var text: String
    }

    /// The replacements that make changes of elements; nil when one of them cannot be made exactly.
    func replacements(for changes: [Diagnostic.Change]) -> [Replacement]? {
        var result: [Replacement] = []
        for change in changes {
            let place = change.element
            guard let offset = offset(line: place.line, column: place.column), let index = element(at: offset),
                let replacements = replacements(for: change.action, of: elements[index])
            else { return nil }
            result += replacements.filter { !$0.range.isEmpty || !$0.text.isEmpty }
        }
        guard !result.isEmpty, isExact(result), !overlap(result) else { return nil }
        return result
    }

    private func replacements(for action: Diagnostic.Change.Action, of element: Element) -> [Replacement]? {
        switch action {
        case .setAttribute(let name, let value): return [setting(name, to: value, of: element)]
        case .replaceValue(let old, let new): return replacing(old, with: new, in: element).map { [$0] }
        case .renameAttribute(let old, let new):
            guard let attribute = attribute(old, of: element), self.attribute(new, of: element) == nil else {
                return nil
            }
            return [Replacement(range: attribute.nameRange, text: new)]
        case .removeAttribute(let name): return attribute(name, of: element).map { [removing($0)] } ?? []
        case .rename(let name):
            let start = element.nameRange
            guard let endTag = element.endTag else { return [Replacement(range: start, text: name)] }
            let end = endTag.lowerBound + 2..<endTag.lowerBound + 2 + start.count
            return [Replacement(range: start, text: name), Replacement(range: end, text: name)]
        case .remove: return [Replacement(range: removalRange(of: element), text: "")]
        case .addChild(let child): return adding(child, to: element).map { [$0] }
        case .setEntry(let key, let value): return settingEntry(key, to: value, of: element).map { [$0] }
        }
    }

    func setting(_ name: String, to value: String, of element: Element) -> Replacement {
        if let attribute = attribute(name, of: element) { return setting(value, of: attribute) }
        let end = element.attributes.last?.range.upperBound ?? element.nameRange.upperBound
        return Replacement(range: end..<end, text: " \(name)=\"\(XMLText.escaped(value))\"")
    }

    private func setting(_ value: String, of attribute: Attribute) -> Replacement {
        let quotationMark = bytes[attribute.valueRange.upperBound]
        return Replacement(range: attribute.valueRange, text: XMLText.escaped(value, in: quotationMark))
    }

    private func replacing(_ old: String, with new: String, in element: Element) -> Replacement? {
        let candidates = element.attributes + element.children.flatMap { elements[$0].attributes }
        return candidates.first { value(of: $0) == old }.map { setting(new, of: $0) }
    }

    /// An attribute goes with the space before it.
    private func removing(_ attribute: Attribute) -> Replacement {
        var start = attribute.range.lowerBound
        while start > 0, isSpace(bytes[start - 1]) { start -= 1 }
        return Replacement(range: start..<attribute.range.upperBound, text: "")
    }

    /// An element that has its lines for itself goes with them.
    private func removalRange(of element: Element) -> Range<Int> {
        guard let indentation = indentation(of: element.range.lowerBound) else { return element.range }
        var end = element.range.upperBound
        while end < bytes.count, isBlank(bytes[end]) { end += 1 }
        if end < bytes.count, bytes[end] == UInt8(ascii: "\r") { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\n") else { return element.range }
        return indentation.lowerBound..<end + 1
    }

    /// The elements of an entity in the order in which Xcode writes them.
    private static let order = ["attribute", "relationship", "fetchedProperty", "fetchIndex"]

    /// The child stands behind the last one with its name, else behind the last of those that come before, as Xcode
    /// orders them.
    func adding(_ child: Diagnostic.NewElement, to element: Element) -> Replacement? {
        let newline = self.newline
        let own = indentation(of: element.startTag.lowerBound).map { self.text($0) }
        let children = element.children.map { elements[$0] }
        if let last = predecessor(of: child.name, among: children) {
            let indentation = indentation(of: last.startTag.lowerBound).map { self.text($0) }
            let lead = indentation.map { newline + $0 } ?? ""
            return Replacement(
                range: last.range.upperBound..<last.range.upperBound, text: lead + text(of: child, indentation))
        }
        let indentation = own.map { $0 + indentationUnit }
        let inner = (indentation.map { newline + $0 } ?? "") + text(of: child, indentation)
        let end = element.startTag.upperBound
        if element.isSelfClosing {
            let outer = own.map { newline + $0 } ?? ""
            let close = "</\(name(of: element))>"
            return Replacement(range: end - 2..<end, text: ">" + inner + outer + close)
        }
        let isEmpty = element.endTag?.lowerBound == end
        let outer = isEmpty ? own.map { newline + $0 } ?? "" : ""
        return Replacement(range: end..<end, text: inner + outer)
    }

    /// The element behind which a new one of a name stands.
    private func predecessor(of name: String, among children: [Element]) -> Element? {
        let before = Self.order.prefix { $0 != name }.reversed()
        let names = [name] + (before.count < Self.order.count ? Array(before) : ["attribute"])
        for candidate in names {
            if let last = children.last(where: { self.name(of: $0) == candidate }) { return last }
        }
        return nil
    }

    /// The text of a new element; what is in it stands on lines of its own where the element does.
    private func text(of new: Diagnostic.NewElement, _ indentation: String?) -> String {
        let attributes = new.attributes.map { " \($0.name)=\"\(XMLText.escaped($0.value))\"" }.joined()
        if new.children.isEmpty { return "<\(new.name)\(attributes)/>" }
        let inner = indentation.map { $0 + indentationUnit }
        let children = new.children.map { (inner.map { newline + $0 } ?? "") + text(of: $0, inner) }.joined()
        let end = indentation.map { newline + $0 } ?? ""
        return "<\(new.name)\(attributes)>\(children)\(end)</\(new.name)>"
    }

    /// The blanks from the beginning of a line to an offset; nil when something else stands there.
    func indentation(of offset: Int) -> Range<Int>? {
        var start = offset
        while start > 0, isBlank(bytes[start - 1]) { start -= 1 }
        let isLineStart = start == 0 || bytes[start - 1] == UInt8(ascii: "\n")
        return isLineStart ? start..<offset : nil
    }

    /// By what the first element within the root is indented; Xcode takes four spaces.
    var indentationUnit: String {
        guard elements.count > 1, let first = indentation(of: elements[1].startTag.lowerBound), !first.isEmpty else {
            return "    "
        }
        return text(first)
    }

    var newline: String {
        guard let first = bytes.firstIndex(of: UInt8(ascii: "\n")), first > 0 else { return "\n" }
        return bytes[first - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
    }

    /// Returns whether the text is what a reader sees that believes the document's declaration.
    private func isExact(_ replacements: [Replacement]) -> Bool {
        isUTF8 || replacements.allSatisfy { $0.text.utf8.allSatisfy { $0 < 0x80 } } && bytes.allSatisfy { $0 < 0x80 }
    }

    private func overlap(_ replacements: [Replacement]) -> Bool {
        let ranges = replacements.map(\.range).sorted {
            ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound)
        }
        return zip(ranges, ranges.dropFirst()).contains { $0.upperBound > $1.lowerBound }
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private func isSpace(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
