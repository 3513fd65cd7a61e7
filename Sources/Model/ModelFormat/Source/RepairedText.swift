import DataModel

/// A text of a version, half-typed as an editor has it, and the well-formed document that is nearest to it.
///
/// Spaces replace the broken parts, and missing ends of tags are added, so that the rest keeps its place.
package struct RepairedText: Sendable {
    /// The text as it is written.
    package let original: [UInt8]
    /// The well-formed text; the same as the original if that is well-formed.
    package let bytes: [UInt8]
    /// The original, divided as far as it can be.
    package let document: SourceDocument
    private let repairs: [SourceDocument.Replacement]

    /// Whether the original is not well-formed.
    package var isRepaired: Bool { !repairs.isEmpty }

    /// Repairs a text; nil if none of it can be read.
    package init?(_ original: [UInt8]) {
        // A step blanks at least one byte of the copy; all other bytes stay in their places.
        var copy = original
        var blanked: [SourceDocument.Replacement] = []
        for _ in 0..<Self.maximumSteps {
            guard let (document, repairs) = SourceDocument.dividing(copy), !document.elements.isEmpty else {
                return nil
            }
            let bytes = Self.applied(repairs, to: copy)
            let location = XMLElement.placeOfError(in: bytes)
            guard let location else {
                self.original = original
                self.bytes = bytes
                self.document = document
                self.repairs = (blanked + repairs).sorted { $0.range.lowerBound < $1.range.lowerBound }
                mapping = Mapping(repairs)
                return
            }
            let repaired = SourceLines(bytes).offset(line: location.line, column: location.column) ?? bytes.count
            let offset = Mapping(repairs).original(of: repaired)
            guard let range = Self.culprit(at: offset, in: document, copy) else { return nil }
            blanked.append(SourceDocument.Replacement(range: range, text: ""))
            for index in range where copy[index] != UInt8(ascii: "\n") && copy[index] != UInt8(ascii: "\r") {
                copy[index] = UInt8(ascii: " ")
            }
        }
        return nil
    }

    /// More repairs than a text needs while it is being typed.
    private static let maximumSteps = 40

    private let mapping: Mapping

    /// The offset in the original of a byte of the well-formed text.
    package func originalOffset(of offset: Int) -> Int { mapping.original(of: offset) }

    /// Returns whether a range of the original was left as it is.
    package func isUntouched(_ range: Range<Int>) -> Bool {
        !repairs.contains { $0.range.lowerBound <= range.upperBound && range.lowerBound <= $0.range.upperBound }
    }

    /// The bytes that a well-formed document could not have at an offset: an attribute, a tag, or a piece of text.
    private static func culprit(at offset: Int, in document: SourceDocument, _ bytes: [UInt8]) -> Range<Int>? {
        let offset = min(offset, bytes.count)
        if let index = document.element(startingAtOrBefore: offset),
            offset <= document.elements[index].startTag.upperBound
        {
            let element = document.elements[index]
            // The place of an error is behind the part that is wrong.
            let attribute = element.attributes.last { $0.range.lowerBound < offset }
            if let attribute { return attribute.range }
            if index > 0 { return element.startTag }
        }
        // A piece of text, up to the next tag.
        var start = min(offset, bytes.count - 1)
        while start > 0, bytes[start] != UInt8(ascii: ">"), bytes[start - 1] != UInt8(ascii: ">") { start -= 1 }
        if start < bytes.count, bytes[start] == UInt8(ascii: ">") { start += 1 }
        let end = bytes.firstOffset(of: UInt8(ascii: "<"), from: start) ?? bytes.count
        return start < end && isVisible(start..<end, bytes) ? start..<end : nil
    }

    private static func isVisible(_ range: Range<Int>, _ bytes: [UInt8]) -> Bool {
        bytes[range].contains { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    }

    private static func applied(_ repairs: [SourceDocument.Replacement], to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for repair in repairs where repair.range.lowerBound >= position {
            result += bytes[position..<repair.range.lowerBound]
            result += Array(repair.text.utf8)
            position = repair.range.upperBound
        }
        return result + bytes[position...]
    }

    /// From offsets in the well-formed text to those in the original.
    private struct Mapping: Sendable {
        /// The places in both texts where a change of the length ends, in order.
        private var shifts: [(repaired: Int, original: Int)] = []

        init(_ repairs: [SourceDocument.Replacement]) {
            var difference = 0
            var position = 0
            for repair in repairs where repair.range.lowerBound >= position {
                position = repair.range.upperBound
                let change = repair.text.utf8.count - repair.range.count
                difference += change
                if change != 0 { shifts.append((position + difference, position)) }
            }
        }

        func original(of offset: Int) -> Int {
            guard let last = shifts.last(where: { $0.repaired <= offset }) else {
                return shifts.first.map { min(offset, $0.original) } ?? offset
            }
            let next = shifts.first { $0.repaired > offset }
            return min(last.original + offset - last.repaired, next?.original ?? Int.max)
        }
    }
}

/// The beginnings of the lines of a text.
package struct SourceLines: Sendable {
    private let starts: [Int]
    private let count: Int

    package init(_ bytes: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        // A byte order mark does not count as a column.
        var starts = [bytes.starts(with: mark) ? mark.count : 0]
        var offset = 0
        while let end = bytes.firstOffset(of: UInt8(ascii: "\n"), from: offset) {
            offset = end + 1
            starts.append(offset)
        }
        self.starts = starts
        count = bytes.count
    }

    /// The offset of a place; nil when there is no such place.
    package func offset(line: Int, column: Int) -> Int? {
        guard starts.indices.contains(line - 1), column > 0 else { return nil }
        let offset = starts[line - 1] + column - 1
        return offset <= count ? offset : nil
    }

    /// The line and the column of an offset.
    package func position(of offset: Int) -> (line: Int, column: Int) {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return (low + 1, max(offset - starts[low], 0) + 1)
    }
}
