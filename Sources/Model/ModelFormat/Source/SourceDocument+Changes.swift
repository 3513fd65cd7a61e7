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
        var removed: [Int] = []
        var moved: [Int] = []
        var added: [(element: Int, child: Diagnostic.NewElement)] = []
        for change in inXcodeOrder(changes) {
            guard let index = element(at: change.element) else { return nil }
            switch change.action {
            case .remove: removed.append(index)
            case .addChild(let child): added.append((index, child))
            case .setEntry(let key, let value):
                if let replacement = settingEntry(key, to: value, of: elements[index]) {
                    result.append(replacement)
                } else {
                    added.append(newEntry(key, value, of: index))
                }
            default:
                if case .move = change.action { moved.append(index) }
                guard let replacements = replacements(for: change.action, of: elements[index]) else { return nil }
                result += replacements
            }
        }
        removed = withoutEmptyContainers(removed)
        // New elements are not placed after a removed one.
        let ignored = Set(removed + moved)
        for index in Set(added.map(\.element)).sorted() {
            var children: [Diagnostic.NewElement] = []
            for child in added.filter({ $0.element == index }).map(\.child) {
                let same = children.firstIndex { $0.name == child.name && Self.containers.contains(child.name) }
                if let same { children[same].children += child.children } else { children.append(child) }
            }
            result += adding(children, to: elements[index], ignoring: ignored)
        }
        // Other changes within a removed element are dropped.
        result.removeAll { replacement in
            removed.contains { elements[$0].range.contains(replacement.range.lowerBound) }
        }
        let removals = removed.map { Replacement(range: removalRange(of: elements[$0]), text: "") }
        result = joined(result + removals).filter { !$0.range.isEmpty || !$0.text.isEmpty }
        guard !result.isEmpty, isExact(result), !overlap(result) else { return nil }
        return result
    }

    /// The changes with new attributes in the order in which Xcode writes them.
    private func inXcodeOrder(_ changes: [Diagnostic.Change]) -> [Diagnostic.Change] {
        let ranked = changes.enumerated().map { offset, change -> (rank: Int, offset: Int, change: Diagnostic.Change) in
            guard case .setAttribute(let name, _) = change.action, let index = element(at: change.element) else {
                return (-1, offset, change)
            }
            let rank = XcodeOrder.attributes[self.name(of: elements[index])]?.firstIndex(of: name)
            return (rank ?? Int.max, offset, change)
        }
        return ranked.sorted { ($0.rank, $0.offset) < ($1.rank, $1.offset) }.map(\.change)
    }

    /// The element at a place.
    private func element(at place: SourceLocation) -> Int? {
        offset(line: place.line, column: place.column).flatMap { element(at: $0) }
    }

    /// Combines insertions at the same place, in their order.
    private func joined(_ replacements: [Replacement]) -> [Replacement] {
        var result: [Replacement] = []
        for replacement in replacements {
            let position = replacement.range.isEmpty ? result.firstIndex { $0.range == replacement.range } : nil
            if let position {
                result[position].text += replacement.text
            } else if !result.contains(replacement) {
                result.append(replacement)
            }
        }
        return result
    }

    /// Removed elements, with the container in place of all of its children.
    private func withoutEmptyContainers(_ removed: [Int]) -> [Int] {
        let indexes = Set(removed)
        var result: [Int] = []
        for index in indexes.sorted() {
            guard let parent = elements[index].parent, name(of: elements[parent]) != "userInfo",
                Self.containers.contains(name(of: elements[parent])),
                elements[parent].children.allSatisfy(indexes.contains)
            else {
                result.append(index)
                continue
            }
            if !result.contains(parent) { result.append(parent) }
        }
        return result.filter { index in
            // An element within a removed one is removed with it.
            var parent = elements[index].parent
            while let current = parent {
                if indexes.contains(current) { return false }
                parent = elements[current].parent
            }
            return true
        }
    }

    /// The elements that only hold others of one name.
    private static let containers: Set<String> = ["uniquenessConstraints", "compoundIndexes", "userInfo"]

    private func replacements(for action: Diagnostic.Change.Action, of element: Element) -> [Replacement]? {
        switch action {
        case .setAttribute(let name, let value): return [setting(name, to: value, of: element)]
        case .replaceValue(let old, let new):
            return attribute(withValue: old, of: element).map { [setting(new, of: $0)] }
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
        case .replaceText(let name, let range, let new):
            return attribute(name, of: element).flatMap { replacing(range, of: $0, with: new) }.map { [$0] }
        // All of them are made together.
        case .remove, .addChild, .setEntry: return []
        case .move(let place): return self.element(at: place).flatMap { moving(element, to: elements[$0]) }
        }
    }

    func setting(_ name: String, to value: String, of element: Element) -> Replacement {
        if let attribute = attribute(name, of: element) { return setting(value, of: attribute) }
        let end = place(ofNew: name, in: element)
        return Replacement(range: end..<end, text: " \(name)=\"\(XMLText.escaped(value))\"")
    }

    /// The end of the attribute behind which Xcode would write a new one.
    private func place(ofNew name: String, in element: Element) -> Int {
        let end = element.attributes.last?.range.upperBound ?? element.nameRange.upperBound
        let order = XcodeOrder.attributes[self.name(of: element)] ?? []
        guard let rank = order.firstIndex(of: name) else { return end }
        let before = element.attributes.last { order.firstIndex(of: text($0.nameRange)).map { $0 < rank } ?? false }
        return before?.range.upperBound ?? end
    }

    private func setting(_ value: String, of attribute: Attribute) -> Replacement {
        let quotationMark = bytes[attribute.valueRange.upperBound]
        return Replacement(range: attribute.valueRange, text: XMLText.escaped(value, in: quotationMark))
    }

    /// Replaces a part of a value.
    private func replacing(_ range: Range<Int>, of attribute: Attribute, with new: String) -> Replacement? {
        guard let part = self.range(range, of: attribute) else { return nil }
        return Replacement(range: part, text: XMLText.escaped(new, in: bytes[attribute.valueRange.upperBound]))
    }

    /// An attribute is removed with the space before it.
    private func removing(_ attribute: Attribute) -> Replacement {
        var start = attribute.range.lowerBound
        while start > 0, isSpace(bytes[start - 1]) { start -= 1 }
        return Replacement(range: start..<attribute.range.upperBound, text: "")
    }

    /// An element that is alone on its lines is removed with them.
    private func removalRange(of element: Element) -> Range<Int> {
        guard let indentation = indentation(of: element.range.lowerBound) else { return element.range }
        var end = element.range.upperBound
        while end < bytes.count, isBlank(bytes[end]) { end += 1 }
        if end < bytes.count, bytes[end] == UInt8(ascii: "\r") { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\n") else { return element.range }
        return indentation.lowerBound..<end + 1
    }

    // MARK: Children

    /// Adds elements to another one, each behind the one that Xcode would write before it.
    private func adding(
        _ children: [Diagnostic.NewElement], to element: Element, ignoring removed: Set<Int>
    ) -> [Replacement] {
        let existing = element.children.filter { !removed.contains($0) }.map { elements[$0] }
        if existing.isEmpty { return [adding({ lead in children.map { self.text(of: $0, lead) } }, toEmpty: element)] }
        return children.flatMap { child -> [Replacement] in
            let container = existing.first { name(of: $0) == child.name && Self.containers.contains(child.name) }
            if let container { return adding(child.children, to: container, ignoring: removed) }
            let childName = child.attributes.first { $0.name == "name" }?.value
            return [adding(child.name, named: childName, among: existing, of: element) { self.text(of: child, $0) }]
        }
    }

    /// Adds a text behind the child of an element that Xcode would write before it.
    private func adding(
        _ childName: String, named name: String?, among children: [Element], of element: Element,
        _ text: (_ indentation: String?) -> String
    ) -> Replacement {
        if let last = predecessor(of: childName, named: name, among: children, of: element) {
            let indentation = indentation(of: last.startTag.lowerBound).map { self.text($0) }
            let lead = indentation.map { newline + $0 } ?? ""
            return Replacement(range: last.range.upperBound..<last.range.upperBound, text: lead + text(indentation))
        }
        let first = children[0]
        guard let indentation = indentation(of: first.startTag.lowerBound) else {
            return Replacement(range: first.range.lowerBound..<first.range.lowerBound, text: text(nil))
        }
        let lead = self.text(indentation)
        let start = element.startTag.upperBound
        return Replacement(range: start..<start, text: newline + lead + text(lead))
    }

    /// Adds texts to an element without children.
    private func adding(_ texts: (_ indentation: String?) -> [String], toEmpty element: Element) -> Replacement {
        let own = indentation(of: element.startTag.lowerBound).map { self.text($0) }
        let indentation = own.map { $0 + indentationUnit }
        let inner = texts(indentation).map { (indentation.map { newline + $0 } ?? "") + $0 }.joined()
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

    /// The element behind which Xcode would write a new one; nil if that is the first.
    private func predecessor(
        of childName: String, named name: String?, among children: [Element], of parent: Element
    ) -> Element? {
        let parentName = self.name(of: parent)
        guard let group = XcodeOrder.group(of: childName, in: parentName) else {
            return children.last { self.name(of: $0) == childName } ?? children.last
        }
        let same = children.filter { self.name(of: $0) == childName }
        if let name, XcodeOrder.sorted.contains(childName) {
            let names = same.map { attribute("name", of: $0).map { value(of: $0) } ?? "" }
            let isSorted = !zip(names, names.dropFirst()).contains { XcodeOrder.precedes($1, $0) }
            if isSorted, let next = names.firstIndex(where: { XcodeOrder.precedes(name, $0) }) {
                if next > 0 { return same[next - 1] }
                // It is the first with its name.
                return children.last { self.group(of: $0, in: parentName) < group }
            }
        }
        return same.last ?? children.last { self.group(of: $0, in: parentName) <= group }
    }

    /// The group of a child; children that Xcode does not write come last.
    private func group(of child: Element, in parent: String) -> Int {
        XcodeOrder.group(of: name(of: child), in: parent) ?? Int.max
    }

    /// Moves an element with everything in it to another one.
    private func moving(_ element: Element, to parent: Element) -> [Replacement]? {
        let name = attribute("name", of: element).map { value(of: $0) }
        let text = self.text(element.range)
        let children = parent.children.map { elements[$0] }
        let insertion =
            children.isEmpty
            ? adding({ _ in [text] }, toEmpty: parent)
            : adding(self.name(of: element), named: name, among: children, of: parent) { _ in text }
        return [Replacement(range: removalRange(of: element), text: ""), insertion]
    }

    /// The text of a new element; its children are on lines of their own if the element is.
    private func text(of new: Diagnostic.NewElement, _ indentation: String?) -> String {
        let attributes = XcodeOrder.sorted(new.attributes, of: new.name, by: \.name).map {
            " \($0.name)=\"\(XMLText.escaped($0.value))\""
        }.joined()
        if new.children.isEmpty { return "<\(new.name)\(attributes)/>" }
        let inner = indentation.map { $0 + indentationUnit }
        let children = new.children.map { (inner.map { newline + $0 } ?? "") + text(of: $0, inner) }.joined()
        let end = indentation.map { newline + $0 } ?? ""
        return "<\(new.name)\(attributes)>\(children)\(end)</\(new.name)>"
    }

    /// The blanks from the beginning of a line to an offset; nil if there is other text.
    func indentation(of offset: Int) -> Range<Int>? {
        var start = offset
        while start > 0, isBlank(bytes[start - 1]) { start -= 1 }
        let isLineStart = start == 0 || bytes[start - 1] == UInt8(ascii: "\n")
        return isLineStart ? start..<offset : nil
    }

    /// The indentation of the first element within the root; Xcode uses four spaces.
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

    /// Returns whether a reader that follows the document's declared encoding sees exactly this text.
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
