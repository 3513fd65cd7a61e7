/// Makes elements of the tags of a document.
///
/// Tags that do not fit each other are arranged as the format allows, and the changes are listed that would make them
/// fit.
struct SourceTree {
    private let bytes: [UInt8]
    private(set) var elements: [SourceDocument.Element] = []
    /// The changes that make a well-formed document of the text, in the order of their places.
    private(set) var repairs: [SourceDocument.Replacement] = []
    private var open: [Int] = []

    /// Arranges the tags of a text; nil when they do not fit each other and must.
    init?(_ bytes: [UInt8], isTolerant: Bool = false) {
        self.bytes = bytes
        var scanner = SourceScanner(bytes)
        scanner.scan()
        if scanner.isComplete, arrange(scanner.tags) { return }
        if !isTolerant { return nil }
        elements = []
        open = []
        arrangeBroken(scanner)
    }

    /// Arranges tags that fit; returns false if they do not.
    private mutating func arrange(_ tags: [SourceScanner.Tag]) -> Bool {
        for tag in tags {
            switch tag.kind {
            case .start, .selfClosing:
                if open.isEmpty, !elements.isEmpty { return false }
                add(tag)
            case .end:
                guard let index = open.popLast(), name(tag) == bytes[elements[index].nameRange] else { return false }
                elements[index].endTag = tag.range
            }
        }
        return open.isEmpty && !elements.isEmpty
    }

    private mutating func add(_ tag: SourceScanner.Tag) {
        var element = SourceDocument.Element(
            nameRange: tag.nameRange, attributes: tag.attributes, startTag: tag.range, parent: open.last)
        element.isSelfClosing = tag.kind == .selfClosing
        if let parent = open.last { elements[parent].children.append(elements.count) }
        if tag.kind == .start { open.append(elements.count) }
        elements.append(element)
    }

    private func name(_ tag: SourceScanner.Tag) -> ArraySlice<UInt8> { bytes[tag.nameRange] }

    // MARK: Broken documents

    private mutating func arrangeBroken(_ scanner: SourceScanner) {
        for tag in scanner.tags {
            switch tag.kind {
            case .start, .selfClosing:
                if open.isEmpty, !elements.isEmpty {
                    blank(tag.range)
                    continue
                }
                closeElements(thatCannotHold: name(tag))
                add(tag)
            case .end:
                guard let position = open.lastIndex(where: { bytes[elements[$0].nameRange] == name(tag) }) else {
                    blank(tag.range)
                    continue
                }
                while open.count > position + 1 { closeLast() }
                let index = open.removeLast()
                if isUnfinished(index) { insert(">", at: elements[index].startTag.upperBound) }
                elements[index].endTag = tag.range
                if tag.isUnfinished { insert(">", at: tag.range.upperBound) }
            }
        }
        while !open.isEmpty { closeLast() }
        for range in scanner.broken { blank(range) }
        // Of two at one place, the one that was found first comes first.
        repairs = repairs.enumerated().sorted {
            ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
                < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
        }.map(\.element)
    }

    /// Closes elements that can have no child of a name, if one around them can.
    private mutating func closeElements(thatCannotHold name: ArraySlice<UInt8>) {
        let name = String(decoding: name, as: UTF8.self)
        let holder = open.last { index in
            ElementVocabulary.all[self.name(of: index)]?.children.contains(name) ?? false
        }
        guard let holder else { return }
        while let last = open.last, last != holder { closeLast() }
    }

    /// Closes the innermost element that has no end tag, behind its last child.
    private mutating func closeLast() {
        guard let index = open.popLast() else { return }
        let end = elements[index].startTag.upperBound
        guard let last = elements[index].children.last.map({ elements[$0] }) else {
            let range = isUnfinished(index) ? end..<end : end - 1..<end
            return repairs.append(SourceDocument.Replacement(range: range, text: "/>"))
        }
        if isUnfinished(index) { insert(">", at: end) }
        insert("</\(name(of: index))>", at: last.range.upperBound)
        elements[index].endTag = last.range.upperBound..<last.range.upperBound
    }

    private func name(of index: Int) -> String { String(decoding: bytes[elements[index].nameRange], as: UTF8.self) }

    private func isUnfinished(_ index: Int) -> Bool {
        bytes[elements[index].startTag.upperBound - 1] != UInt8(ascii: ">")
    }

    private mutating func insert(_ text: String, at offset: Int) {
        repairs.append(SourceDocument.Replacement(range: offset..<offset, text: text))
    }

    /// Replaces bytes by spaces, so that all else stays in its place.
    private mutating func blank(_ range: Range<Int>) {
        if range.isEmpty { return }
        let text = bytes[range].map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? $0 : 0x20 }
        repairs.append(SourceDocument.Replacement(range: range, text: String(decoding: text, as: UTF8.self)))
    }
}
